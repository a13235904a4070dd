//! A profile in, every report out: nothing may panic, hang or eat memory, whatever the bytes.
//!
//! Each input is read through the library, in blocks of seven bytes or as usual, and then goes through one whole command
//! line; which one depends on the input, so that all meet inputs of all kinds.
#![no_main]

use cgannotate::cli::Cli;
use cgannotate::input::{self, Options};
use cgannotate::request::Request;
use clap::Parser;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Where the command lines find the input.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let shared = PathBuf::from("/dev/shm");
    let folder = if shared.is_dir() {
        shared
    } else {
        std::env::temp_dir()
    };
    folder.join(format!("cgannotate-fuzz.{}.out", std::process::id()))
});

const COMMANDS: [&[&str]; 30] = [
    &[],
    &[
        "-I../fixtures/shapes",
        "-I../fixtures/cxx",
        "--tree=both",
        "--inclusive=yes",
    ],
    &[
        "--auto=no",
        "--tree=both",
        "--inclusive=yes",
        "--threshold=100",
    ],
    &[
        "--auto=no",
        "--threshold=100",
        "--event=CEst = Ir + 10 L1m",
        "--sort=CEst:50,Ir:90",
    ],
    &["--auto=no", "--strict", "--show-percs=no", "--tree=caller"],
    &["--auto=no", "--split=part"],
    &["--format=json"],
    &["--format=json", "--inclusive=yes", "--threshold=50"],
    &[
        "--compat",
        "--auto=no",
        "--tree=both",
        "--inclusive=yes",
        "--threshold=100",
    ],
    &["--compat", "-I../fixtures/shapes", "-I../fixtures/parts"],
    &["--zoom=main", "--fold-recursion", "-I../fixtures/shapes"],
    &[
        "--auto=no",
        "--by=file",
        "--rows=5",
        "--min=1%",
        "--not-function=^m",
    ],
    &["--auto=no", "--by=class", "--function=a"],
    &[
        "diff",
        "--inclusive=yes",
        "../fixtures/toggle/phases.toggle.out",
    ],
    &[
        "diff",
        "--format=json",
        "--by=line",
        "../fixtures/cxx/inventory.out",
    ],
    &[
        "check",
        "--limit=total.Ir <= 1000",
        "--limit=incl.Ir(main) <= 10",
        "--report=json",
    ],
    &["merge"],
    &["convert", "--to=webgrind"],
    &["convert", "--to=folded", "--min=0"],
    &["convert", "--to=speedscope"],
    &["convert", "--to=dot", "--fold-recursion"],
    &["--zoom=.", "--depth=1000", "--auto=no", "--color=always"],
    &["--format=csv", "--by=line"],
    &["--format=markdown", "--by=object"],
    &["--format=json", "--split=run"],
    &["merge", "../fixtures/webgrind/utf8-x320-v7.webgrind"],
    &[
        "diff",
        "--by=line",
        "--auto=yes",
        "--mod-funcname=s/[0-9]+//g",
        "../fixtures/diff/server/server.old.out",
    ],
    &["--inlined", "--auto=yes", "--sources=listed"],
    &["pack", "--threshold=100", "-o", "/dev/null"],
    &[
        "check",
        "--limit=self.Ir(/./) <= +1%",
        "--report=junit",
        "--baseline=../fixtures/toggle/phases.toggle.out",
    ],
];

fuzz_target!(|data: &[u8]| {
    let block = if data.len() % 2 == 0 { 64 * 1024 } else { 7 };
    let _ = input::read_from(
        "fuzz",
        data,
        &Options {
            block,
            ..Options::all()
        },
    );

    std::fs::write(&*FILE, data).expect("the folder can be written");
    let file = FILE.to_str().expect("a plain name");
    let sum = data.iter().fold(0usize, |sum, &byte| {
        sum.wrapping_mul(31).wrapping_add(byte.into())
    });
    let args = ["cgannotate"]
        .iter()
        .chain(COMMANDS[sum % COMMANDS.len()])
        .chain([&file]);
    cgannotate::commands::run(Request::new(Cli::parse_from(args)));
});
