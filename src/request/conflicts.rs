//! Options of the report that conflict.

use super::own;
use crate::analysis::Narrow;
use crate::cli::{AnnotateArgs, ByArg, FormatArg, TreeArg, YesNo};

/// What is wrong with these options, if they conflict, whatever page they are for. Of several conflicts the first is told.
pub(super) fn conflict(args: &AnnotateArgs, narrow: &Narrow) -> Option<&'static str> {
    let by = args.narrow.by.is_some();
    let beside = matches!(args.narrow.by, Some(ByArg::Thread | ByArg::Part | ByArg::Pid | ByArg::Run));
    let is_table = matches!(args.format, FormatArg::Csv | FormatArg::Tsv | FormatArg::Markdown);
    let charges = own::set(&args.own).is_some();
    let own = args.own.own || !args.own.own_code.is_empty();
    let by_instr = args.narrow.by == Some(ByArg::Instr);
    let disassembles = args.code.asm || by_instr && args.format != FormatArg::Json;
    Some(match args.format {
        FormatArg::Json | FormatArg::Csv | FormatArg::Tsv | FormatArg::Markdown | FormatArg::Html
            if args.list_events && args.generate.is_none() =>
        {
            "--events answers in words; it has no --format"
        }
        _ if args.depth.is_some() && args.zoom.is_none() => "--depth is for --zoom",
        _ if args.zoom.is_some() && args.tree != TreeArg::None => {
            "--zoom shows callers and callees; --depth has more levels than --tree"
        }
        FormatArg::Json | FormatArg::Csv | FormatArg::Tsv | FormatArg::Markdown if args.auto == Some(YesNo::Yes) => {
            "--auto=yes is for the text report; the other forms have no sources"
        }
        _ if by && args.inclusive.is_yes() => "--by adds self costs up; inclusive costs do not add up",
        _ if by && args.tree != TreeArg::None => "--by shows no callers and callees",
        FormatArg::Json if by && !by_instr => "--by is for text, csv, tsv and markdown",
        FormatArg::Html if by => "--by is for text, csv, tsv and markdown; a page has files and objects",
        FormatArg::Html if args.split.is_some() => "--split is for text and json; a page is one",
        FormatArg::Html if args.tree != TreeArg::None => "--tree is for the text report; a page has all calls",
        FormatArg::Html if args.zoom.is_some() => "--zoom is for the other forms; a page shows any function",
        FormatArg::Html if !narrow.is_nothing() => {
            "rows are chosen in the page itself; --max-size says how much of the profile is in it"
        }
        FormatArg::Html if args.threshold.is_some() || args.sort.iter().any(|key| key.threshold.is_some()) => {
            "--threshold is for lists; --max-size says how much of the profile is in a page"
        }
        FormatArg::Csv | FormatArg::Tsv | FormatArg::Markdown if args.split.is_some() => {
            "--split is for text and json; a table is one"
        }
        FormatArg::Csv | FormatArg::Tsv | FormatArg::Markdown | FormatArg::Json if args.tree != TreeArg::None => {
            "--tree is for the text report; json has all calls"
        }
        _ if args.compat && charges => "--compat charges nothing to callers",
        _ if args.code.inlined && args.compat => "--compat knows nothing of inlined functions",
        _ if args.code.inlined && by && !charges => {
            "--by adds self costs up as they were recorded; --inlined is a list of its own"
        }
        _ if args.code.inlined && !charges && (args.tree != TreeArg::None || args.inclusive.is_yes()) => {
            "--inlined shows inclusive costs itself, and no callers and callees"
        }
        _ if args.code.instructions && charges && !own => "--fold-... adds up what --instructions lists",
        FormatArg::Html if args.code.inlined && !charges => {
            "--inlined is for text, json, csv, tsv and markdown; a page has it with --own"
        }
        _ if args.code.instructions && args.format != FormatArg::Json => "--instructions is for json",
        _ if args.code.asm && args.zoom.is_none() => {
            "--asm is for --zoom; --by=instr lists instructions of all functions"
        }
        _ if args.code.asm && args.format != FormatArg::Text => {
            "--asm is for the text report; json has all with --instructions"
        }
        _ if args.code.asm_source && !args.code.asm => "--asm-source is for --asm",
        _ if args.code.asm && charges => {
            "--asm shows instructions as they were recorded, which --own and --fold-... do not"
        }
        _ if by_instr && charges => "--by=instr lists what was recorded, which --own and --fold-... charge to others",
        _ if args.code.binaries.asm_syntax.is_some() && !disassembles => "--asm-syntax is for --asm and --by=instr",
        _ if args.code.binaries.objdump.is_some() && !disassembles => "--objdump is for --asm and --by=instr",
        _ if args.code.binaries.force && !disassembles && !args.code.inlined => {
            "--force is for --inlined, --asm and --by=instr"
        }
        _ if !args.code.binaries.debug_dirs.is_empty() && !disassembles && !args.code.inlined => {
            "--debug-dir is for --inlined, --asm and --by=instr"
        }
        _ if args.compat && args.zoom.is_some() => "--compat has no --zoom",
        _ if args.compat && args.input.fold_recursion => "--compat keeps recursion levels apart",
        _ if by && args.zoom.is_some() => "--by adds up, --zoom takes apart",
        _ if beside && args.split.is_some() => "--split prints one after the other what --by puts side by side",
        _ if beside && args.auto == Some(YesNo::Yes) => {
            "--by=thread, part, pid and run are lists; they have no sources"
        }
        _ if beside && charges => "--by=thread, part, pid and run list costs as they were recorded",
        _ if args.zoom.is_some() && charges && args.format != FormatArg::Text => {
            "--zoom of own code is for the text report"
        }
        _ if args.zoom.is_some() && args.code.inlined && is_table => "--zoom of inlined functions is for text and json",
        _ if !args.columns.is_empty() && !is_table => "--columns is for csv, tsv and markdown",
        _ if !args.columns.is_empty() && (by || args.zoom.is_some() || args.code.inlined) => {
            "--columns is for the list of functions"
        }
        _ if !args.columns.is_empty() && charges => "--columns lists costs as they were recorded",
        _ if args.compat && (by || !narrow.is_nothing()) => "--compat leaves nothing out that is asked for",
        _ => return None,
    })
}
