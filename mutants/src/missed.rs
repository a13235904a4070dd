//! The list of the mutants that no test noticed, which the next run can begin with.

use crate::mutant::Mutant;
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fs;
use std::io;
use std::path::Path;

const HEADING: &str = "number\tsample\tfile\tline\tkind\tmutant\ttests\tsource";

/// A line of the list.
pub struct Missed {
    number: usize,
    sample: String,
    file: String,
    line: usize,
    kind: String,
    what: String,
    tests: usize,
    /// The source's line, by which the mutant is found after lines moved.
    source: String,
}

impl Missed {
    pub fn new(
        number: usize,
        sample: &str,
        mutant: &Mutant,
        texts: &HashMap<String, String>,
        tests: usize,
    ) -> Missed {
        Missed {
            number,
            sample: sample.to_owned(),
            file: mutant.file.clone(),
            line: mutant.line,
            kind: mutant.kind.to_owned(),
            what: mutant.what.clone(),
            tests,
            source: source(mutant, texts).to_owned(),
        }
    }

    fn parse(line: &str) -> Option<Missed> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[number, sample, file, at, kind, what, tests, source] = &fields[..] else {
            return None;
        };
        Some(Missed {
            number: number.parse().ok()?,
            sample: sample.to_owned(),
            file: file.to_owned(),
            line: at.parse().ok()?,
            kind: kind.to_owned(),
            what: what.to_owned(),
            tests: tests.parse().ok()?,
            source: source.to_owned(),
        })
    }
}

/// The line that a mutant changes, without what would divide a line of the list.
fn source<'t>(mutant: &Mutant, texts: &'t HashMap<String, String>) -> &'t str {
    let line = texts
        .get(&mutant.file)
        .and_then(|text| text.lines().nth(mutant.line - 1));
    line.unwrap_or_default()
        .trim()
        .split('\t')
        .next()
        .unwrap_or_default()
}

pub fn read(list: &Path) -> Result<Vec<Missed>, Box<dyn Error>> {
    let text = fs::read_to_string(list).map_err(|e| format!("{}: {e}", list.display()))?;
    let lines = text.lines().skip(1).zip(2..);
    lines
        .map(|(line, at)| {
            Missed::parse(line)
                .ok_or_else(|| format!("{}:{at}: not a line of {HEADING:?}", list.display()).into())
        })
        .collect()
}

pub fn write(list: &Path, missed: &[Missed]) -> io::Result<()> {
    let mut text = format!("{HEADING}\n");
    for Missed {
        number,
        sample,
        file,
        line,
        kind,
        what,
        tests,
        source,
    } in missed
    {
        let line =
            format!("{number}\t{sample}\t{file}\t{line}\t{kind}\t{what}\t{tests}\t{source}\n");
        text.push_str(&line);
    }
    fs::write(list, text)
}

/// Keeps the mutants that the list has of a sample. Of several with one text in a file, it is that
/// of the same source line, else the nearest.
pub fn keep(
    missed: &[Missed],
    sample: &str,
    mutants: &mut Vec<Mutant>,
    texts: &HashMap<String, String>,
) {
    let kept: HashSet<usize> = (missed.iter().filter(|one| one.sample == sample))
        .filter_map(|one| {
            let alike = (0..mutants.len())
                .filter(|&at| mutants[at].file == one.file && mutants[at].what == one.what);
            alike.min_by_key(|&at| {
                let mutant = &mutants[at];
                (
                    source(mutant, texts) != one.source,
                    mutant.line.abs_diff(one.line),
                )
            })
        })
        .collect();
    let mut at = 0..;
    mutants.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
}
