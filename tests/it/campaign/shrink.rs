//! Makes what fails smaller, and keeps it for those who look into it.

use super::case::Case;
use super::run::Run;
use super::worker::put;
use std::fs;
use std::path::Path;

/// How often a case is put again while it is made smaller.
const ATTEMPTS: usize = 300;

/// The same failure of less input. Failures are the same if they begin with the same word.
pub(crate) fn shrink(run: &mut Run, case: &Case, problem: &str) -> Case {
    let word = |problem: &str| problem.split(':').next().unwrap_or_default().to_owned();
    let (kind, mut left) = (word(problem), ATTEMPTS);
    let mut fails = |case: &Case| {
        left = left.saturating_sub(1);
        left > 0 && put(run, case).is_err_and(|other| word(&other) == kind)
    };
    let mut best = case.clone();
    let alone = Case {
        other: best.input.clone(),
        ..best.clone()
    };
    if fails(&alone) {
        best = alone;
    }
    best.input = smaller(&best.input, |input| {
        fails(&Case {
            input: input.to_vec(),
            ..best.clone()
        })
    });
    best.other = smaller(&best.other, |other| {
        fails(&Case {
            other: other.to_vec(),
            ..best.clone()
        })
    });
    best
}

/// Leaves out blocks of lines, ever smaller ones, as long as that changes nothing.
fn smaller(bytes: &[u8], mut still: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    let mut size = lines.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < lines.len() {
            let end = (at + size).min(lines.len());
            let less = [&lines[..at], &lines[end..]].concat();
            if still(&less.concat()) {
                lines = less;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    lines.concat()
}

/// Writes a case down; says where.
pub(crate) fn keep(case: &Case, problem: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("campaign");
    let file =
        |name: &str, bytes: &[u8]| fs::write(folder.join(format!("{}.{name}", case.seed)), bytes);
    let kept = fs::create_dir_all(&folder)
        .and_then(|()| file("a", &case.input))
        .and_then(|()| file("b", &case.other))
        .and_then(|()| {
            file(
                "txt",
                format!("{}; {}\n{problem}\n", case.origin, case.asks()).as_bytes(),
            )
        });
    match kept {
        Ok(()) => format!("{}/{}.a, .b and .txt", folder.display(), case.seed),
        Err(e) => format!("no file: {e}"),
    }
}
