//! A mutant: one small change of the program, and how it is written into the source so that a variable switches it on.

use std::ops::Range;

/// Stands for the condition that this mutant is on, in an [`Edit`]'s text.
pub const ON: &str = "\u{1}";

/// Stands for what the source has there, in an [`Edit`]'s text.
pub const ORIGINAL: &str = "\u{2}";

/// Replaces a range of a source file.
#[derive(Clone, Debug)]
pub struct Edit {
    pub file: String,
    pub range: Range<usize>,
    pub text: String,
}

/// One change of the program.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub file: String,
    pub line: usize,
    /// The kind of change: samples have some of each.
    pub kind: &'static str,
    /// What is changed into what.
    pub what: String,
    pub edits: Vec<Edit>,
}

impl Mutant {
    /// The folder of `src` that it is in. The scripts of the pages have one of their own.
    pub fn folder(&self) -> &str {
        if self.is_script() {
            return "scripts";
        }
        let inside = self.file.strip_prefix("src/").unwrap_or(&self.file);
        inside.split_once('/').map_or("(top)", |(folder, _)| folder)
    }

    /// Whether it changes a script of the pages: such a file is rewritten, and no switch is written into it.
    pub fn is_script(&self) -> bool {
        self.file.ends_with(".js")
    }
}

/// Writes all edits of one file into its text, and gives with it the range of each, by the number of its mutant. Edits that
/// overlap without one being inside the other are not written.
pub fn write(
    text: &str,
    file: &str,
    mutants: &[(usize, &Mutant)],
) -> (String, Vec<(usize, Range<usize>)>) {
    let mut edits: Vec<(usize, &Edit)> = Vec::new();
    for (number, mutant) in mutants {
        edits.extend(
            mutant
                .edits
                .iter()
                .filter(|edit| edit.file == file)
                .map(|edit| (*number, edit)),
        );
    }
    // The outer one before those inside it.
    edits.sort_by_key(|(number, edit)| {
        (edit.range.start, std::cmp::Reverse(edit.range.end), *number)
    });
    let mut out = String::new();
    let mut ranges = Vec::new();
    inside(
        text,
        0..text.len(),
        &edits,
        file == "src/main.rs",
        &mut out,
        &mut ranges,
    );
    (out, ranges)
}

fn inside(
    text: &str,
    range: Range<usize>,
    edits: &[(usize, &Edit)],
    is_program: bool,
    out: &mut String,
    ranges: &mut Vec<(usize, Range<usize>)>,
) {
    let mut at = range.start;
    let mut next = 0;
    while let Some((number, edit)) = edits.get(next) {
        let within = edits[next + 1..]
            .iter()
            .take_while(|(_, other)| other.range.start < edit.range.end)
            .count();
        let inner: Vec<(usize, &Edit)> = edits[next + 1..next + 1 + within]
            .iter()
            .filter(|(_, other)| other.range.end <= edit.range.end)
            .copied()
            .collect();
        next += 1 + within;
        if edit.range.start < at || edit.range.end > range.end {
            continue;
        }
        out.push_str(&text[at..edit.range.start]);
        let begin = out.len();
        for part in edit
            .text
            .split_inclusive([ON, ORIGINAL].map(|mark| mark.chars().next().unwrap_or_default()))
        {
            let plain = part.trim_end_matches(
                [ON, ORIGINAL].map(|mark| mark.chars().next().unwrap_or_default()),
            );
            out.push_str(plain);
            match &part[plain.len()..] {
                ON => {
                    let path = if is_program { "cgannotate" } else { "crate" };
                    out.push_str(&format!("{path}::mutation::on({number})"));
                }
                ORIGINAL => inside(text, edit.range.clone(), &inner, is_program, out, ranges),
                _ => {}
            }
        }
        ranges.push((*number, begin..out.len()));
        at = edit.range.end;
    }
    out.push_str(&text[at..range.end]);
}
