//! Options of the report that conflict.

use super::{Usage, own};
use crate::analysis::Narrow;
use crate::cli::{AnnotateArgs, ByArg, FormatArg, TreeArg, YesNo};

/// What is wrong with these options, if they conflict, whatever page they are for. Of several conflicts the first is told.
pub(super) fn refuse(args: &AnnotateArgs, narrow: &Narrow) -> Result<(), Usage> {
    let code = &args.code;
    let (zoom, columns, by) = (
        args.zoom.is_some(),
        !args.columns.is_empty(),
        args.narrow.by.is_some(),
    );
    let (tree, inclusive) = (args.tree != TreeArg::None, args.inclusive.is_yes());
    let sources = args.auto == Some(YesNo::Yes);
    let beside = matches!(
        args.narrow.by,
        Some(ByArg::Thread | ByArg::Part | ByArg::Pid | ByArg::Run)
    );
    let (is_text, is_json) = (
        args.format == FormatArg::Text,
        args.format == FormatArg::Json,
    );
    let is_table = matches!(
        args.format,
        FormatArg::Csv | FormatArg::Tsv | FormatArg::Markdown
    );
    let cuts = args.threshold.is_some() || args.sort.iter().any(|key| key.threshold.is_some());
    let is_page = args.format == FormatArg::Html;
    let charges = own::set(&args.own).is_some();
    let own = args.own.own || !args.own.own_code.is_empty();
    let by_instr = args.narrow.by == Some(ByArg::Instr);
    let disassembles = code.asm || by_instr && !is_json;
    super::refuse([
        (
            !is_text && args.list_events && args.generate.is_none(),
            "--events answers in words; it has no --format",
        ),
        (args.depth.is_some() && !zoom, "--depth is for --zoom"),
        (
            zoom && cuts,
            "--threshold is for lists; --zoom has --min and -n",
        ),
        (
            zoom && tree,
            "--zoom shows callers and callees; --depth has more levels than --tree",
        ),
        (
            (is_json || is_table) && sources,
            "--auto=yes is for the text report; the other forms have no sources",
        ),
        (
            by && inclusive,
            "--by adds self costs up; inclusive costs do not add up",
        ),
        (by && tree, "--by shows no callers and callees"),
        (
            is_json && by && !by_instr,
            "--by is for text, csv, tsv and markdown",
        ),
        (
            is_page && by,
            "--by is for text, csv, tsv and markdown; a page has files and objects",
        ),
        (
            is_page && args.split.is_some(),
            "--split is for text and json; a page is one",
        ),
        (
            is_page && tree,
            "--tree is for the text report; a page has all calls",
        ),
        (
            is_page && zoom,
            "--zoom is for the other forms; a page shows any function",
        ),
        (
            is_page && !narrow.is_nothing(),
            "rows are chosen in the page itself; --max-size says how much of the profile is in it",
        ),
        (
            is_page && cuts,
            "--threshold is for lists; --max-size says how much of the profile is in a page",
        ),
        (
            is_table && args.split.is_some(),
            "--split is for text and json; a table is one",
        ),
        (
            (is_json || is_table) && tree,
            "--tree is for the text report; json has all calls",
        ),
        (
            args.compat && charges,
            "--compat charges nothing to callers",
        ),
        (
            code.inlined && args.compat,
            "--compat knows nothing of inlined functions",
        ),
        (
            code.inlined && by && !charges,
            "--by adds self costs up as they were recorded; --inlined is a list of its own",
        ),
        (
            code.inlined && !charges && (tree || inclusive),
            "--inlined shows inclusive costs itself, and no callers and callees",
        ),
        (
            code.instructions && charges && !own,
            "--fold-... adds up what --instructions lists",
        ),
        (
            is_page && code.inlined && !charges,
            "--inlined is for text, json, csv, tsv and markdown; a page has it with --own",
        ),
        (code.instructions && !is_json, "--instructions is for json"),
        (
            code.asm && !zoom,
            "--asm is for --zoom; --by=instr lists instructions of all functions",
        ),
        (
            code.asm && !is_text,
            "--asm is for the text report; json has all with --instructions",
        ),
        (code.asm_source && !code.asm, "--asm-source is for --asm"),
        (
            code.asm && charges,
            "--asm shows instructions as they were recorded, which --own and --fold-... do not",
        ),
        (
            by_instr && charges,
            "--by=instr lists what was recorded, which --own and --fold-... charge to others",
        ),
        (
            code.binaries.asm_syntax.is_some() && !disassembles,
            "--asm-syntax is for --asm and --by=instr",
        ),
        (
            code.binaries.objdump.is_some() && !disassembles,
            "--objdump is for --asm and --by=instr",
        ),
        (
            code.binaries.force && !disassembles && !code.inlined,
            "--force is for --inlined, --asm and --by=instr",
        ),
        (
            !code.binaries.debug_dirs.is_empty() && !disassembles && !code.inlined,
            "--debug-dir is for --inlined, --asm and --by=instr",
        ),
        (args.compat && zoom, "--compat has no --zoom"),
        (
            args.compat && args.input.fold_recursion,
            "--compat keeps recursion levels apart",
        ),
        (by && zoom, "--by adds up, --zoom takes apart"),
        (
            beside && args.split.is_some(),
            "--split prints one after the other what --by puts side by side",
        ),
        (
            beside && sources,
            "--by=thread, part, pid and run are lists; they have no sources",
        ),
        (
            beside && charges,
            "--by=thread, part, pid and run list costs as they were recorded",
        ),
        (
            zoom && charges && !is_text,
            "--zoom of own code is for the text report",
        ),
        (
            zoom && code.inlined && is_table,
            "--zoom of inlined functions is for text and json",
        ),
        (
            columns && !is_table,
            "--columns is for csv, tsv and markdown",
        ),
        (
            columns && (by || zoom || code.inlined),
            "--columns is for the list of functions",
        ),
        (
            columns && charges,
            "--columns lists costs as they were recorded",
        ),
        (
            args.compat && (by || !narrow.is_nothing()),
            "--compat leaves nothing out that is asked for",
        ),
    ])
}
