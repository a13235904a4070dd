//! Sources found where the original does not look, through the program. Where the places are is
//! said by the environment; `src/source/finder_tests.rs` has the rules one by one.

use crate::common::{LISTED, Stage};
use cgannotate::analysis::{Selection, Threshold};
use cgannotate::input::{Options, read_from};
use cgannotate::render::screen::ScreenWriter;
use cgannotate::render::text::{TextOptions, TextReport};
use cgannotate::source::missing;
use cgannotate::view::Surface;
use std::fs;
use std::process::{Command, Output};

const HEADING: &str = "-- Auto-annotated source: ";

/// A profile of one line of each file.
fn profile(files: &[&str]) -> String {
    let lines: String = files
        .iter()
        .map(|file| format!("fl={file}\nfn=of {file}\n1 100\n"))
        .collect();
    format!("version: 1\nevents: Ir\n{lines}")
}

/// The titles of the annotated files, in order of their names.
fn titles(report: &str) -> Vec<&str> {
    let mut titles: Vec<&str> = report
        .lines()
        .filter_map(|line| line.strip_prefix(HEADING))
        .collect();
    titles.sort_unstable();
    titles
}

fn text(out: &Output) -> (&str, &str) {
    assert_eq!(out.status.code(), Some(0));
    (
        std::str::from_utf8(&out.stdout).unwrap(),
        std::str::from_utf8(&out.stderr).unwrap(),
    )
}

/// A home with the sources of Rust's library and of crates, as many lines in each as any file of
/// theirs has.
fn homes(stage: &Stage, recorded: &str) {
    let rust = "rustup/toolchains/stable-x/lib/rustlib";
    stage.add(
        &format!("{rust}/multirust-channel-manifest.toml"),
        "[pkg.rustc]\nversion = \"1.95.0 (59807616e 2026-04-14)\"\n",
    );
    // A toolchain of another commit, which comes first by its name, must not be taken.
    let other = "rustup/toolchains/nightly-x/lib/rustlib";
    stage.add(
        &format!("{other}/multirust-channel-manifest.toml"),
        "[pkg.rustc]\nversion = \"1.97.0-nightly (e50aa6fba 2026-05-19)\"\n",
    );
    let names = recorded
        .lines()
        .filter_map(|line| line.split_once("=(").map_or(line.split_once('='), Some));
    let mut files = 0;
    for name in names
        .filter_map(|(_, rest)| rest.split_once(") "))
        .map(|(_, name)| name)
    {
        if let Some(tail) = name.strip_prefix("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/") {
            let tail = tail.replace("library/core/src/../../", "library/");
            stage.add(&format!("{rust}/src/rust/{tail}"), "\n".repeat(8000));
            stage.add(&format!("{other}/src/rust/{tail}"), "of another commit\n");
            files += 1;
        } else if let Some(tail) =
            name.strip_prefix("/home/ann/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/")
        {
            stage.add(
                &format!("cargo/registry/src/other.index/{tail}"),
                "\n".repeat(8000),
            );
            files += 1;
        }
    }
    assert!(files > 20, "only {files} sources");
}

fn at_home(stage: &Stage, command: &mut Command) -> Output {
    let home = |name: &str| stage.dir.join(name);
    command
        .env("RUSTUP_HOME", home("rustup"))
        .env("CARGO_HOME", home("cargo"))
        .output()
        .unwrap()
}

/// The promise to whoever profiles a Rust program: 95 % of the self cost that has a line stands
/// beside its source. The whole is added up from the profile's lines; the library and the crates
/// are a made-up home's, and the program's own source lies beside the profile. `main` calls `often`
/// mostly from its second line, but on the first `once` is dearer.
#[test]
fn calls_below_a_line_are_in_the_order_of_what_they_cost_there() {
    let stage = Stage::empty();
    stage.write("a.c", "x\ny\n").write(
        "p",
        "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 1\ncfn=often\ncalls=1 9\n1 10\ncfn=once\ncalls=1 9\n1 30\n2 1\n\
         cfn=often\ncalls=9 9\n2 90\nfn=often\n9 100\nfn=once\n9 30\n",
    );
    let report = stage.report(&[LISTED, "--show-percs=no", "p"]);
    let calls: Vec<&str> = report
        .lines()
        .filter(|line| line.contains(" => "))
        .map(str::trim)
        .collect();
    assert_eq!(
        calls,
        [
            "30  => a.c:once (1x)",
            "10  => a.c:often (1x)",
            "90  => a.c:often (9x)"
        ]
    );
}

/// Of a list that was narrowed, the sources are those of the functions in it, be they cheap, and no
/// others'.
#[test]
fn the_sources_of_listed_functions_are_annotated() {
    let stage = Stage::empty();
    let text = "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 5\nfi=inline.h\n3 1\nfe=a.c\nfi=calls.inc\ncfi=b.c\ncfn=work\n\
        calls=1 1\n2 90\nfl=b.c\nfn=work\n1 50\nfl=gone.c\nfn=lost\n1 40\nfl=c.c\nfn=small\n1 4\n";
    stage.write("p", text);
    for name in ["a.c", "b.c", "c.c", "inline.h", "calls.inc"] {
        stage.write(name, "1\n2\n3\n");
    }
    let titles_of = |args: &[&str]| -> (Vec<String>, bool) {
        let report = stage.report(&[&[LISTED], args, &["p"]].concat());
        let titles = report
            .lines()
            .filter_map(|line| line.strip_prefix(HEADING))
            .map(str::to_owned)
            .collect();
        (titles, report.contains("\n  gone.c"))
    };
    let main = || {
        vec![
            "a.c".to_owned(),
            "inline.h".to_owned(),
            "calls.inc".to_owned(),
        ]
    };
    assert_eq!(titles_of(&["-n1"]), (vec!["b.c".into()], false));
    assert!(titles_of(&["-n3"]).1, "lost is listed");
    assert_eq!(titles_of(&["--function=main"]), (main(), false));
    assert_eq!(titles_of(&["--inclusive=yes", "-n1"]), (main(), false));
    assert_eq!(
        titles_of(&["--min=5%", "--not-function=lost"]).0.len(),
        4,
        "main has 6 %"
    );
    // Files that are asked for are annotated whoever has code there.
    assert_eq!(titles_of(&["--file=inline"]).0, ["inline.h"]);
    let calls = stage.report(&[LISTED, "--function=main", "--show-percs=no", "p"]);
    let below = calls.split("source: calls.inc\n").nth(1).unwrap();
    assert!(
        below.contains(" .  2\n") && below.contains("90  => b.c:work (1x)\n"),
        "{below}"
    );
}

/// Lines can cost more than the program says it did: that is no percentage.
#[test]
fn what_is_annotated_is_not_held_at_all_of_it() {
    let stage = Stage::empty();
    let last = |totals: &str| {
        let text = format!("version: 1\nevents: Ir Dr\nfl=a.c\nfn=f\n1 150 10\ntotals: {totals}\n");
        stage.write("a.c", "1\n").write("p", text);
        let report = stage.report(&[LISTED, "p"]);
        let row = report
            .lines()
            .find(|line| line.ends_with(" events annotated"))
            .unwrap();
        row.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(last("200 20"), "150 (75.00%) 10 (50.00%) events annotated");
    assert_eq!(last("100 10"), "150 10 (100.0%) events annotated");
}

#[test]
fn a_rust_program_is_annotated_without_an_option() {
    let stage = Stage::of("cargo");
    let recorded = fs::read_to_string(stage.dir.join("tally.out")).unwrap();
    homes(&stage, &recorded);
    let profile = read_from("tally.out", recorded.as_bytes(), &Options::all()).unwrap();
    let with_line = profile
        .lines
        .iter()
        .filter(|line| line.line != 0 && profile.name(line.file) != b"???");
    let whole: i64 = with_line
        .map(|line| {
            profile
                .line_counts(line)
                .recorded()
                .flatten()
                .next()
                .unwrap_or(0)
        })
        .sum();
    assert!(whole > 11_000_000, "{whole}");

    let out = at_home(&stage, &mut stage.command(&["tally.out"]));
    let (report, _) = text(&out);
    let row = report
        .lines()
        .find(|line| line.ends_with(" events annotated"))
        .unwrap();
    let annotated: i64 = row
        .split_whitespace()
        .next()
        .unwrap()
        .replace(',', "")
        .parse()
        .unwrap();
    assert!(annotated * 100 >= whole * 95, "{annotated} of {whole}");

    let here = stage.dir.display();
    let titles = titles(report);
    let found = |name: &str| {
        titles.contains(&format!("{name} (found as {here}/{})", &name_here(name)).as_str())
    };
    assert!(found(
        "/home/ann/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hashbrown-0.17.1/src/raw.rs"
    ));
    assert!(found(
        "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/sort/unstable/quicksort.rs"
    ));
    assert!(
        titles.contains(&"/home/ann/tally/src/main.rs (found as src/main.rs)"),
        "{titles:?}"
    );
    assert!(!report.contains("of another commit"));
}

fn name_here(name: &str) -> String {
    match name.strip_prefix("/home/ann/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/") {
        Some(tail) => format!("cargo/registry/src/other.index/{tail}"),
        None => {
            let tail = name
                .strip_prefix("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/")
                .unwrap();
            format!("rustup/toolchains/stable-x/lib/rustlib/src/rust/{tail}")
        }
    }
}

/// The original looks for a name as it is, and below each `-I` folder, and so do these two.
#[test]
fn listed_and_compat_look_where_the_original_looks() {
    let stage = Stage::of("cargo");
    homes(
        &stage,
        &fs::read_to_string(stage.dir.join("tally.out")).unwrap(),
    );
    for mode in ["--sources=listed", "--compat"] {
        let out = at_home(
            &stage,
            &mut stage.command(&[mode, "--map", "/home/ann/tally=.", "-I", "src", "tally.out"]),
        );
        let (report, errors) = text(&out);
        assert_eq!(titles(report), Vec::<&str>::new(), "{mode}");
        assert!(
            report.contains("could not be found:\n")
                && report.contains("\n  /home/ann/tally/src/main.rs\n")
        );
        assert_eq!(errors, "", "{mode}");
    }
}

#[test]
fn maps_and_tails_say_what_they_found() {
    let stage = Stage::empty();
    stage
        .add("here/src/a.c", "a\n")
        .add("inc/deep/sub/b.c", "b\n")
        .add("inc/sub/c.c", "c\n");
    let names = ["/build/x/src/a.c", "/build/sub/b.c", "sub/c.c", "/gone/d.c"];
    stage.write("p.out", profile(&names));
    let out = stage.run(&[
        "-I",
        "inc/",
        "--map=/build=nowhere",
        "--map",
        "/build/x=here",
        "p.out",
    ]);
    let (report, errors) = text(&out);
    assert_eq!(
        titles(report),
        [
            "/build/sub/b.c (found as inc/deep/sub/b.c)",
            "/build/x/src/a.c (found as here/src/a.c)",
            "inc/ + sub/c.c"
        ]
    );
    assert!(report.contains("could not be found:\n") && report.contains("\n  /gone/d.c\n"));
    assert_eq!(errors, "");
}

#[test]
fn several_files_that_match_equally_are_named() {
    let stage = Stage::empty();
    stage
        .add("one/sub/a.c", "1\n")
        .add("two/sub/a.c", "2\n")
        .write("p.out", profile(&["/build/sub/a.c"]));
    let out = stage.run(&["-I.", "p.out"]);
    let (report, errors) = text(&out);
    assert!(report.contains("\n  /build/sub/a.c\n"), "{report}");
    assert_eq!(
        errors,
        "cgannotate: /build/sub/a.c: 2 files match equally: ./one/sub/a.c, ./two/sub/a.c\nhint: `--map OLD=NEW` chooses one\n"
    );
    let report = stage.report(&["-I.", "--map=/build=two", "p.out"]);
    assert_eq!(titles(&report), ["/build/sub/a.c (found as two/sub/a.c)"]);
}

/// Folders have names of any bytes; both sides of a map may.
#[cfg(target_os = "linux")]
#[test]
fn a_map_may_lead_to_a_folder_that_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let stage = Stage::empty();
    stage.write("p.out", b"events: Ir\nfl=/caf\xe9/a.c\nfn=f\n1 100\n");
    let folder = stage.dir.join(std::ffi::OsStr::from_bytes(b"h\xe9"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.c"), "found\n").unwrap();
    let map = std::ffi::OsStr::from_bytes(b"--map=/caf\xe9=h\xe9");
    let out = stage
        .command(&["--auto=yes", "p.out"])
        .arg(map)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && report.contains("100 (100.0%)  found\n"),
        "{report}"
    );
}

#[test]
fn a_map_needs_two_sides() {
    let stage = Stage::empty();
    let out = stage.run(&["--map", "/build", "p.out"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("OLD=NEW is needed")
    );
}

/// A FIFO that a name leads to is not opened: it would never end.
#[cfg(unix)]
#[test]
fn a_fifo_is_no_source() {
    let stage = Stage::empty();
    assert!(stage.any("mkfifo", &["a.c"]).status().unwrap().success());
    stage.write("p.out", profile(&["a.c", "/build/a.c"]));
    let report = stage.report(&["-I.", "p.out"]);
    assert_eq!(titles(&report), Vec::<&str>::new());
}

/// What is there and is no source is in the list of what could not be found, with what is wrong
/// with it.
#[cfg(target_os = "linux")]
#[test]
fn what_is_wrong_with_a_source_is_said() {
    let stage = Stage::empty();
    fs::File::create(stage.dir.join("large.c"))
        .unwrap()
        .set_len(270 << 20)
        .unwrap();
    stage.write("empty.c", "").write(
        "p.out",
        profile(&["large.c", "empty.c", "/proc/version", "nowhere.c"]),
    );
    let report = stage.report(&["--sources=listed", "p.out"]);
    assert_eq!(
        titles(&report),
        Vec::<&str>::new(),
        "a file of /proc has no end of its own"
    );
    for line in [
        "  large.c (too large: more than 256 MiB)",
        "  empty.c (its size is 0)",
        "  /proc/version (its size is 0)",
        "  nowhere.c",
    ] {
        assert!(report.lines().any(|one| one == line), "{line}\n{report}");
    }
    let named = stage.run(&["p.out", "large.c"]);
    assert_eq!(named.status.code(), Some(1));
    assert!(
        String::from_utf8(named.stderr)
            .unwrap()
            .ends_with(": too large: more than 256 MiB\n")
    );
}

/// What a terminal shows instead of a list of names; `src/source/missing.rs` has the remedies one
/// by one.
#[test]
fn missing_files_are_grouped_with_what_would_find_them() {
    let profile = read_from("p.out", profile(&["a.c"]).as_bytes(), &Options::all()).unwrap();
    let selection = Selection::new(&profile.events, &[], &[], &Threshold::whole(99)).unwrap();
    let options = TextOptions {
        selection: &selection,
        shares: cgannotate::view::figures::PercentColumns::All,
        missing: None,
        include: &[],
        user_files: &[],
        auto: true,
        surface: Surface::default(),
        knows_inlined: false,
        threads: 1,
    };
    let mut out = Vec::new();
    let mut report = TextReport::new(
        ScreenWriter::new(&mut out, Surface::default()),
        &profile.events,
        options,
    );
    let names = [
        "/rustc/5980/library/core/src/mem/mod.rs",
        "/rustc/5980/library/core/src/option.rs",
        "src/a.c",
    ];
    let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
    report
        .not_found_by_root(&missing::group(&names, &[]))
        .unwrap();
    report.finish().unwrap();
    let rule = crate::common::RULE;
    assert_eq!(
        String::from_utf8(out).unwrap(),
        format!(
            "{rule}\nThe following files chosen for auto-annotation could not be found:\n{rule}\n  \
             2 files below /rustc/5980, as library/core/src/mem/mod.rs\n      \
             `rustup component add rust-src`\n  \
             1 file: src/a.c\n      \
             `-I DIR`, the folder they are below\n\n"
        )
    );
}
