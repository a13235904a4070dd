//! What to type next: commands that narrow down what the first screen shows.

use crate::analysis::difference::names::last_part;
use crate::text::shell;
pub use crate::text::shell::Word;

/// A command that shows more.
pub struct Next {
    /// The command, in lines that a shell takes for one.
    pub lines: Vec<String>,
    /// What it shows.
    pub remark: &'static str,
}

impl Next {
    /// The line that the remark stands behind.
    pub fn last_line(&self) -> &str {
        self.lines.last().map_or("", String::as_str)
    }
}

/// What a command that goes on from here repeats of the one that was typed.
#[derive(Clone, Default, Debug)]
pub struct Again {
    /// Options without which the inputs would not be read in the same way, or their sources not be found.
    pub options: Vec<String>,
    /// The inputs; none if they can be read only once, so that no command goes on.
    pub inputs: Vec<Word>,
}

/// Commands that narrow it down from the hottest function, in lines of so much width.
pub fn next(hottest: Option<&[u8]>, again: &Again, room: Option<usize>) -> Vec<Next> {
    if again.inputs.is_empty() {
        return Vec::new();
    }
    let lines = |option: &str, value: Option<&str>| {
        let words = ["cgannotate", option].into_iter().chain(value).map(str::to_owned);
        let words = words.chain(again.options.iter().cloned()).map(Word::Literal);
        shell::lines(&words.chain(again.inputs.iter().cloned()).collect::<Vec<_>>(), room.unwrap_or(usize::MAX))
    };
    let zoom = |name: &str| match name.starts_with('-') {
        true => lines(&format!("--zoom={name}"), None),
        false => lines("--zoom", Some(name)),
    };
    let hottest = hottest.map(|name| {
        match zoom(&String::from_utf8_lossy(name)) {
            whole if whole.len() == 1 => whole,
            // What is short is rather typed.
            broken => match zoom(&regex::escape(&String::from_utf8_lossy(last_part(name)))) {
                short if short.len() < broken.len() => short,
                _ => broken,
            },
        }
    });
    let zoom = hottest.map(|lines| Next { lines, remark: "callers, callees, source" });
    let others = [("--by=file", "by file, object or class"), ("--auto=yes", "all, with sources")];
    let others = others.into_iter().map(|(option, remark)| Next { lines: lines(option, None), remark });
    zoom.into_iter().chain(others).collect()
}
