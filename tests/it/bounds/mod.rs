//! What a user meets just at a number of `tests/constants.tsv`, and just beyond it.

#[cfg(feature = "object")]
mod binaries;
mod explained;
mod explored;
mod files;
mod lists;
mod matched;
mod pages;
mod printed;
mod reading;
mod recorded;
#[cfg(target_os = "linux")]
mod screens;
mod shown;
mod trends;

use crate::common::Stage;
use cgannotate::input::{self, Options};
use cgannotate::profile::Profile;
use std::fmt::Write as _;

/// A call: of whom, how often, at what cost.
type Call<'a> = (&'a str, u64, u64);

/// A profile of functions of one file: names, self costs and calls. Each function is on a line of
/// its own.
fn written(functions: &[(&str, u64, &[Call<'_>])]) -> String {
    let mut text =
        String::from("creator: callgrind-3.19.0\ncmd: ./app\nevents: Ir\nob=app\nfl=a.c\n");
    let line = |name: &str| {
        functions
            .iter()
            .position(|f| f.0 == name)
            .map_or(0, |at| at + 1)
    };
    for (name, own, calls) in functions {
        writeln!(text, "fn={name}\n{} {own}", line(name)).unwrap();
        for (callee, count, cost) in *calls {
            writeln!(
                text,
                "cfn={callee}\ncalls={count} {}\n{} {cost}",
                line(callee),
                line(name)
            )
            .unwrap();
        }
    }
    let total: u64 = functions.iter().map(|f| f.1).sum();
    writeln!(text, "totals: {total}").unwrap();
    text
}

/// A profile that was read from a text.
fn read(text: &str) -> Profile {
    input::read_from("p", text.as_bytes(), &Options::all()).unwrap()
}

/// What the program writes, report and messages together, without a look at its status.
fn all_of(stage: &Stage, args: &[&str]) -> String {
    let out = stage.run(args);
    String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned()
}

/// A profile of functions that call nothing, by their names and costs.
fn flat(functions: impl IntoIterator<Item = (String, u64)>) -> String {
    let functions = functions
        .into_iter()
        .map(|(name, cost)| format!("fn={name}\n1 {cost}\n"));
    format!(
        "creator: by hand\nevents: Ir\nfl=a.c\n{}",
        functions.collect::<String>()
    )
}
