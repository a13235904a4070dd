//! Packs: what goes into them, that a report of one is the same where nothing of it is there, and
//! what is refused.

use crate::common::{Stage, assert_same, day, fixture, gzip};
use lzma_rust2::XzReader;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Output;

pub fn said(out: &Output) -> String {
    String::from_utf8(out.stderr.clone()).unwrap()
}

/// Packs what is in a folder; gives what was said.
fn pack(stage: &Stage, args: &[&str]) -> String {
    let out = stage.run(&[&["pack"], args].concat());
    assert!(out.status.success(), "{args:?}: {}", said(&out));
    said(&out)
}

/// The files of a pack with their contents, as an ordinary reader of tar files sees them.
pub fn files(pack: &Path) -> Vec<(String, Vec<u8>)> {
    let mut tar = Vec::new();
    XzReader::new(fs::File::open(pack).unwrap(), false)
        .read_to_end(&mut tar)
        .unwrap();
    let (mut all, mut at) = (Vec::new(), 0);
    while tar[at] != 0 {
        let text =
            |from: usize, to: usize| String::from_utf8(tar[at + from..at + to].to_vec()).unwrap();
        let size = usize::from_str_radix(text(124, 136).trim_end_matches('\0'), 8).unwrap();
        let name = text(0, 100).trim_end_matches('\0').to_owned();
        all.push((name, tar[at + 512..at + 512 + size].to_vec()));
        at += 512 + size.next_multiple_of(512);
    }
    assert_eq!(tar.len(), at + 1024);
    all
}

/// A tar file as any writer makes it.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in files {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
        header[136..148].copy_from_slice(b"00000000000\0");
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].copy_from_slice(b"        ");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(header);
        out.extend(*bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

fn entry(name: &str, bytes: &[u8]) -> Value {
    let hash: String = Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    json!({"entry": name, "size": bytes.len(), "sha256": hash})
}

const PROFILE: &[u8] = b"events: Ir\nfl=a.c\nfn=main\n1 7\n2 9\n";

/// A pack of the small profile, its manifest changed.
fn made(change: impl FnOnce(&mut Value), files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut profile = entry("profiles/1/a.out", PROFILE);
    profile["path"] = "a.out".into();
    let mut manifest = json!({
        "cgpack": 1, "creator": "a test", "folder": "", "profiles": [profile], "objects": [], "sources": [], "missing": [],
    });
    change(&mut manifest);
    let manifest = serde_json::to_vec(&manifest).unwrap();
    tar(&[&[("manifest.json", &manifest[..])], files].concat())
}

/// The questions that reports answer.
const REPORTS: [&[&str]; 12] = [
    &["--auto=yes"],
    &[
        "--auto=yes",
        "--tree=both",
        "--inclusive=yes",
        "--threshold=100",
    ],
    &["--zoom=main"],
    &["--by=line"],
    &["--by=file", "--own"],
    &["--own", "--auto=yes"],
    &["--format=json"],
    &["--format=csv"],
    &["--format=html"],
    &["--inlined", "--threshold=100"],
    &["--inlined", "--zoom=main"],
    &["--inlined", "--by=instr", "--format=json"],
];

/// What the program prints and says about a pack that is called the same everywhere.
pub fn told(
    stage: &Stage,
    folder: &str,
    args: &[&str],
    environment: &[(&str, &str)],
) -> (String, String) {
    let mut command = stage.command(args);
    command
        .current_dir(stage.dir.join(folder))
        .envs(environment.iter().copied());
    let out = command.output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", said(&out));
    (String::from_utf8(out.stdout.clone()).unwrap(), said(&out))
}

/// Compares all reports of a pack in the folder it was made in with those in a bare one, once what
/// it was made of is gone.
pub fn same_everywhere(stage: &Stage, here: &str, pack: &str, gone: &[&str]) {
    let with_old = ["diff", "--auto=yes", pack, pack];
    let converted = ["convert", "--to=folded", pack];
    let merged = ["merge", pack];
    let checked = ["check", "--limit=total.Ir <= 99G", pack];
    let others: [&[&str]; 4] = [&with_old, &converted, &merged, &checked];
    let asked = REPORTS
        .iter()
        .map(|args| [args, &[pack][..]].concat())
        .chain(others.map(<[&str]>::to_vec));
    let asked: Vec<Vec<&str>> = asked.collect();
    let before: Vec<_> = asked
        .iter()
        .map(|args| told(stage, here, args, &[]))
        .collect();
    fs::create_dir_all(stage.dir.join("bare/folder")).unwrap();
    fs::copy(
        stage.dir.join(here).join(pack),
        stage.dir.join("bare/folder").join(pack),
    )
    .unwrap();
    for path in gone {
        let path = stage.dir.join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
    }
    let bare = [
        ("PATH", "/nonexistent"),
        ("HOME", "/nowhere"),
        ("CARGO_HOME", "/nothing"),
        ("RUSTUP_HOME", "/nothing"),
    ];
    for (args, (report, messages)) in asked.iter().zip(&before) {
        let (again, messages_again) = told(stage, "bare/folder", args, &bare);
        assert_same(&format!("{args:?}"), report, &again);
        assert_same(
            &format!("{args:?}, standard error"),
            messages,
            &messages_again,
        );
    }
    assert!(
        before[0].0.contains("Auto-annotated source"),
        "{}",
        before[0].0
    );
}

/// A folder with a profile whose sources lie beside it and elsewhere.
fn stage() -> Stage {
    let stage = Stage::empty();
    let work = stage.dir.join("work");
    let here = work.to_str().unwrap();
    let text = format!(
        "creator: callgrind-3.19.0\npid: 7\ncmd: ./prog x\npart: 1\npositions: line\nevents: Ir\n\
         ob=/nowhere/prog\nfl={here}/src/main.c\nfn=main\n3 10\ncfi=/build/lib/list.c\ncfn=walk\ncalls=2 1\n4 900\n\
         fl=/build/lib/list.c\nfn=walk\n2 700\nfi=/nowhere/gone.h\n9 200\nfl=relative.c\nfn=rest\n1 50\ntotals: 960\n"
    );
    let source = |name: &str| {
        format!("int {name}(void) {{\n  line two of {name}\n  line three\n  line four\n}}\n")
    };
    stage
        .add("work/callgrind.out.7", text)
        .add("work/src/main.c", source("main"))
        .add("work/relative.c", source("rest"))
        .add("tree/lib/list.c", source("walk"));
    stage
        .date("work/callgrind.out.7", day(5))
        .date("work/src/main.c", day(2))
        .date("work/relative.c", day(2));
    stage.date("tree/lib/list.c", day(3));
    stage
}

/// Packs what [`stage`] has.
fn packed(stage: &Stage, more: &[&str]) -> String {
    let args = [
        "pack",
        "callgrind.out.7",
        "--map=/build=../tree",
        "-o",
        "run.cgpack",
        "--threshold=100",
    ];
    told(stage, "work", &[&args, more].concat(), &[]).1
}

#[test]
fn a_report_of_a_pack_is_the_same_where_nothing_of_it_is() {
    let stage = stage();
    packed(&stage, &[]);
    let alone = told(
        &stage,
        "work",
        &["--auto=yes", "--map=/build=../tree", "callgrind.out.7"],
        &[],
    )
    .0;
    let from_pack = told(&stage, "work", &["--auto=yes", "run.cgpack"], &[]).0;
    assert_same(
        "profile and pack",
        &alone,
        &from_pack.replace("run.cgpack/", ""),
    );
    assert!(
        from_pack.contains("Auto-annotated source: src/main.c\n"),
        "{from_pack}"
    );
    assert!(
        from_pack.contains("/build/lib/list.c (found as ../tree/lib/list.c)"),
        "{from_pack}"
    );
    same_everywhere(&stage, "work", "run.cgpack", &["work", "tree"]);
}

/// As [`a_report_of_a_pack_is_the_same_where_nothing_of_it_is`], with the original's numbers and a
/// named source.
#[test]
fn the_originals_report_of_a_pack_is_the_same_everywhere() {
    let stage = stage();
    packed(&stage, &[]);
    let args = ["--compat", "run.cgpack", "src/main.c"];
    let here = told(&stage, "work", &args, &[]).0;
    assert!(
        here.contains("-- User-annotated source: src/main.c\n"),
        "{here}"
    );
    assert!(
        here.contains("Profile data file 'run.cgpack/callgrind.out.7' (creator: callgrind-3.19.0)"),
        "{here}"
    );
    fs::create_dir(stage.dir.join("bare")).unwrap();
    fs::rename(
        stage.dir.join("work/run.cgpack"),
        stage.dir.join("bare/run.cgpack"),
    )
    .unwrap();
    fs::remove_dir_all(stage.dir.join("work")).unwrap();
    assert_same("elsewhere", &here, &told(&stage, "bare", &args, &[]).0);
}

/// What a pack does not have is not found by accident, but where the user says.
#[test]
fn what_is_not_in_a_pack_is_looked_for_only_where_the_user_says() {
    let stage = stage();
    packed(&stage, &["--exclude=relative"]);
    let ask = |more: &[&str]| {
        told(
            &stage,
            "work",
            &[&["--auto=yes", "--threshold=100", "run.cgpack"], more].concat(),
            &[],
        )
        .0
    };
    assert!(!ask(&[]).contains("line two of rest"), "{}", ask(&[]));
    assert!(ask(&["-I", "."]).contains("line two of rest"));
    assert!(ask(&["--map=/nowhere=../tree/lib"]).contains("line two of walk"));
    stage.add("elsewhere/lib/list.c", "int other;\n");
    let mapped = ask(&["--map=/build=../elsewhere"]);
    assert!(
        mapped.contains("found as ../elsewhere/lib/list.c") && !mapped.contains("line two of walk"),
        "{mapped}"
    );
}

#[test]
fn what_goes_in_is_listed_first() {
    let stage = stage();
    let list = packed(&stage, &["--dry-run"]);
    assert!(!stage.dir.join("work/run.cgpack").exists());
    let lines: Vec<&str> = list
        .lines()
        .map(|line| line.strip_prefix("cgannotate: ").unwrap())
        .collect();
    assert_eq!(
        lines[0],
        format!(
            "1 profile, {} bytes: callgrind.out.7",
            fs::metadata(stage.dir.join("work/callgrind.out.7"))
                .unwrap()
                .len()
        )
    );
    assert_eq!(
        lines[1..4],
        [
            "1 source, 63 bytes below .",
            "1 source, 63 bytes below ../tree/lib",
            "1 source, 63 bytes below src"
        ]
    );
    assert_eq!(
        lines[4],
        "omitted: 1 source: /nowhere/gone.h (no such file)"
    );
    // Nothing would be told of the program if it were here.
    assert!(
        lines[5].ends_with(" in /nowhere/prog: the profile has no addresses of its instructions"),
        "{list}"
    );
    let list = packed(&stage, &["--exclude=^/build", "--exclude=prog"]);
    assert!(
        list.contains("omitted: 2 sources: /build/lib/list.c (omitted by --exclude)"),
        "{list}"
    );
    let names: Vec<String> = files(&stage.dir.join("work/run.cgpack"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        [
            "manifest.json",
            "profiles/1/callgrind.out.7",
            "sources/1/main.c",
            "sources/2/relative.c"
        ]
    );
    let bytes = fs::metadata(stage.dir.join("work/run.cgpack"))
        .unwrap()
        .len();
    assert!(
        list.ends_with(&format!("run.cgpack: {bytes} bytes\n")),
        "{list}"
    );
}

#[test]
fn the_manifest_tells_what_is_there() {
    let stage = stage();
    packed(&stage, &[]);
    let files = files(&stage.dir.join("work/run.cgpack"));
    let manifest: Value = serde_json::from_slice(&files[0].1).unwrap();
    let original = fs::read(stage.dir.join("work/callgrind.out.7")).unwrap();
    assert_eq!(
        files[1],
        ("profiles/1/callgrind.out.7".to_owned(), original.clone())
    );
    let mut profile = entry("profiles/1/callgrind.out.7", &original);
    profile["path"] = "callgrind.out.7".into();
    profile["command"] = "./prog x".into();
    profile["modified"] = day(5)
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
        .into();
    assert_eq!(manifest["profiles"], json!([profile]));
    assert_eq!(manifest["cgpack"], 2);
    assert_eq!(
        manifest["folder"],
        format!("{}/", stage.dir.join("work").to_str().unwrap())
    );
    assert_eq!(
        manifest["missing"],
        json!([{"name": "/nowhere/gone.h", "why": "no such file"}])
    );
    assert_eq!(manifest["sources"][0]["name"], "/build/lib/list.c");
    assert_eq!(manifest["sources"][0]["found"], "../tree/lib/list.c");
    for source in manifest["sources"].as_array().unwrap() {
        let (_, bytes) = files
            .iter()
            .find(|(name, _)| *name == source["entry"])
            .unwrap();
        assert_eq!(source["sha256"], entry("", bytes)["sha256"]);
    }
    // The same contents give the same bytes.
    let first = fs::read(stage.dir.join("work/run.cgpack")).unwrap();
    packed(&stage, &[]);
    assert!(first == fs::read(stage.dir.join("work/run.cgpack")).unwrap());
}

/// A pack is a profile to `pack`, too: nothing of it is lost, and a second profile joins it.
#[test]
fn packs_are_packed_and_summed() {
    let stage = stage();
    packed(&stage, &[]);
    fs::remove_dir_all(stage.dir.join("tree")).unwrap();
    let report = |file: &str| {
        told(
            &stage,
            "work",
            &["--auto=yes", "--threshold=100", file],
            &[],
        )
        .0
    };
    told(
        &stage,
        "work",
        &[
            "pack",
            "run.cgpack",
            "-o",
            "again.cgpack",
            "--threshold=100",
        ],
        &[],
    );
    assert_same(
        "packed again",
        &report("run.cgpack"),
        &report("again.cgpack").replace("again", "run"),
    );
    told(
        &stage,
        "work",
        &[
            "pack",
            "run.cgpack",
            "callgrind.out.7",
            "-o",
            "both.cgpack",
            "--threshold=100",
        ],
        &[],
    );
    let both = report("both.cgpack");
    assert!(
        both.contains("1,920 (100.0%)  PROGRAM TOTALS") && both.contains("line two of walk"),
        "{both}"
    );
    let sum = told(
        &stage,
        "work",
        &[
            "--auto=yes",
            "--threshold=100",
            "run.cgpack",
            "again.cgpack",
        ],
        &[],
    )
    .0;
    assert!(
        sum.contains("1,920 (100.0%)  PROGRAM TOTALS") && sum.contains("line two of walk"),
        "{sum}"
    );
    let split = told(
        &stage,
        "work",
        &["--auto=yes", "--split=input", "both.cgpack"],
        &[],
    )
    .0;
    assert_eq!(
        split.matches("960 (100.0%)  PROGRAM TOTALS").count(),
        2,
        "{split}"
    );
    let out = stage
        .any(
            env!("CARGO_BIN_EXE_cgannotate"),
            &["--compat", "both.cgpack"],
        )
        .current_dir(stage.dir.join("work"))
        .output()
        .unwrap();
    assert!(
        said(&out).contains("both.cgpack: there are several profiles in the pack"),
        "{}",
        said(&out)
    );
}

/// A pack comes through a pipe as a profile does, in any compression.
#[test]
fn a_pack_is_read_from_standard_input() {
    let stage = stage();
    packed(&stage, &[]);
    let pack = stage.dir.join("work/run.cgpack");
    let mut plain = Vec::new();
    XzReader::new(fs::File::open(&pack).unwrap(), false)
        .read_to_end(&mut plain)
        .unwrap();
    let want = told(&stage, "work", &["--auto=yes", "run.cgpack"], &[])
        .0
        .replace("run.cgpack/", "-/");
    for bytes in [fs::read(&pack).unwrap(), plain] {
        stage.write("piped", bytes);
        let mut command = stage.command(&["--auto=yes", "-"]);
        let out = command
            .stdin(fs::File::open(stage.dir.join("piped")).unwrap())
            .output()
            .unwrap();
        assert_same(
            "standard input",
            &want,
            &String::from_utf8(out.stdout).unwrap(),
        );
    }
}

/// Other spellings of a name are other names for the same file, whose contents are there once.
#[test]
fn one_file_of_many_names_is_packed_once() {
    let stage = Stage::empty();
    stage
        .write("a.c", "the line\n")
        .write("b.c", "another\n")
        .write(
            "p",
            "events: Ir\nfl=./a.c\nfn=f\n1 5\nfl=a.c\nfn=g\n1 6\nfl=././a.c\nfn=h\n1 7\nfl=b.c\nfn=i\n1 8\n",
        );
    pack(&stage, &["p", "-o", "x.cgpack"]);
    let files = files(&stage.dir.join("x.cgpack"));
    let lines: Vec<&[u8]> = files[2..].iter().map(|(_, bytes)| &bytes[..]).collect();
    assert_eq!(lines, [b"the line\n" as &[u8], b"another\n"]);
    for name in ["a.c", "b.c"] {
        fs::remove_file(stage.dir.join(name)).unwrap();
    }
    let report = stage.report(&["--auto=yes", "x.cgpack"]);
    assert_eq!(report.matches("the line").count(), 3, "{report}");
    assert_eq!(report.matches("another").count(), 1, "{report}");
}

#[test]
fn names_need_not_be_text() {
    let stage = Stage::empty();
    stage
        .write("p", b"events: Ir\nfl=odd\xff.c\nfn=f\n1 5\n")
        .write("made", made(|_| {}, &[("profiles/1/a.out", PROFILE)]));
    use std::os::unix::ffi::OsStrExt;
    fs::write(
        stage.dir.join(std::ffi::OsStr::from_bytes(b"odd\xff.c")),
        "the line\n",
    )
    .unwrap();
    pack(&stage, &["p", "-o", "x.cgpack"]);
    fs::remove_file(stage.dir.join(std::ffi::OsStr::from_bytes(b"odd\xff.c"))).unwrap();
    let out = stage.run(&["--auto=yes", "x.cgpack"]);
    assert!(
        String::from_utf8_lossy(&out.stdout).contains("the line"),
        "{}",
        said(&out)
    );
    assert!(
        stage
            .report(&["made"])
            .contains("16 (100.0%)  PROGRAM TOTALS")
    );
}

/// Every way in which a pack can lie. Nothing is written, and one line tells the file and what was
/// wrong.
#[test]
fn hostile_packs_are_refused() {
    let stage = Stage::empty();
    let source = |name: &'static str, file: &'static str, bytes: &'static [u8]| {
        let mut source = entry(file, bytes);
        source["name"] = name.into();
        source
    };
    let profile: (&str, &[u8]) = ("profiles/1/a.out", PROFILE);
    let twice = |manifest: &mut Value| {
        manifest["sources"] = json!([source("a.c", "s", b"x"), source("a.c", "t", b"x")])
    };
    let chained = |manifest: &mut Value| {
        manifest["objects"] = json!([{"name": "prog", "state": "used", "inlined": entry("o", b"{\"chains\":[[0,0,0,0]]}")}]);
    };
    let mut inner = gzip(PROFILE);
    let compressed = inner.clone();
    let nested = made(|_| {}, &[profile]);
    let listed = |bytes: &[u8]| {
        let mut listed = entry("profiles/1/a.out", bytes);
        listed["path"] = "a.out".into();
        listed
    };
    let large = {
        let mut tar = made(|_| {}, &[profile]);
        let at = tar.len() - 1024 - 1024;
        tar[at + 124..at + 135].copy_from_slice(b"77777777777");
        tar
    };
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        (
            "another version",
            made(|m| m["cgpack"] = 9.into(), &[profile]),
            "manifest.json: version 9 of packs is not known; versions up to 2 are",
        ),
        (
            "no profile",
            made(|m| m["profiles"] = json!([]), &[]),
            "it has no profile",
        ),
        (
            "not there",
            made(|_| {}, &[]),
            "manifest.json lists `profiles/1/a.out`, which the pack does not have",
        ),
        (
            "not listed",
            made(|_| {}, &[profile, ("../../etc/cron.d/x", b"x")]),
            "manifest.json does not list `../../etc/cron.d/x`, or the pack has it twice",
        ),
        (
            "absolute",
            made(|_| {}, &[profile, ("/etc/passwd", b"x")]),
            "manifest.json does not list `/etc/passwd`, or the pack has it twice",
        ),
        (
            "twice in the tar",
            made(|_| {}, &[profile, profile]),
            "manifest.json does not list `profiles/1/a.out`, or the pack has it twice",
        ),
        (
            "twice in the manifest",
            made(
                |m| m["profiles"] = json!([m["profiles"][0], m["profiles"][0]]),
                &[profile],
            ),
            "manifest.json has `profiles/1/a.out` twice",
        ),
        (
            "a source twice",
            made(twice, &[profile, ("s", b"x"), ("t", b"x")]),
            "manifest.json has a source twice",
        ),
        (
            "one file with two contents",
            made(
                |m| {
                    let other = entry("s", b"y");
                    m["sources"] = json!([source("a.c", "s", b"x"), source("b.c", "s", b"x")]);
                    m["sources"][1]["sha256"] = other["sha256"].clone();
                },
                &[profile, ("s", b"x")],
            ),
            "the content of `s` does not match manifest.json",
        ),
        (
            "other contents",
            made(|_| {}, &[("profiles/1/a.out", b"events: Ir\nfn=f\n1 1\n")]),
            "the content of `profiles/1/a.out` does not match manifest.json",
        ),
        (
            "a chain around itself",
            made(chained, &[profile, ("o", b"{\"chains\":[[0,0,0,0]]}")]),
            "object 1: a chain contains itself",
        ),
        (
            "a state that is none",
            made(
                |m| m["objects"] = json!([{"name": "p", "state": "??"}]),
                &[profile],
            ),
            "object 1: `??` is not a valid state",
        ),
        (
            "no JSON",
            tar(&[("manifest.json", b"{"), profile]),
            "manifest.json: EOF while parsing an object at line 1 column 1",
        ),
        (
            "cut",
            made(|_| {}, &[profile])[..1700].to_vec(),
            "it is truncated",
        ),
        (
            "more behind",
            [made(|_| {}, &[profile]), b"x".to_vec()].concat(),
            "something follows its end",
        ),
        (
            "a header that lies",
            large,
            "a header of an entry is damaged",
        ),
    ];
    for (what, bytes, why) in cases {
        for bytes in [gzip(&bytes), bytes] {
            stage.write("x.cgpack", bytes);
            // What is known of the code is looked at by whoever asks for it.
            let out = stage.run(&["--inlined", "x.cgpack"]);
            assert_eq!(out.status.code(), Some(1), "{what}: {}", said(&out));
            assert_eq!(
                said(&out),
                format!("cgannotate: x.cgpack: the pack is damaged: {why}\n"),
                "{what}"
            );
            assert!(out.stdout.is_empty(), "{what}");
        }
    }
    inner.truncate(inner.len() - 4);
    for (bytes, why) in [
        (
            made(
                |m| m["profiles"] = json!([listed(&compressed)]),
                &[("profiles/1/a.out", &compressed)],
            ),
            "x.cgpack/a.out: profiles in a pack must not be compressed or packed again",
        ),
        (
            made(
                |m| m["profiles"] = json!([listed(&nested)]),
                &[("profiles/1/a.out", &nested)],
            ),
            "x.cgpack/a.out: profiles in a pack must not be compressed or packed again",
        ),
        (
            made(
                |m| m["profiles"] = json!([listed(b"x")]),
                &[("profiles/1/a.out", b"x")],
            ),
            "x.cgpack/a.out: this is not a profile",
        ),
        (
            made(
                |m| m["profiles"][0]["path"] = "../..".into(),
                &[("profiles/1/a.out", b"events: Ir\nfn=f\n1 1 1 1\n")],
            ),
            "x.cgpack/profile:3: 3 counts, but `events:` names 1",
        ),
    ] {
        stage.write("x.cgpack", bytes);
        let out = stage.run(&["x.cgpack"]);
        assert_eq!(
            (out.status.code(), said(&out)),
            (Some(1), format!("cgannotate: {why}\n"))
        );
    }
    let names: Vec<_> = fs::read_dir(&stage.dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["x.cgpack"]);
}

/// A bomb is refused by its ratio before it is unpacked, wherever in the pack it is.
#[test]
fn a_bomb_in_a_pack_is_refused() {
    let stage = Stage::empty();
    let bomb = vec![b'x'; 20 << 20];
    let source = |manifest: &mut Value| {
        let mut source = entry("s", &bomb);
        source["name"] = "a.c".into();
        manifest["sources"] = json!([source]);
    };
    let profile: (&str, &[u8]) = ("profiles/1/a.out", PROFILE);
    for tar in [
        made(source, &[profile, ("s", &bomb)]),
        made(
            |manifest| manifest["creator"] = String::from_utf8(bomb.clone()).unwrap().into(),
            &[profile],
        ),
        [made(|_| {}, &[profile]), vec![0; 20 << 20]].concat(),
    ] {
        stage.write("bomb.cgpack", gzip(&tar));
        let out = stage.run(&["bomb.cgpack"]);
        assert_eq!(out.status.code(), Some(1), "{}", said(&out));
        assert!(
            said(&out).contains("it expands to more than"),
            "{}",
            said(&out)
        );
        let options = cgannotate::input::Options {
            max_ratio: None,
            ..cgannotate::input::Options::all()
        };
        assert!(cgannotate::input::read(&[stage.dir.join("bomb.cgpack")], &options).is_ok());
    }
}

/// Every byte of a pack is flipped: it is read as it was, or refused in a line.
#[test]
fn a_damaged_pack_is_never_taken_for_a_whole_one() {
    let stage = Stage::empty();
    stage.write("a.c", "one\ntwo\n").write("a.out", PROFILE);
    pack(&stage, &["a.out", "-o", "x.cgpack"]);
    let mut plain = Vec::new();
    XzReader::new(fs::File::open(stage.dir.join("x.cgpack")).unwrap(), false)
        .read_to_end(&mut plain)
        .unwrap();
    let want = stage.report(&["--auto=yes", "x.cgpack"]);
    // Of the manifest a word can be another one; the rest is held by sums.
    for at in (0..plain.len()).step_by(97) {
        let mut bytes = plain.clone();
        bytes[at] ^= 0x20;
        stage.write("x.cgpack", &bytes);
        let out = stage.run(&["--auto=yes", "x.cgpack"]);
        match out.status.code() {
            Some(0) if (512..2048).contains(&at) => {}
            Some(0) => assert_same(
                &format!("byte {at}"),
                &want,
                &String::from_utf8_lossy(&out.stdout),
            ),
            code => assert!(
                code == Some(1) && said(&out).replace("\nhint: ", " ").lines().count() == 1,
                "byte {at}: {}",
                said(&out)
            ),
        }
    }
}

#[test]
fn what_cannot_be_packed_is_told() {
    let stage = Stage::empty();
    stage.write("a.out", PROFILE);
    for (args, why, status) in [
        (
            &["-", "-o", "x"][..],
            "`-`: a pack can only be made of files, because they are read twice",
            2,
        ),
        (
            &["a.out", "--fold-recursion", "-o", "x"],
            "--fold-recursion, --contexts and --event are for reports, not for packing",
            2,
        ),
        (
            &["nothing", "-o", "x"],
            "nothing: No such file or directory (os error 2)",
            1,
        ),
        (
            &["a.out", "-o", "no/x"],
            "no/x: cannot be written: No such file or directory (os error 2)",
            1,
        ),
    ] {
        let out = stage.run(&[&["pack"], args].concat());
        assert_eq!(out.status.code(), Some(status), "{}", said(&out));
        assert!(
            said(&out).ends_with(&format!("cgannotate: {why}\n")),
            "{args:?}: {}",
            said(&out)
        );
    }
    assert!(!stage.dir.join("x").exists());
}

/// The packs in `fixtures/` are of version 1.
#[test]
fn packs_of_an_earlier_day_are_read() {
    let stage = Stage::empty();
    for file in ["pack/tiny.cgpack", "pack/tiny.tar"] {
        let report = stage.report(&["--auto=yes", "--threshold=100", &fixture(file)]);
        for text in [
            "364 (100.0%)  PROGRAM TOTALS",
            "359 (98.63%)  /src/tiny/tiny.c:work [/opt/tiny/tiny]",
            "-- Auto-annotated source: /src/tiny/tiny.c (found as ./tiny.c)",
            "232 (63.74%)      sum += square(i) % 7;",
        ] {
            assert!(report.contains(text), "{text}: {report}");
        }
    }
}

#[cfg(feature = "object")]
#[test]
fn inlined_functions_of_an_earlier_day_are_read() {
    let report = Stage::empty().report(&["--inlined", "--auto=yes", &fixture("pack/tiny.cgpack")]);
    for text in [
        "353 (96.98%)       1  /src/tiny/tiny.c:weighed (inlined)",
        " 46 (12.64%)  ~> square\n",
    ] {
        assert!(report.contains(text), "{text}: {report}");
    }
}

/// Packs of version 1 know what is inlined for a part of the cost, and reports say for how much.
#[cfg(feature = "object")]
#[test]
fn how_much_of_the_code_an_old_pack_tells_is_said() {
    let stage = Stage::empty();
    let profile =
        b"positions: instr line\nevents: Ir\nob=p\nfl=a.c\nfn=main\n0x10 1 70\n0x20 2 30\n";
    let known =
        br#"{"files":["a.c"],"functions":[["small","",0]],"chains":[[1,0,0,1]],"runs":[[16,0,1]]}"#;
    let mut inner = entry("profiles/1/a.out", profile);
    inner["path"] = "a.out".into();
    let change = |manifest: &mut Value| {
        manifest["profiles"] = json!([inner]);
        manifest["objects"] = json!([{"name": "p", "state": "used", "inlined": entry("o", known)}]);
    };
    stage.write(
        "old.cgpack",
        made(change, &[("profiles/1/a.out", profile), ("o", known)]),
    );
    let report = stage.json(&["--inlined", "old.cgpack"]);
    assert_eq!(
        report["debug"][0]["why"],
        "inlined functions are known for 70.0 % of its cost"
    );
    assert_eq!(report["inlined"][1]["chain"][0]["name"], "small");
    assert_eq!(
        (&report["inlined"][0]["self"], &report["inlined"][1]["self"]),
        (&json!([30]), &json!([70]))
    );
}

/// A pack can say that 2^61 instructions had no cost: they are not listed, and the rest of the
/// report is there.
#[cfg(feature = "object")]
#[test]
fn instructions_that_a_pack_only_counts_are_no_sizes() {
    let stage = Stage::empty();
    let profile = b"positions: instr line\nevents: Ir\nob=p\nfl=a.c\nfn=main\n0x1000 1 70\n";
    let known = br#"{"bits":64,"symbols":[[4096,4611686018427387904]],
        "pieces":[[2305843009213698048,2305843009213693952,0,0]]}"#;
    let mut inner = entry("profiles/1/a.out", profile);
    inner["path"] = "a.out".into();
    let change = |manifest: &mut Value| {
        manifest["profiles"] = json!([inner]);
        manifest["objects"] = json!([{"name": "p", "state": "used", "inlined": entry("o", known)}]);
    };
    let pack = made(change, &[("profiles/1/a.out", profile), ("o", known)]);
    stage.write("p.cgpack", pack);
    let out = stage.run(&["--zoom=main", "--asm", "p.cgpack"]);
    let report = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
    assert_eq!(out.status.code(), Some(0), "{report}");
    assert!(
        report.contains("p: skipped: reading it would take more"),
        "{report}"
    );
}

/// Any profile can be packed, and is the same profile in the pack.
#[test]
fn every_fixture_can_be_packed() {
    let stage = Stage::empty();
    for name in crate::common::profiles().iter().step_by(5) {
        let file = fixture(name);
        let base = file.rsplit('/').next().unwrap();
        let plain = stage.run(&["--format=json", &file]);
        let out = stage.run(&["pack", &file, "-o", "x.cgpack"]);
        assert_eq!(
            out.status.code(),
            plain.status.code(),
            "{name}: {}",
            said(&out)
        );
        let again = stage.run(&["--format=json", "x.cgpack"]);
        let text = String::from_utf8(again.stdout).unwrap();
        let want = String::from_utf8(plain.stdout).unwrap();
        assert_same(
            name,
            &want.replace(&file, "FILE"),
            &text.replace(&format!("x.cgpack/{base}"), "FILE"),
        );
    }
}

/// `b.c` has only a call, which has no share of the first event.
#[test]
fn all_that_was_hit_is_all() {
    let stage = Stage::empty();
    stage.write("a.c", "1\n2\n3\n4\n5\n").write("b.c", "1\n2\n3\n").write(
        "p.out",
        "version: 1\nevents: Ir Dr\n\nfl=a.c\nfn=main\n1 10000 10\nfn=h\n5 0 5\nfl=b.c\nfn=f\ncfi=a.c\ncfn=h\n\
         calls=1 5\n3 0 5\n",
    );
    assert!(pack(&stage, &["p.out", "-o", "dear"]).contains("omitted: 1 source with little cost"));
    let said = pack(&stage, &["--threshold=100", "p.out", "-o", "all"]);
    assert!(
        said.contains("2 sources, ") && !said.contains("omitted"),
        "{said}"
    );
}
