//! Suggests commands that continue from the first screen.

pub use crate::text::shell::Word;
use crate::{
    analysis::difference::names::last_part,
    text::{escape, shell},
};

/// A suggested command.
pub struct Next {
    /// The command, split into lines that a shell reads as one command.
    pub lines: Vec<String>,
    /// What the command shows.
    pub remark: &'static str,
}

impl Next {
    /// The line that the remark follows.
    pub fn last_line(&self) -> &str {
        self.lines.last().map_or("", String::as_str)
    }
}

/// The part of the typed command that suggested commands repeat.
#[derive(Default)]
pub struct Again {
    /// Options that are needed to read the inputs in the same way, or to find their sources.
    pub options: Vec<String>,
    /// The inputs. They are empty if they can be read only once; then no command is suggested.
    pub inputs: Vec<Word>,
}

/// The options of a report that its other pages also take.
#[derive(Clone, Default, Debug)]
pub struct Typed {
    /// The events that are shown and sorted by.
    pub columns: Vec<String>,
    /// Filters by name, except `functions`.
    pub filters: Vec<String>,
    /// The names of wanted functions.
    pub functions: Vec<String>,
    /// The option that orders functions by inclusive cost, if given.
    pub order: Option<String>,
}

/// Suggests commands about the hottest function, in lines of width `room`. They repeat options of
/// the report. If `to_inlined` names options that show inlined functions, one command has these. The
/// function has options of its own.
pub fn next(
    hottest: Option<(&[u8], &[&str])>,
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
    // It is about one function, which passes the filters.
    let zoom = |name: &str, own: &[&str]| {
        let joined = format!("--zoom={name}");
        let zoom = if name.starts_with('-') {
            &[&joined[..]][..]
        } else {
            &["--zoom", name]
        };
        lines(&[zoom, own].concat(), &[columns, filters])
    };
    let hottest = hottest.map(|(name, own)| {
        let whole = zoom(&escape::typed(name), own);
        // A short name is easier to type.
        match zoom(&escape::literal(last_part(name)), own) {
            short if short.len() < whole.len() => short,
            _ => whole,
        }
    });
    let zoom = hottest.map(|lines| Next {
        lines,
        remark: "callers, callees, source",
    });
    // Only self costs add up, and a list of inlined functions has columns of inclusive cost.
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
