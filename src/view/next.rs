//! Suggests commands that go on from the first screen.

use crate::analysis::difference::names::last_part;
pub use crate::text::shell::Word;
use crate::text::{escape, shell};

/// A suggested command.
pub struct Next {
    /// The command, in lines that a shell takes for one.
    pub lines: Vec<String>,
    /// What it shows.
    pub remark: &'static str,
}

impl Next {
    /// The line that the remark follows.
    pub fn last_line(&self) -> &str {
        self.lines.last().map_or("", String::as_str)
    }
}

/// The part of the typed command that suggested commands repeat.
#[derive(Clone, Default, Debug)]
pub struct Again {
    /// Options that are needed to read the inputs in the same way, or to find their sources.
    pub options: Vec<String>,
    /// The inputs; empty if they can be read only once, so that no command is suggested.
    pub inputs: Vec<Word>,
}

/// The options of a report that its other pages take, too.
#[derive(Clone, Default, Debug)]
pub struct Typed {
    /// Which events show, and which of them order.
    pub columns: Vec<String>,
    /// What is left out by its name, but for `functions`.
    pub filters: Vec<String>,
    /// Which functions are wanted by their names.
    pub functions: Vec<String>,
    /// The option by which inclusive costs order functions, if they do.
    pub order: Option<String>,
}

/// Suggested commands about the hottest function, in lines of this width, of a report with these options. If options are named that tell what was inlined,
/// one about these.
pub fn next(
    hottest: Option<&[u8]>,
    to_inlined: &[&str],
    (again, typed): (&Again, &Typed),
    room: Option<usize>,
) -> Vec<Next> {
    if again.inputs.is_empty() {
        return Vec::new();
    }
    let lines = |options: &[&str], typed: &[&[String]]| {
        let words = ["cgannotate"]
            .iter()
            .chain(options)
            .map(|&word| word.to_owned());
        let words = words
            .chain(typed.concat())
            .chain(again.options.iter().cloned())
            .map(Word::Literal);
        shell::lines(
            &words
                .chain(again.inputs.iter().cloned())
                .collect::<Vec<_>>(),
            room.unwrap_or(usize::MAX),
        )
    };
    let Typed {
        columns,
        filters,
        functions,
        order,
    } = typed;
    // It is about one function, which the filters leave.
    let zoom = |name: &str| match name.starts_with('-') {
        true => lines(&[&format!("--zoom={name}")], &[columns, filters]),
        false => lines(&["--zoom", name], &[columns, filters]),
    };
    let hottest = hottest.map(|name| {
        let whole = zoom(&escape::typed(name));
        // What is short is rather typed.
        match zoom(&escape::literal(last_part(name))) {
            short if short.len() < whole.len() => short,
            _ => whole,
        }
    });
    let zoom = hottest.map(|lines| Next {
        lines,
        remark: "callers, callees, source",
    });
    // Only self costs can be added up, and a list of inlined functions has inclusive costs beside them.
    let of_sums = [&columns[..], filters, functions];
    let all = [&columns[..], filters, functions, order.as_slice()];
    let inlined = (to_inlined, &of_sums[..], "with what is inlined");
    let by_file = (&["--by=file"][..], &of_sums[..], "by file, object or class");
    let others = [by_file, (&["--auto=yes"], &all, "all, with sources")];
    let others = (!to_inlined.is_empty())
        .then_some(inlined)
        .into_iter()
        .chain(others);
    let others = others.map(|(options, typed, remark)| Next {
        lines: lines(options, typed),
        remark,
    });
    zoom.into_iter().chain(others).collect()
}
