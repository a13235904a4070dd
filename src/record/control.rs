//! Asks Callgrind for the progress of a run, with its program `callgrind_control`.

use super::find;
use std::{
    io::Read,
    process::{Command, Stdio},
};

/// What a run has counted so far.
#[derive(PartialEq, Debug)]
pub(crate) struct SoFar {
    /// The first event.
    pub event: String,
    /// Its count in all threads.
    pub count: u64,
}

/// At most this many bytes of its output are read.
const LONGEST: u64 = 1 << 16;

/// Asks the run with the process id `pid`, which takes a few tenths of a second. Until there is an
/// answer, it calls `wait` repeatedly, and stops if that returns false. `None` without an answer.
pub(crate) fn so_far(pid: u32, mut wait: impl FnMut() -> bool) -> Option<SoFar> {
    let mut command = Command::new(find("callgrind_control".as_ref()).ok()?);
    command.args(["-e", &pid.to_string()]);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    while let Ok(None) = child.try_wait() {
        if !wait() {
            // It may have ended by now.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
    }
    let mut text = Vec::new();
    child
        .stdout
        .take()?
        .take(LONGEST)
        .read_to_end(&mut text)
        .ok()?;
    parse(&String::from_utf8_lossy(&text))
}

/// Parses `Totals: Ir Dr` and the lines of the threads below it, `Th 1 1,234 567`.
fn parse(text: &str) -> Option<SoFar> {
    let (mut event, mut sum) = (None, None);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["Totals:", first, ..] => event = Some(first.to_owned()),
            ["Th", _, count, ..] if event.is_some() => {
                let count = count.replace(',', "").parse().ok()?;
                sum = Some(sum.unwrap_or(0u64).checked_add(count)?);
            }
            _ => {}
        }
    }
    Some(SoFar {
        event: event?,
        count: sum?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_event_of_all_threads_is_added_up() {
        let text = "PID 5060: ./loop\n\n  Totals:        Ir         Dr \n   Th 1  33,057,498  1,000 \n   Th 2  2  7 \n\n";
        assert_eq!(
            parse(text),
            Some(SoFar {
                event: "Ir".into(),
                count: 33_057_500
            })
        );
        for nothing in [
            "",
            "Error: Callgrind task with PID 7 not running\n",
            "  Totals: Ir\n",
            "Th 1 7\n",
            "Totals: Ir\n Th 1 x\n",
        ] {
            assert_eq!(parse(nothing), None, "{nothing}");
        }
    }
}
