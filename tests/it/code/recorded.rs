//! Programs that are compiled and recorded here and now, where compilers and Valgrind are installed.

use crate::common::Stage;
use std::path::PathBuf;
use std::process::Command;

/// Whether a program can be run; if not, the test that needs it says so and passes. `TOOLS_REQUIRED` makes that a failure.
#[expect(clippy::print_stderr, reason = "what is not tried must be seen")]
pub fn has(program: &str) -> bool {
    let runs = Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success());
    if !runs {
        assert!(std::env::var_os("TOOLS_REQUIRED").is_none(), "{program} is required");
        eprintln!("not tried: {program} is not installed");
    }
    runs
}

pub const CPP: &str = include_str!("sort.cpp.txt");
pub const RUST: &str = include_str!("words.rs.txt");

/// Compiles a C++ program.
pub fn cpp(stage: &Stage, name: &str, text: &str, options: &[&str]) -> PathBuf {
    stage.write(&format!("{name}.cpp"), text);
    let source = format!("{name}.cpp");
    let args = [&[&source[..], "-o", name][..], options].concat();
    let out = stage.any("g++", &args).env("PATH", path()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    stage.dir.join(name)
}

/// Compiles a Rust program.
pub fn rust(stage: &Stage, name: &str, text: &str, options: &[&str]) -> PathBuf {
    stage.write(&format!("{name}.rs"), text);
    let source = format!("{name}.rs");
    let args = [&[&source[..], "-o", name][..], options].concat();
    // The compiler finds its toolchain below the home of whoever runs the tests.
    let out = Command::new("rustc").args(&args).current_dir(&stage.dir).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    stage.dir.join(name)
}

fn path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// Records a run of a program with instructions and jumps.
pub fn record(stage: &Stage, program: &str) -> PathBuf {
    let out = format!("{program}.out");
    let to = format!("--callgrind-out-file={out}");
    let run = format!("./{program}");
    let args = ["--tool=callgrind", "--dump-instr=yes", "--collect-jumps=yes", &to, &run];
    let ran = stage.any("valgrind", &args).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    stage.dir.join(out)
}
