//! Programs that are compiled and recorded here and now, where compilers and Valgrind are
//! installed.

use crate::common::Stage;
use crate::common::needed::{Required, found, succeeds};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Whether a program can be run; if not, the test that needs it says so and passes.
/// `TOOLS_REQUIRED` makes that a failure.
pub fn has(program: &str) -> bool {
    let missing = format!("{program} is not installed, so what needs it was not tried");
    found(succeeds(program, &["--version"]), Required::Tools, &missing)
}

pub const CPP: &str = include_str!("sort.cpp.txt");
pub const RUST: &str = include_str!("words.rs.txt");
/// All that `main` does is inlined into it: foreign templates on lines 7, 10 and 11, with a closure
/// and a function of its own.
pub const FLAT: &str = include_str!("flat.cpp.txt");

/// How [`sort`] is compiled.
pub const PLAIN: [&str; 4] = ["-g", "-O2", "-gdwarf-5", "-Wl,--build-id=sha1"];
/// How a program of [`FLAT`] is.
pub const FLAT_OPTIONS: [&str; 3] = ["-g", "-O2", "-fno-tree-vectorize"];

/// A program that was recorded once for all tests.
struct Recorded {
    folder: String,
    source: (&'static str, &'static str),
    binary: Vec<u8>,
    profile: String,
}

impl Recorded {
    fn new(
        name: &str,
        source: (&'static str, &'static str),
        compile: impl FnOnce(&Stage) -> PathBuf,
    ) -> Recorded {
        let make = || {
            let stage = Stage::empty();
            let binary = std::fs::read(compile(&stage)).unwrap();
            let profile = std::fs::read_to_string(record(&stage, name)).unwrap();
            Recorded {
                folder: stage.dir.to_str().unwrap().to_owned(),
                source,
                binary,
                profile,
            }
        };
        match std::env::var("NEXTEST_RUN_ID") {
            Ok(run) => Recorded::of_run(&run, name, source, make),
            Err(_) => make(),
        }
    }

    /// What another process of the same run has made, or what this one makes for them:
    /// `cargo nextest` gives each test a process. Nothing is taken from an earlier run, before
    /// which compilers and libraries may have been others.
    fn of_run(
        run: &str,
        name: &str,
        source: (&'static str, &'static str),
        make: impl FnOnce() -> Recorded,
    ) -> Recorded {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded");
        std::fs::create_dir_all(&kept).unwrap();
        let [binary, profile] = ["binary", "out"].map(|what| kept.join(format!("{name}.{what}")));
        // Says which run made the two, and in which folder, and is locked meanwhile.
        let path = kept.join(format!("{name}.made"));
        let mut made = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .unwrap();
        made.lock().unwrap();
        let mut said = String::new();
        made.read_to_string(&mut said).unwrap();
        if let Some((_, folder)) = said.split_once('\n').filter(|(of, _)| *of == run) {
            let (binary, profile) = (
                std::fs::read(binary).unwrap(),
                std::fs::read_to_string(profile).unwrap(),
            );
            return Recorded {
                folder: folder.to_owned(),
                source,
                binary,
                profile,
            };
        }
        made.set_len(0).unwrap();
        made.rewind().unwrap();
        let recorded = make();
        std::fs::write(binary, &recorded.binary).unwrap();
        std::fs::write(profile, &recorded.profile).unwrap();
        write!(made, "{run}\n{}", recorded.folder).unwrap();
        recorded
    }

    /// Puts source, program and profile into a folder, as if they were made there.
    fn put(&self, stage: &Stage, name: &str) -> PathBuf {
        stage
            .write(self.source.0, self.source.1)
            .write(name, &self.binary);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(stage.dir.join(name), PermissionsExt::from_mode(0o755))
                .unwrap();
        }
        let out = format!("{name}.out");
        stage.write(
            &out,
            self.profile
                .replace(&self.folder, stage.dir.to_str().unwrap()),
        );
        stage.dir.join(out)
    }
}

/// `sort`, a program of C++, and its profile `sort.out`.
pub fn sort(stage: &Stage) -> PathBuf {
    static ONCE: OnceLock<Recorded> = OnceLock::new();
    let new = || {
        Recorded::new("sort", ("sort.cpp", CPP), |stage| {
            cpp(stage, "sort", CPP, &PLAIN)
        })
    };
    ONCE.get_or_init(new).put(stage, "sort")
}

/// `words`, a program of Rust, and its profile `words.out`.
pub fn words(stage: &Stage) -> PathBuf {
    static ONCE: OnceLock<Recorded> = OnceLock::new();
    let new = || {
        Recorded::new("words", ("words.rs", RUST), |stage| {
            rust(stage, "words", RUST, &["-g", "-O"])
        })
    };
    ONCE.get_or_init(new).put(stage, "words")
}

/// `flat`, a small program of C++, and its profile `flat.out`.
pub fn flat(stage: &Stage) -> PathBuf {
    static ONCE: OnceLock<Recorded> = OnceLock::new();
    let new = || {
        Recorded::new("flat", ("flat.cpp", FLAT), |stage| {
            cpp(stage, "flat", FLAT, &FLAT_OPTIONS)
        })
    };
    ONCE.get_or_init(new).put(stage, "flat")
}

/// Writes a copy of a profile whose libraries are nowhere: their debug information is large, and
/// says nothing of the program.
pub fn alone(stage: &Stage, profile: &str, to: &str) {
    let text = std::fs::read_to_string(stage.dir.join(profile)).unwrap();
    let here = stage.dir.to_str().unwrap();
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let names_object = line.starts_with("ob=") || line.starts_with("cob=");
        match line
            .split_once(" /")
            .filter(|_| names_object && !line.contains(here))
        {
            Some((before, path)) => out += &format!("{before} /lib/nowhere/{path}"),
            None => out += line,
        }
    }
    assert_ne!(out, text);
    stage.write(to, out);
}

/// A folder with `flat` and its profile, whose libraries are nowhere; nothing without the programs
/// that make them.
pub fn flat_alone() -> Option<Stage> {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return None;
    }
    let stage = Stage::empty();
    flat(&stage);
    alone(&stage, "flat.out", "flat.out");
    Some(stage)
}

/// Compiles a C++ program.
pub fn cpp(stage: &Stage, name: &str, text: &str, options: &[&str]) -> PathBuf {
    stage.write(&format!("{name}.cpp"), text);
    let source = format!("{name}.cpp");
    let args = [&[&source[..], "-o", name][..], options].concat();
    let out = stage
        .any("g++", &args)
        .env("PATH", path())
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    stage.dir.join(name)
}

/// Compiles a Rust program.
pub fn rust(stage: &Stage, name: &str, text: &str, options: &[&str]) -> PathBuf {
    stage.write(&format!("{name}.rs"), text);
    let source = format!("{name}.rs");
    let args = [&[&source[..], "-o", name][..], options].concat();
    // The compiler finds its toolchain below the home of whoever runs the tests.
    let out = Command::new("rustc")
        .args(&args)
        .current_dir(&stage.dir)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
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
    let args = [
        "--tool=callgrind",
        "--dump-instr=yes",
        "--collect-jumps=yes",
        &to,
        &run,
    ];
    let ran = stage.any("valgrind", &args).output().unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    stage.dir.join(out)
}
