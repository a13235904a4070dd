//! Inputs of every kind: compressed, streamed, cut, damaged, and what is no file at all. The same
//! profile must give the same report however it comes; what came through of a cut one must give the
//! report of just those lines.

use crate::common::amount::{at_least, some, ways};
use crate::common::{Stage, fixtures, gzip};
use cgannotate::input::{self, Options};
use cgannotate::profile::{Calls, Collect, Event, Lines};
use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs;
use std::io::{self, Read, Write};
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// 457,867 instructions, says its `summary:`; the original's report has that as its total.
const PROFILE: &str = "shapes/shapes.plain.out";
/// Larger than one block of zstd.
const LARGE: &str = "shapes/shapes.cachebranch.out";

type Pack = fn(&[u8]) -> Vec<u8>;
const CODECS: [(&str, Pack); 3] = [("gzip", gzip), ("zstd", zstd), ("xz", xz)];

fn fixture(name: &str) -> Vec<u8> {
    fs::read(fixtures().join(name)).unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut out = XzWriter::new(Vec::new(), XzOptions::with_preset(3)).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Two members, the cut between them in the middle of a line.
fn two(pack: Pack, bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    assert_ne!(first.last(), Some(&b'\n'));
    [pack(first), pack(second)].concat()
}

/// A frame of zstd that holds no data.
fn skippable() -> Vec<u8> {
    [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat()
}

/// Every way to write down the same bytes.
fn forms(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut forms = vec![("plain".to_owned(), bytes.to_vec())];
    for (name, pack) in CODECS {
        forms.push((name.to_owned(), pack(bytes)));
        forms.push((format!("{name}, two members"), two(pack, bytes)));
        forms.push((
            format!("{name}, an empty member first"),
            [pack(b""), pack(bytes)].concat(),
        ));
        forms.push((
            format!("{name}, padded"),
            [pack(bytes), vec![0; 1024]].concat(),
        ));
    }
    forms.push((
        "zstd, skippable frames".to_owned(),
        [skippable(), zstd(bytes), skippable()].concat(),
    ));
    let (first, second) = bytes.split_at(1000);
    forms.push((
        "xz behind gzip".to_owned(),
        [gzip(first), xz(second)].concat(),
    ));
    forms
}

/// Runs the program with bytes on its standard input, which is a pipe.
fn piped(stage: &Stage, args: &[&str], bytes: &[u8]) -> Output {
    let mut child = stage
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.as_mut().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that has seen enough closes the pipe.
            let _ = pipe.write_all(bytes);
        });
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        child
            .stdout
            .take()
            .unwrap()
            .read_to_end(&mut stdout)
            .unwrap();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_end(&mut stderr)
            .unwrap();
        Output {
            status: child.wait().unwrap(),
            stdout,
            stderr,
        }
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A frame without data after the profile lacks its last byte: the profile is whole, and the file is not.
#[test]
fn a_frame_without_data_can_be_truncated_too() {
    let bytes = fixture(PROFILE);
    let stage = Stage::empty();
    let (whole, frame) = (zstd(&bytes), skippable());
    stage.write("whole", [&whole[..], &frame].concat()).write(
        "truncated",
        [&whole[..], &frame[..frame.len() - 1]].concat(),
    );
    assert_eq!(stage.run(&["whole"]).status.code(), Some(0));
    let out = stage.run(&["truncated"]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    assert!(
        text(&out.stderr).contains("truncated"),
        "{}",
        text(&out.stderr)
    );
    let total = "\n457,867 (100.0%)  PROGRAM TOTALS\n";
    assert!(text(&out.stdout).contains(total), "{}", text(&out.stdout));
}

#[test]
fn every_form_gives_the_same_report() {
    let bytes = fixture(PROFILE);
    let plain = Stage::empty();
    plain.write("p", &bytes);
    let want = plain.report(&["p"]);
    assert!(
        want.contains("\n457,867 (100.0%)  PROGRAM TOTALS\n"),
        "{want}"
    );
    for (at, (form, packed)) in forms(&bytes).into_iter().enumerate() {
        let stage = Stage::empty();
        stage.write("p", &packed);
        for name in ways(at, &["p", "-"]) {
            let out = piped(&stage, &[name], if name == "-" { &packed } else { b"" });
            assert_eq!(
                text(&out.stdout),
                want.replace("'p'", &format!("'{name}'")),
                "{form}, {name}"
            );
            assert_eq!(
                (out.status.code(), text(&out.stderr)),
                (Some(0), String::new()),
                "{form}, {name}"
            );
        }
    }
}

/// As cg_annotate reads it: a function ends with its file, and what comes before the next is of
/// none.
#[test]
fn a_file_ends_a_function_of_cachegrinds() {
    let stage = Stage::empty();
    let text = "cmd: p\nevents: Ir\nfl=a.c\n1 1\nfn=f\n2 10\nfl=b.c\n3 100\nfl=c.c\nfn=g\n4 1000\nfi=d.c\n5 10000\n\
        summary: 11111\n";
    let csv = |text: &str| {
        let text = stage.write("p", text).report(&["--format=csv", "p"]);
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            [&cells[..1], &cells[4..]].concat().join(",") + "\n"
        };
        text.lines().map(row).collect::<String>()
    };
    let want = [
        "Ir,function,file,object",
        "11000,g,c.c,",
        "100,<unspecified>,b.c,",
        "10,f,a.c,",
        "1,<unspecified>,a.c,",
    ];
    assert_eq!(csv(text).lines().collect::<Vec<_>>(), want);
    // In Callgrind's it names where code stands that was inlined.
    let csv = csv(&text
        .replace("cmd:", "creator: callgrind-3.19.0\ncmd:")
        .replace("a.c\n1 1\n", "a.c\n"));
    assert_eq!(
        csv.lines().collect::<Vec<_>>(),
        ["Ir,function,file,object", "11000,g,c.c,", "110,f,a.c,"]
    );
}

#[test]
fn names_do_not_matter() {
    let bytes = fixture(PROFILE);
    let stage = Stage::empty();
    stage
        .write("a.xz", &bytes)
        .write("b.gz", zstd(&bytes))
        .write("c.zst", xz(&bytes))
        .write("d.txt", gzip(&bytes));
    let want = stage.report(&["a.xz"]);
    for name in ["b.gz", "c.zst", "d.txt"] {
        assert_eq!(stage.report(&[name]).replace(name, "a.xz"), want, "{name}");
    }
    // Four times the summary, all of them being profiles by their content.
    let sum = stage.report(&["a.xz", "b.gz", "c.zst", "d.txt"]);
    assert!(
        sum.contains("\n1,831,468 (100.0%)  PROGRAM TOTALS\n"),
        "{sum}"
    );
}

/// What gzip 1.12, zstd 1.5.4 and xz 5.4.1 wrote.
#[test]
fn files_of_the_usual_programs() {
    let stage = Stage::of("compressed");
    stage.write("phases", fixture("toggle/phases.toggle.out"));
    let want = stage.report(&["--auto=no", "phases"]);
    for name in ["phases.gz", "phases.zst", "phases.xz"] {
        assert_eq!(
            stage.report(&["--auto=no", name]).replace(name, "phases"),
            want,
            "{name}"
        );
    }
}

#[test]
fn standard_input_is_a_file() {
    let stage = Stage::empty();
    stage
        .write("p", fixture(PROFILE))
        .write("p.gz", gzip(&fixture(PROFILE)));
    for name in ["p", "p.gz"] {
        let file = fs::File::open(stage.dir.join(name)).unwrap();
        let out = stage.command(&["-"]).stdin(file).output().unwrap();
        assert_eq!(
            text(&out.stdout),
            stage.report(&["p"]).replace("'p'", "'-'"),
            "{name}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_fifo_is_read_once() {
    let bytes = fixture(PROFILE);
    let stage = Stage::empty();
    stage.write("p", &bytes);
    assert!(stage.any("mkfifo", &["fifo"]).status().unwrap().success());
    let fifo = stage.dir.join("fifo");
    let want = stage.report(&["p"]);
    // The head of a sum names both.
    let (of_p, of_fifo) = (
        "'p' (creator: callgrind-3.19.0)\n-",
        "'fifo' (creator: callgrind-3.19.0)\n-",
    );
    let sum = stage.report(&["p", "p"]).replace(of_p, of_fifo);
    for (form, packed) in [
        ("plain", bytes.clone()),
        ("gzip", gzip(&bytes)),
        ("zstd", zstd(&bytes)),
        ("xz", xz(&bytes)),
    ] {
        // It is a profile wherever it stands: it could not be looked into without losing what is
        // seen.
        for (args, want) in [
            (&["fifo"][..], want.replace("'p'", "'fifo'")),
            (&["p", "fifo"], sum.clone()),
        ] {
            let (fifo, packed) = (fifo.clone(), packed.clone());
            let writer = std::thread::spawn(move || fs::write(fifo, packed));
            let report = stage.report(args);
            writer.join().unwrap().unwrap();
            assert_eq!(report, want, "{form} {args:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_no_profile() {
    let stage = Stage::empty();
    let out = stage.run(&["/dev/zero"]);
    assert_eq!(
        (out.status.code(), text(&out.stderr)),
        (
            Some(1),
            "cgannotate: /dev/zero: this is a device, not a profile\n".into()
        )
    );
    let out = stage
        .command(&["-"])
        .stdin(fs::File::open("/dev/zero").unwrap())
        .output()
        .unwrap();
    assert_eq!(
        (out.status.code(), text(&out.stderr)),
        (Some(1), "cgannotate: -: this is not a profile\n".into())
    );
    let out = stage
        .command(&["-"])
        .stdin(fs::File::open(&stage.dir).unwrap())
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text(&out.stderr).starts_with("cgannotate: -: "),
        "{}",
        text(&out.stderr)
    );
    let out = stage.run(&["-"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text(&out.stderr).starts_with("cgannotate: -: the file is empty"),
        "{}",
        text(&out.stderr)
    );
}

/// Runs with a cut input; the report must be that of the lines before the one that the warning
/// names, and there must be at least `least` of those. Gives the warning.
fn report_of_a_cut(plain: &[u8], packed: &[u8], least: usize) -> String {
    let stage = Stage::empty();
    stage.write("p", packed);
    let out = stage.run(&["p"]);
    let warnings = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{warnings}");
    let warning = warnings
        .lines()
        .find(|line| line.ends_with("[truncated]"))
        .unwrap_or_else(|| panic!("{warnings}"));
    let line: usize = warning.split(':').nth(2).unwrap().parse().unwrap();
    assert!(line >= least, "{line} lines: {warning}");

    let end = plain
        .split_inclusive(|&b| b == b'\n')
        .take(line)
        .map(<[u8]>::len)
        .sum();
    let whole = Stage::empty();
    whole.write("p", &plain[..end]);
    let of_the_lines = whole.run(&["--allow-truncated", "p"]);
    assert_eq!(text(&out.stdout), text(&of_the_lines.stdout), "{warning}");

    let allowed = stage.run(&["--allow-truncated", "p"]);
    assert_eq!(
        (allowed.status.code(), &allowed.stdout),
        (Some(0), &out.stdout)
    );
    assert_eq!(text(&allowed.stderr), warnings);
    for command in [&["merge"][..], &["convert", "--to=webgrind"]] {
        let run = |allow: &[&str]| stage.run(&[command, allow, &["p"]].concat()).status.code();
        assert_eq!(
            (run(&[]), run(&["--allow-truncated"])),
            (Some(1), Some(0)),
            "{command:?}"
        );
    }
    let strict = stage.run(&["--allow-truncated", "--strict", "p"]);
    assert_eq!((strict.status.code(), strict.stdout), (Some(1), Vec::new()));
    warning.to_owned()
}

#[test]
fn what_came_through_of_a_cut_input_is_reported() {
    let plain = fixture(LARGE);
    let lines = plain.iter().filter(|&&b| b == b'\n').count();
    for (at, (codec, pack)) in CODECS.into_iter().enumerate() {
        let whole = pack(&plain);
        for percent in ways(at, &[75, 90, 99]) {
            let cut = whole.len() * percent / 100;
            // zstd gives whole blocks only: the first is three quarters of this file.
            let least = if codec == "zstd" {
                if percent < 90 { 0 } else { lines / 2 }
            } else {
                lines * percent / 200
            };
            if least == 0 {
                continue;
            }
            let warning = report_of_a_cut(&plain, &whole[..cut], least);
            let place =
                format!("the {codec} data ends in the middle, after byte {cut} [truncated]");
            assert!(warning.ends_with(&place), "{warning}");
        }
        // Between two members, all that is before the second one came through.
        let both = two(pack, &plain);
        let first = pack(&plain[..plain.len() / 2]).len();
        report_of_a_cut(&plain, &both[..first + 20], lines / 3);
    }
}

/// Callgrind writes `summary:` before the costs and `totals:` behind them: where these are missing
/// the file was cut, by a full disk or a kill. Half a line is left out.
#[test]
fn a_cut_is_seen_without_compression() {
    let plain = fixture(PROFILE);
    let lines = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'\n').count();
    for (at, percent) in [30, 50, 75, 90].into_iter().enumerate() {
        let in_a_line = plain.len() * percent / 100;
        let at_its_end = plain[..in_a_line]
            .iter()
            .rposition(|&b| b == b'\n')
            .unwrap()
            + 1;
        assert_ne!(in_a_line, at_its_end);
        let cuts = [
            (in_a_line, "its last, incomplete line is ignored"),
            (at_its_end, "truncated after this line"),
        ];
        for (cut, what) in ways(at, &cuts) {
            let warning = report_of_a_cut(&plain, &plain[..cut], lines(&plain[..cut]));
            assert!(warning.contains(what), "{warning}");
            let stage = Stage::empty();
            stage.write("p", &plain[..cut]);
            let classic = stage.run(&["--compat", "--auto=no", "p"]);
            assert_eq!(
                (classic.status.code(), text(&classic.stderr).trim_end()),
                (Some(1), &warning[..])
            );
        }
    }
    // So are the parts of several files in one.
    let stage = Stage::empty();
    let cut = &plain[..plain.len() / 2];
    // The comment that the next one begins with is its last line.
    let end = lines(cut) + 2;
    stage.write("p", [cut, b"\n", &plain].concat());
    let out = stage.run(&["p"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text(&out.stderr).contains(&format!("p:{end}: the input is truncated after this line")),
        "{out:?}"
    );
    // Callgrind always writes `totals:`. Of other writers that is not known.
    let all = text(&plain);
    let without_totals = &all[..all.find("\ntotals:").unwrap() + 1];
    assert!(
        report_of_a_cut(&plain, without_totals.as_bytes(), lines(&plain) - 1)
            .contains("`totals:` is missing")
    );
    let half = &all[..=all[..cut.len()].rfind('\n').unwrap()];
    stage.write(
        "other",
        half.replace("creator: callgrind-", "creator: cachegrind-"),
    );
    let out = stage.run(&["other"]);
    assert_eq!(
        (out.status.code(), text(&out.stderr)),
        (Some(0), String::new())
    );
}

#[test]
fn a_cut_within_the_first_bytes_is_no_different() {
    // All of this comes out within the bytes that are looked at to recognise the format.
    let plain = fixture("toggle/phases.toggle.out");
    for (_, pack) in [CODECS[0], CODECS[2]] {
        let whole = pack(&plain);
        report_of_a_cut(&plain, &whole[..whole.len() - 60], 20);
    }
    // Of the checksum only.
    let lines = plain.iter().filter(|&&b| b == b'\n').count();
    for (codec, pack) in CODECS {
        let whole = pack(&plain);
        let warning = report_of_a_cut(&plain, &whole[..whole.len() - 1], lines);
        assert!(warning.contains(codec), "{warning}");
    }
}

#[test]
fn a_cut_that_leaves_no_profile_is_an_error() {
    let plain = fixture(PROFILE);
    for (codec, pack) in CODECS {
        let stage = Stage::empty();
        let start = &pack(&plain)[..14];
        stage.write("p", start);
        let out = stage.run(&["--allow-truncated", "p"]);
        let want = format!("cgannotate: p: the {codec} data ends in the middle, after byte 14\n");
        assert_eq!((out.status.code(), text(&out.stderr)), (Some(1), want));
    }
    // What holds nothing was not cut; it is no profile.
    let stage = Stage::empty();
    stage
        .write("nothing", gzip(b""))
        .write("story", xz(b"once upon a time\n"));
    assert!(
        text(&stage.run(&["nothing"]).stderr).starts_with("cgannotate: nothing: the file is empty")
    );
    assert_eq!(
        text(&stage.run(&["story"]).stderr),
        "cgannotate: story: this is not a profile\n"
    );
}

#[test]
fn damage_is_told_from_a_cut() {
    let plain = fixture(LARGE);
    let lines = plain.iter().filter(|&&b| b == b'\n').count();
    for (codec, pack) in CODECS {
        // The checksum: of gzip the last eight bytes, of zstd the last four; of xz it stands before
        // the index.
        let mut whole = pack(&plain);
        let at =
            whole.len() - if codec == "xz" { 60 } else { 5 } + usize::from(codec == "zstd") * 2;
        whole[at] ^= 1;
        let least = if codec == "xz" { lines / 2 } else { lines };
        let warning = report_of_a_cut(&plain, &whole, least);
        assert!(
            warning.contains(&format!("the {codec} data is damaged at or before byte ")),
            "{warning}"
        );

        let with_more = [&pack(&plain)[..], b"and so on"].concat();
        let end = with_more.len() - 9;
        let warning = report_of_a_cut(&plain, &with_more, lines);
        assert!(
            warning.ends_with(&format!(
                "the data after byte {end} is not compressed [truncated]"
            )),
            "{warning}"
        );
    }
}

/// Whatever a byte is changed to, reading ends, and not in a panic.
#[test]
fn damage_anywhere() {
    let plain = fixture("toggle/phases.toggle.out");
    for (codec, pack) in CODECS {
        let whole = two(pack, &plain);
        let mut kept = 0;
        for at in some((0..whole.len()).collect()) {
            for change in [0x01, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[at] ^= change;
                kept += u32::from(input::read_from("p", &changed[..], &Options::all()).is_ok());
            }
        }
        assert!(kept as usize > at_least(10), "{codec}: {kept}");
    }
}

#[test]
fn an_error_of_the_source_is_a_cut() {
    struct Failing<'a>(&'a [u8]);
    impl Read for Failing<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(io::Error::other("the disk is on fire")),
                n => Ok(n),
            }
        }
    }
    let plain = fixture(PROFILE);
    let packed = gzip(&plain);
    for bytes in [
        &plain[..plain.len() / 2],
        &plain[..3000],
        &packed[..packed.len() / 2],
    ] {
        let profile = input::read_from("p", Failing(bytes), &Options::all()).unwrap();
        assert!(profile.is_truncated());
        let warning = profile
            .warnings
            .kept()
            .iter()
            .map(ToString::to_string)
            .find(|w| w.contains("[truncated]"));
        assert!(
            warning
                .unwrap()
                .ends_with("truncated after this line: the disk is on fire [truncated]")
        );
    }
    let error = input::read_from(
        "p",
        Failing(b"# callgrind format\nversion: 1\n"),
        &Options::all(),
    )
    .err()
    .unwrap();
    assert_eq!(error.to_string(), "p:2: the disk is on fire");
    assert!(
        !input::read_from("p", &plain[..], &Options::all())
            .unwrap()
            .is_truncated()
    );
}

/// What the library reads where more may come out of a compressed input.
fn read_without_limit(stage: &Stage, name: &str) -> cgannotate::profile::Profile {
    let options = Options {
        max_ratio: None,
        ..Options::all()
    };
    input::read(&[stage.dir.join(name)], &options).unwrap()
}

#[test]
fn a_bomb_is_refused() {
    // 66 MiB of comments in 66 KiB, as members of one MiB each.
    let mib = [&[b'#'; (1 << 20) - 1][..], b"\n"].concat();
    let stage = Stage::empty();
    let start = gzip(b"events: Ir\nfn=f\n1 1\n");
    stage.write("bomb", [start.clone(), gzip(&mib).repeat(66)].concat());
    let out = stage.run(&["bomb"]);
    assert_eq!((out.status.code(), out.stdout), (Some(1), Vec::new()));
    assert_eq!(
        text(&out.stderr),
        "cgannotate: bomb: it expands to more than 100 times its size, unlike any real profile\nhint: if you trust it, unpack it and pipe it in, as `-`\n"
    );
    let read = read_without_limit(&stage, "bomb");
    assert_eq!(
        read.totals.counts().get(&read.events, Event::Recorded(0)),
        Some(1)
    );
    // A small one is none: one line a hundred thousand times.
    stage.write("small", [start, gzip(&b"1 1\n".repeat(100_000))].concat());
    assert!(
        stage
            .report(&["small"])
            .contains("\n100,001 (100.0%)  PROGRAM TOTALS")
    );
}

/// A window of zstd's holds what it may be asked for again: it counts before any of it comes out.
/// 128 MiB of comments in a few KB, of which the decoder would hold all until the end.
#[test]
#[cfg(target_os = "linux")]
fn a_window_is_bounded_like_what_comes_out() {
    // Magic; no checksum, no size, a window of 128 MiB; then blocks of one byte 128 Ki times each.
    let mut bomb = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3];
    let block =
        |kind: u32, len: u32, last: u32| (len << 3 | kind << 1 | last).to_le_bytes()[..3].to_vec();
    let start = b"events: Ir\nfn=f\n1 1\n#";
    bomb.extend([block(0, start.len() as u32, 0), start.to_vec()].concat());
    for _ in 0..1000 {
        bomb.extend([block(1, 128 * 1024, 0), vec![b'#']].concat());
    }
    bomb.extend([block(0, 1, 1), vec![b'\n']].concat());
    let stage = Stage::empty();
    stage.write("bomb", &bomb);
    let read = read_without_limit(&stage, "bomb");
    assert_eq!(
        read.totals.counts().get(&read.events, Event::Recorded(0)),
        Some(1)
    );
    // With room for its window it would be unpacked before it is refused.
    let line = "ulimit -v 120000; exec \"$0\" --threads=1 bomb";
    let out = stage
        .any("sh", &["-c", line, env!("CARGO_BIN_EXE_cgannotate")])
        .output()
        .unwrap();
    assert_eq!((out.status.code(), out.stdout), (Some(1), Vec::new()));
    let said = text(&out.stderr);
    assert!(
        said.contains("it expands to more than 100 times its size"),
        "{said}"
    );
}

/// What comes out of a compressed file and is compressed itself is no profile, not even where the
/// bytes of a small profile stand in it as they are.
#[test]
fn compressed_twice_is_refused() {
    let stage = Stage::empty();
    for plain in [
        &b"# callgrind format\nversion: 1\nevents: Ir\nfn=f\n1 1\n"[..],
        &fixture(PROFILE),
    ] {
        for (outer, pack) in CODECS {
            for (inner, pack_first) in CODECS {
                stage.write("twice", pack(&pack_first(plain)));
                for args in [&["twice"][..], &["--input-format=callgrind", "twice"]] {
                    let out = stage.run(args);
                    assert_eq!(
                        (out.status.code(), out.stdout),
                        (Some(1), Vec::new()),
                        "{inner} in {outer}"
                    );
                    let want = format!(
                        "cgannotate: twice: this is {inner} data in {outer} data, but only one layer is unpacked\nhint: unpack it once\n"
                    );
                    assert_eq!(text(&out.stderr), want);
                }
            }
        }
    }
}

#[test]
fn progress_counts_the_bytes_of_the_input() {
    let plain = fixture(PROFILE);
    for (form, packed) in forms(&plain) {
        let count = Arc::new(AtomicU64::new(0));
        let options = Options {
            progress: Some(count.clone()),
            ..Options::all()
        };
        input::read_from("p", &packed[..], &options).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), packed.len() as u64, "{form}");
    }
}

/// The whole profile as text, read with some threads, so many bytes at a time.
fn json_of(names: &[&str], threads: usize, block: usize) -> String {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let options = Options {
        threads,
        block,
        ..Options::all()
    };
    let profile = cgannotate::input::read(&names, &options).unwrap();
    let mut out = format!(
        "{:?} {:?} {:?}\n",
        profile.parts,
        profile.totals,
        profile.warnings.kept()
    );
    for id in profile.function_ids() {
        out += &format!("{:?} {:?}\n", profile.sort_key(id), profile.self_counts(id));
    }
    for line in &profile.lines {
        out += &format!(
            "{:?} {:?} {:?}\n",
            line.function,
            line.line,
            profile.line_counts(line)
        );
    }
    for arc in &profile.arcs {
        out += &format!("{:?} {:?}\n", arc, profile.arc_counts(arc));
        profile
            .sites(arc)
            .iter()
            .for_each(|site| out += &format!("{site:?} {:?}\n", profile.site_counts(site)));
    }
    out
}

#[test]
fn any_number_of_threads_reads_the_same() {
    for file in [
        "fixtures/parts/phases.parts.out",
        "fixtures/parts/phases.before.out",
        "fixtures/threads/workers.combined.out",
    ] {
        let one = json_of(&[file], 1, 1);
        for (threads, block) in [(2, 1), (3, 1000), (7, 100), (2, 20_000)] {
            let several = json_of(&[file], threads, block);
            let differs = several.lines().zip(one.lines()).find(|(a, b)| a != b);
            assert_eq!(
                differs, None,
                "{file}, {threads} threads, blocks of {block} bytes"
            );
            assert_eq!(several.len(), one.len());
        }
    }
    let threads =
        ["01", "02", "03", "04", "05"].map(|n| format!("fixtures/threads/workers.out-{n}"));
    let threads: Vec<&str> = threads.iter().map(String::as_str).collect();
    assert_eq!(json_of(&threads, 2, 1), json_of(&threads, 1, 1));
}

/// Where nobody asks for lines, a line that stands at an impossible place is as good as any other.
#[test]
fn what_does_not_fit_is_told_alike_by_any_number_of_threads() {
    // Relative to the greatest place there is.
    let mut profile = "events: Ir\nfl=f\nfn=a\n9223372036854775807 999999999\n".to_owned();
    for n in 0..20 {
        profile += &format!("fn=b{n}\n5 1\n{}", "+1 999999999999999\n".repeat(1000));
        profile += "fn=sum\n5 1\n+1 999999999999999\n";
    }
    let profile = profile.as_bytes();
    for collect in [
        Collect {
            lines: Lines::None,
            calls: Calls::None,
            code: false,
        },
        Collect::ALL,
    ] {
        let read = |threads, block| {
            let options = Options {
                threads,
                block,
                collect,
                ..Options::all()
            };
            let profile = input::read_from("x", profile, &options).unwrap();
            (
                format!("{:?}", profile.warnings.kept()),
                format!("{:?}", profile.totals),
            )
        };
        let one = read(1, 1 << 20);
        assert!(one.0.contains("Saturated"), "{one:?}");
        for (threads, block) in [(2, 1000), (2, 20_000), (3, 5000)] {
            assert_eq!(
                read(threads, block),
                one,
                "{threads} threads, blocks of {block} bytes"
            );
        }
    }
}

/// Parts as Cachegrind writes them, but for a call in the first: then they need no `summary:`,
/// wherever they are read.
#[test]
fn calls_of_an_earlier_part_count_for_any_number_of_threads() {
    let stage = Stage::empty();
    let calls = "cmd: x\nevents: Ir\nfn=a\ncfn=b\ncalls=1 1\n1 5\n";
    let part = "cmd: x\nevents: Ir\nfl=f\nfn=a\n1 1\n";
    for (name, text) in [
        ("first", [calls, &part.repeat(300)].concat()),
        (
            "middle",
            [&part.repeat(150), calls, &part.repeat(150)].concat(),
        ),
    ] {
        stage.write(name, text);
        let path = stage.dir.join(name);
        let path = path.to_str().unwrap();
        let one = json_of(&[path], 1, 1);
        for (threads, block) in [(2, 100), (3, 1000), (2, 2000)] {
            assert!(
                json_of(&[path], threads, block) == one,
                "{name}, {threads} threads, blocks of {block} bytes"
            );
        }
    }
}

/// A list that is long enough for several threads to make its rows.
#[test]
fn any_number_of_threads_prints_the_same() {
    let stage = Stage::empty();
    let mut profile = "events: Ir Dr\n".to_owned();
    for n in 0..5000u64 {
        let (file, count) = (n % 50, 1 + n * 7919 % 1000);
        profile += &format!(
            "fl=f{file}.c\nfn=f{n}\n1 {count} {}\ncfn=f{}\ncalls=1 1\n2 {n}\n",
            n % 3,
            (n + 1) % 5000
        );
    }
    stage.write("p", profile);
    for options in [
        &["--auto=no"][..],
        &["--tree=both", "--auto=no"],
        &["--show=Dr,Ir", "--auto=no"],
    ] {
        let printed =
            |threads| stage.report(&[&["--threshold=100", threads, "p"], options].concat());
        let one = printed("--threads=1");
        assert!(one.matches(".c:f").count() >= 5000);
        for threads in ["--threads=2", "--threads=7", "--threads=256"] {
            assert!(printed(threads) == one, "{threads} {options:?}");
        }
    }
    // A thread leaves rows of such names to be made as they are written.
    let long: String = (0..5000)
        .map(|n| format!("fl=f{n}.c\nfn=(1)\n1 {}\n", n % 7))
        .collect();
    let name = "n".repeat(1500);
    stage.write("long", format!("events: Ir\nfn=(1) {name}\n{long}"));
    let printed = |threads| stage.report(&["--auto=no", "--threshold=100", threads, "long"]);
    let one = printed("--threads=1");
    assert_eq!(one.matches(&format!(".c:{name}\n")).count(), 5000);
    for threads in ["--threads=2", "--threads=3"] {
        assert!(printed(threads) == one, "{threads}, long names");
    }
}

/// A function whose callers have long names makes a row that is much larger than the file.
#[cfg(target_os = "linux")]
#[test]
fn a_long_row_is_not_held_in_memory() {
    let (name, callers) = ("n".repeat(300_000), 300);
    let mut profile = format!("events: Ir\nfl=(1) {name}\n");
    for n in 0..callers {
        profile += &format!("fn=a{n}\n1 1\ncfi=x.c\ncfn=all\ncalls=1 1\n2 9\n");
    }
    profile += "fl=x.c\nfn=all\n1 2700\n";
    (0..5000).for_each(|n| profile += &format!("fn=f{n}\n1 1\n"));
    let stage = Stage::empty();
    stage.write("p", &profile);
    let printed = |threads| {
        // In kilobytes; the row is 90 MB.
        let line = format!(
            "ulimit -d 40000; \"$0\" --threads={threads} --tree=caller --auto=no --threshold=100 p > out; \
             echo $? $(wc -c < out) $(cksum < out)"
        );
        let out = stage
            .any("sh", &["-c", &line, env!("CARGO_BIN_EXE_cgannotate")])
            .output()
            .unwrap();
        assert_eq!(text(&out.stderr), "", "{threads} threads");
        text(&out.stdout)
    };
    let one = printed(1);
    let (status, rest) = one.split_once(' ').unwrap();
    let bytes: usize = rest.split_once(' ').unwrap().0.parse().unwrap();
    // Every caller stands in the row, and has one of its own.
    assert!(status == "0" && bytes > 2 * callers * name.len(), "{one}");
    for threads in [2, 3] {
        assert_eq!(printed(threads), one, "{threads} threads");
    }
}

/// What 300,000 lines of two profiles cost is not copied to compare them.
#[cfg(target_os = "linux")]
#[test]
fn costs_of_compared_lines_are_not_copied() {
    let profile = |mut seed: u32| {
        let mut profile = String::from("events: Ir\nfl=a.c\n");
        for n in 0..150_000 {
            seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
            if n % 50 == 0 {
                profile += &format!("fn=f{}\n", n / 50);
            }
            profile += &format!("{} {}\n", seed >> 8, n % 9 + 1);
        }
        profile
    };
    let stage = Stage::empty();
    stage.write("p", profile(1)).write("q", profile(7));
    // In kilobytes; with rows that hold their costs it takes more than 120 MB.
    let line =
        "ulimit -d 90000; exec \"$0\" diff --by=line --format=csv --threshold=100 --threads=1 p q";
    let out = stage
        .any("sh", &["-c", line, env!("CARGO_BIN_EXE_cgannotate")])
        .output()
        .unwrap();
    assert_eq!(
        (out.status.code(), text(&out.stderr).as_str()),
        (Some(0), "")
    );
    let table = text(&out.stdout);
    let changes: Vec<i64> = table
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(2).unwrap().parse().unwrap())
        .collect();
    // Hardly two lines are one, and both runs cost the same.
    assert!(
        changes.len() > 290_000 && changes.iter().sum::<i64>() == 0,
        "{}",
        changes.len()
    );
}

/// Names with 15 callers each (`--separate-callers=16`), most of which end alike, are not held in
/// memory one by one.
#[cfg(target_os = "linux")]
#[test]
fn names_that_end_alike_are_not_held_in_memory() {
    let names: Vec<String> = (0..200)
        .map(|n| format!("{}{n}", "a::long::name::of::a::function::".repeat(6)))
        .collect();
    // 200 functions of 40 chains.
    let chains: Vec<String> = (0..8000)
        .map(|n| {
            let chain = (0..15).map(|at| &names[(n / 200 * 7 + at * 3) % 200]);
            [&names[n % 200]]
                .into_iter()
                .chain(chain)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("'")
        })
        .collect();
    let profile = |cost: fn(usize) -> usize| {
        let functions = chains
            .iter()
            .enumerate()
            .map(|(n, name)| format!("fn=({n}) {name}\n1 {}\n", cost(n)));
        String::from("events: Ir\nfl=x.c\n") + &functions.collect::<String>()
    };
    let stage = Stage::empty();
    stage
        .write("p", profile(|n| 8000 - n))
        .write("tied", profile(|_| 1));
    for threads in ways(1, &[1, 3]) {
        let printed = |command: &str| {
            let line = format!("ulimit -d 20000; \"$0\" {command} --threads={threads}");
            let out = stage
                .any("sh", &["-c", &line, env!("CARGO_BIN_EXE_cgannotate")])
                .output()
                .unwrap();
            assert_eq!(
                (out.status.code(), text(&out.stderr)),
                (Some(0), String::new()),
                "{threads} threads: {command}"
            );
            text(&out.stdout)
        };
        let report = printed("--auto=no --threshold=100 p");
        let rows = report
            .lines()
            .filter_map(|row| row.split_once(" x.c:"))
            .map(|(_, name)| name);
        assert!(rows.eq(&chains), "{threads} threads");
        // Functions that cost the same are put in the order of their names.
        let trend = printed("trend tied tied tied");
        assert!(
            trend.ends_with("8,000 more functions, not listed.\n"),
            "{trend}"
        );
        let classes = printed("trend --by=class tied tied tied");
        assert!(
            classes.ends_with("1 more class, not listed.\n"),
            "{classes}"
        );
    }
}

/// Names of callees that a list has no use for need not be known; what they stand before is read as
/// ever.
#[test]
fn a_list_without_calls_has_the_functions_of_one_with_calls() {
    let text =
        b"events: Ir\nob=o\nfl=a.c\nfn=main\n1 1\ncob=p\ncfi=b.c\ncfn=f\ncalls=1 1\n2 50\n3 4\n\
                 cfn=(1) g\ncalls=1 1\n4 7\ncfn= h\ncalls=1 1\n5 6\ncfn=\ncalls=1 1\n5 6\n\
                 ob=p\nfl=b.c\nfn=f\n1 50\nfn=(1)\n1 7\ncfn=main\ncalls=1 1\n2 3\nfn=h\n1 6\n";
    let read = |calls| {
        let options = Options {
            collect: Collect {
                calls,
                ..Collect::ALL
            },
            ..Options::all()
        };
        let profile = input::read_from("x", &text[..], &options).unwrap();
        assert!(profile.warnings.kept().is_empty());
        let of = |id| {
            let function = profile.function(id);
            let names = [function.object, function.file, function.name];
            (
                names.map(|name| profile.name(name).to_vec()),
                format!("{:?}", profile.self_counts(id)),
            )
        };
        let mut all: Vec<_> = profile
            .function_ids()
            .filter(|&id| profile.function(id).recorded)
            .map(of)
            .collect();
        all.sort();
        all
    };
    let (with, without) = (read(Calls::Sites), read(Calls::None));
    assert_eq!(with, without);
    assert_eq!(with.len(), 4);
}

/// Where a container or a user may have no more threads, those that run do all of the work.
#[cfg(target_os = "linux")]
#[test]
fn without_threads_the_same_is_printed() {
    let stage = Stage::empty();
    let text: String = (0..5000).map(|n| format!("fn=f{n}\n1 {n}\n")).collect();
    stage
        .write("p", format!("events: Ir\n{}", text.repeat(8)))
        .write("q", format!("events: Ir\n{text}"));
    let program = env!("CARGO_BIN_EXE_cgannotate");
    // The limit does not hold for root, who has to be somebody else for this.
    let nobody = ["--reuid", "65534", "--clear-groups", "prlimit", "--nproc=1"];
    let alone = |args: &[&str]| {
        stage
            .any(
                "setpriv",
                &[&nobody[..], &[program], args, &["--threads=4"]].concat(),
            )
            .output()
    };
    if !alone(&["--version"]).is_ok_and(|out| out.status.success()) {
        eprintln!("not tried: only root can have this tested, with setpriv and prlimit");
        return;
    }
    for args in [
        &["--auto=no", "--threshold=100", "p"][..],
        &["--auto=no", "p", "q"],
        &["--format=html", "p"],
    ] {
        let out = alone(args).unwrap();
        assert_eq!(String::from_utf8_lossy(&out.stderr), "", "{args:?}");
        assert!(
            String::from_utf8(out.stdout).unwrap()
                == stage.report(&[&["--threads=1"], args].concat()),
            "{args:?}"
        );
    }
    for args in [
        &["trend", "p", "q", "p"][..],
        &["diff", "p", "q"],
        &["diff", "p", "p"],
    ] {
        let out = alone(args).unwrap();
        assert!(
            out.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
    }
    let out = alone(&["record", "/bin/true"]).unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        !out.status.success() && !said.contains("panicked"),
        "{said}"
    );
}

/// 100,007 is what the original adds up to. A count with a fraction has no exact value, and a
/// warning.
#[test]
fn integers_may_have_an_exponent_a_point_or_a_plus() {
    let stage = Stage::empty();
    let text = "events: Ir Dr\nfl=a.c\nfn=f\n1 1e5 2.50e1\n2 +7\ncfn=g\ncalls=1E+1 9\n3 4.0e0\nfn=g\n9 .4e1\nsummary: 1.00011e5 25\n";
    stage.write("p", text).write("q", text.replace("+7", "7.5"));
    let report = |name: &str| stage.run(&[name, "--auto=no", "--tree=both", "--show-percs=no"]);
    let out = report("p");
    for row in [
        "100,011 25  PROGRAM TOTALS",
        "100,007 25  *  a.c:f",
        "      4  .  >   a.c:g (10x)",
    ] {
        assert!(
            self::text(&out.stdout).contains(row),
            "{row}: {}",
            self::text(&out.stdout)
        );
    }
    assert_eq!(self::text(&out.stderr), "");
    assert!(self::text(&report("q").stderr).contains("q:5: `7.5` is not an integer"));
}

/// The parts fit in 64 bits, their sum does not: the line where it becomes too large is known to
/// whoever reads on.
#[test]
fn a_sum_that_does_not_fit_is_read_as_one() {
    let stage = Stage::empty();
    let part = |n: u32| {
        format!(
            "part: {n}\nevents: Ir\n\nfl=a.c\nfn=f\n{n} {}\n\n",
            i64::MAX
        )
    };
    stage.write(
        "p",
        format!(
            "creator: callgrind-3\npid: 1\ncmd: a\n{}{}",
            part(1),
            part(2)
        ),
    );
    let path = stage.dir.join("p");
    let path = path.to_str().unwrap();
    let one = json_of(&[path], 1, 1);
    assert!(
        one.contains("line: Some(16)") && one.contains("does not fit"),
        "{one}"
    );
    assert_eq!(json_of(&[path], 2, 40), one);
}

#[test]
fn a_given_format_holds_for_any_number_of_threads() {
    let file = "fixtures/parts/phases.parts.out".to_owned();
    for threads in [1, 3] {
        let options = Options {
            threads,
            block: 100,
            format: input::formats().find(|format| format.name == "xdebug"),
            ..Options::all()
        };
        assert_eq!(
            input::read(std::slice::from_ref(&file), &options)
                .unwrap()
                .format
                .name,
            "xdebug",
            "{threads}"
        );
    }
}

#[test]
fn a_part_that_leans_on_an_earlier_one_is_read_behind_it() {
    let stage = Stage::empty();
    // The second thread of a combined dump uses names that the first one defines, and the third
    // part says so itself.
    let text = "version: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: a\npart: 1\nthread: 1\nevents: Ir\n\nfl=(1) a.c\nfn=(1) f\n1 1\n\n\
                part: 1\nthread: 2\nevents: Ir\n\nfl=(1)\nfn=(1)\n2 20\n\npart: 2\nthread: 1\nevents: Ir\n\nfl=(1) b.c\nfn=(1) g\n3 300\n";
    stage.write("leaning.out", text);
    let path = stage.dir.join("leaning.out");
    let path = path.to_str().unwrap();
    let one = json_of(&[path], 1, 1);
    assert!(one.contains("[21]") && one.contains("[300]"), "{one}");
    for threads in 2..9 {
        assert_eq!(json_of(&[path], threads, 100), one);
    }
}

#[test]
fn a_part_that_takes_something_over_is_read_behind_the_one_before() {
    let stage = Stage::empty();
    let begin = "version: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: a\n";
    let part = |number: u32, header: &str, cost: &str| {
        format!("part: {number}\n{header}\nfl=a.c\nfn=f\n{cost}\n\n")
    };
    let instr = "positions: instr line\nevents: Ir\n";
    let first = part(1, "events: Ir\n", "1 1");
    let last = part(3, "events: Ir\n", "3 300");
    let texts = [
        // A dump of another process behind the first one: the third part is of the second process.
        (
            "process",
            format!(
                "{first}creator: callgrind-3.22.0\npid: 2\ncmd: b\n{}{last}",
                part(2, "events: Ir\n", "2 20")
            ),
        ),
        (
            "events",
            format!(
                "{first}{}{}",
                part(2, "events: Dr Ir\n", "2 20 7"),
                part(3, "", "3 300 8")
            ),
        ),
        (
            "positions",
            format!(
                "{}{}{last}",
                part(1, instr, "0x1 1 1"),
                part(2, instr, "0x2 2 20")
            ),
        ),
        // Without costs, a part goes on with the next header.
        ("empty", format!("{first}part: 2\nevents: Ir\n\n{last}")),
        (
            "rest",
            format!("{first}summary: 2\ndesc: of the first\n{last}"),
        ),
        (
            "formula",
            format!("event: S = Ir\n{first}event: S = 3 Ir\n{last}"),
        ),
    ];
    for (name, parts) in texts {
        stage.write(name, format!("{begin}{parts}"));
        let path = stage.dir.join(name);
        let path = path.to_str().unwrap();
        let one = json_of(&[path], 1, 1);
        for threads in 2..9 {
            assert_eq!(
                json_of(&[path], threads, 100),
                one,
                "{name}, {threads} threads"
            );
        }
    }
}

/// Reads with some threads, and gives how many bytes progress counts.
fn bytes_read(file: &str, threads: usize) -> u64 {
    let count = Arc::new(AtomicU64::new(0));
    let options = Options {
        threads,
        block: 100,
        progress: Some(count.clone()),
        ..Options::all()
    };
    input::read(&[file.to_owned()], &options).unwrap();
    count.load(Ordering::Relaxed)
}

#[test]
fn what_callgrind_wrote_is_read_once() {
    let file = "fixtures/parts/phases.parts.out";
    assert_eq!(bytes_read(file, 3), std::fs::metadata(file).unwrap().len());
}

/// What several processes wrote, one after the other: each has a header of its own, and several
/// dumps behind it.
#[test]
fn appended_files_are_read_once() {
    let parts = text(&fixture("parts/phases.before.out"));
    let threads = text(&fixture("threads/workers.combined.out"));
    let pid = parts
        .lines()
        .find(|line| line.starts_with("pid: "))
        .unwrap();
    let process = |n: u32| {
        parts
            .replace(pid, &format!("pid: {n}"))
            .replacen("cmd: ", &format!("cmd:  {n}"), 1)
    };
    let stage = Stage::empty();
    let files = [
        ("processes", [process(1), process(2), process(3)].concat()),
        ("threads", [&threads[..], &threads].concat()),
        (
            "both",
            [&process(1), &threads, &process(2)]
                .map(String::as_str)
                .concat(),
        ),
    ];
    for (at, (name, all)) in files.into_iter().enumerate() {
        stage.write(name, &all);
        let path = stage.dir.join(name);
        let path = path.to_str().unwrap();
        let one = json_of(&[path], 1, 1);
        for threads in ways(at, &[2, 3, 4, 5, 9]) {
            assert_eq!(
                bytes_read(path, threads),
                all.len() as u64,
                "{name}, {threads} threads"
            );
            let several = json_of(&[path], threads, 100);
            assert!(several == one, "{name}, {threads} threads");
        }
    }
}

/// Progress never goes beyond the end, even if a file must be read a second time.
#[test]
fn a_second_reading_counts_no_bytes() {
    let stage = Stage::empty();
    let part = |n: u32, id: &str| format!("part: {n}\nevents: Ir\n\nfl=a.c\nfn=(1){id}\n{n} 1\n\n");
    let all = format!(
        "creator: callgrind-3\npid: 1\ncmd: a\n{}{}",
        part(1, " f"),
        part(2, "")
    );
    stage.write("p", &all);
    assert_eq!(
        bytes_read(stage.dir.join("p").to_str().unwrap(), 2),
        all.len() as u64
    );
}

/// Each share of inputs of several formats is of its own: nobody knows what the functions of
/// Cachegrind's profile called.
#[test]
fn shares_have_the_formats_of_their_inputs() {
    let stage = Stage::empty();
    stage.write(
        "cachegrind",
        "desc: I1 cache: x\ncmd: ./app\nevents: Ir\nfl=a.c\nfn=main\n1 94\nsummary: 94\n",
    );
    stage.write(
        "callgrind",
        "version: 1\nevents: Ir\n\nfl=b.c\nfn=g\n1 10\ncfn=h\ncalls=1 2\n2 5\nfn=h\n3 5\n",
    );
    for (files, formats) in [
        (["callgrind", "cachegrind"], [true, false]),
        (["cachegrind", "callgrind"], [false, true]),
    ] {
        for split in ["--split=input", "--split=part", "--split=run"] {
            let text = stage.report(&["--format=json", split, files[0], files[1]]);
            let documents: Vec<serde_json::Value> = serde_json::Deserializer::from_str(&text)
                .into_iter()
                .map(Result::unwrap)
                .collect();
            let knows =
                |document: &serde_json::Value| document["functions"][0]["inclusive"].is_array();
            assert_eq!(
                documents.iter().map(knows).collect::<Vec<_>>(),
                formats,
                "{split}: {text}"
            );
            for (document, file) in documents.iter().zip(files) {
                assert_eq!(document["profile"]["format"], file, "{split}");
            }
        }
        let out = stage.run(&[
            "--split=input",
            "--inclusive=yes",
            "--auto=no",
            files[0],
            files[1],
        ]);
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(
            said.matches("inclusive costs are not known").count(),
            1,
            "{said}"
        );
        assert!(
            String::from_utf8_lossy(&out.stdout).contains("15 (100.0%)  b.c:g"),
            "{out:?}"
        );
    }
}

/// A file of Cachegrind's with calls knows as much of them as one of Callgrind's.
#[test]
fn calls_that_another_tool_added_are_calls() {
    let stage = Stage::empty();
    let calls = "events: Ir\nfl=b.c\nfn=g\n1 10\ncfn=h\ncalls=1 2\n2 5\nfn=h\n3 5\n";
    let none = "desc: I1 cache: x\ncmd: a\nevents: Ir\nfl=b.c\nfn=g\n1 15\nsummary: 15\n";
    stage
        .write("callgrind", format!("version: 1\n{calls}"))
        .write(
            "with",
            format!("desc: I1 cache: x\ncmd: a\n{calls}summary: 15\n"),
        )
        .write("without", none);
    for (files, inclusive) in [
        (["callgrind", "with"], Some(30)),
        (["with", "callgrind"], Some(30)),
        (["with", "with"], Some(30)),
        (["callgrind", "without"], None),
        (["without", "with"], None),
    ] {
        let report = stage.json(&files);
        let most = report["functions"].as_array().unwrap().iter();
        let most = most
            .filter_map(|function| function["inclusive"][0].as_i64())
            .max();
        assert_eq!(most, inclusive, "{files:?} {report}");
    }
}

/// Callgrind's `summary:` has neither what signal handlers cost nor what ran before instrumentation
/// was stopped and started again, and is a number below zero without its sign where only that is
/// left. Lines and `totals:` have it all. What is in no line, such as the time of calls that never
/// returned, is in `summary:` alone.
#[test]
fn totals_have_what_callgrinds_summary_leaves_out() {
    let stage = Stage::empty();
    let totals = |creator: &str, summary: &str, totals: &str| {
        let text = format!(
            "creator: {creator}\npid: 1\ndesc: Trigger: end\nevents: Ir Dr sysTime\nsummary: {summary}\n\nfl=a.c\nfn=main\n\
             1 600 5 50\n2 100\n\ntotals: {totals}\n"
        );
        stage.write("p", text);
        let json = stage.json(&["p"]);
        (
            json["totals"].to_string(),
            json["totals_source"].as_str().unwrap().to_owned(),
        )
    };
    let of = |counts: &str, source: &str| (counts.to_owned(), source.to_owned());
    assert_eq!(
        totals("callgrind-3.19.0", "100 5 90", "700 5 50"),
        of("[700,5,90]", "summary")
    );
    assert_eq!(
        totals("callgrind-3.19.0", "18446744073709418359 5 90", "700 5 50"),
        of("[700,5,90]", "summary")
    );
    assert_eq!(
        totals("callgrind-3.19.0", "100 4 49", "700 5 50"),
        of("[700,5,50]", "totals")
    );
    assert_eq!(
        totals("callgrind-3.19.0", "701 5 90", "700 5 50"),
        of("[701,5,90]", "summary")
    );
    // Such a number is told, and a limit on the total is judged nevertheless.
    let judged = |summary: &str, sum: &str| {
        totals("callgrind-3.19.0", summary, sum);
        let out = stage.run(&["check", "--limit", "total.Ir <= 700", "p"]);
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stderr).contains("of `summary:` is -133257; "),
        )
    };
    assert_eq!(
        judged("18446744073709418359 5 90", "700 5 50"),
        (Some(0), true)
    );
    assert_eq!(
        judged("18446744073709418359 5 90", "800 5 50"),
        (Some(4), true)
    );
    assert_eq!(
        judged("18446744073709551616 5 90", "700 5 50"),
        (Some(4), false)
    );
    // The lines say something else than `totals:`, or it is somebody else's `summary:`: no function
    // has more than all.
    assert_eq!(
        totals("callgrind-3.19.0", "100 5 90", "800 5 50"),
        of("[700,5,90]", "summary")
    );
    assert_eq!(
        totals("another-1.0", "100 5 90", "700 5 50"),
        of("[700,5,90]", "summary")
    );
    // Ours has the total of what it was made of.
    assert_eq!(
        totals("cgannotate-0.1.0", "100 5 90", "700 5 50"),
        of("[100,5,90]", "summary")
    );
}
