//! Files beside the profile: sources, limits, outputs, what is completed.

use super::{all_of, flat};
use crate::common::amount::is_long;
use crate::common::{Stage, day, fixture};
use std::fs::File;
use std::time::Duration;

/// A file of so many bytes that are 0, which take no room.
fn sparse(stage: &Stage, name: &str, bytes: u64) {
    stage.write(name, "");
    File::options()
        .write(true)
        .open(stage.dir.join(name))
        .unwrap()
        .set_len(bytes)
        .unwrap();
}

/// A file of limits has 16 MiB.
#[test]
fn limits_are_a_file_of_16_mib() {
    let stage = Stage::empty();
    stage.write("p", flat([("f".into(), 10)]));
    let limit = "[[limit]]\nexpression = 'total.Ir <= 10'\n#";
    for (bytes, is_read) in [(16 << 20, true), ((16 << 20) + 1, false)] {
        stage.write(
            "cgannotate.toml",
            limit.to_owned() + &"x".repeat(bytes - limit.len()),
        );
        let out = stage.run(&["check", "p"]);
        assert_eq!(
            out.status.code(),
            Some(if is_read { 0 } else { 2 }),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
    }
    for (digits, status) in [(18, 0), (19, 2)] {
        let limit = format!("--limit=total.Ir <= {}", "9".repeat(digits));
        assert_eq!(
            stage
                .run(&["check", "p", "--config=/dev/null", &limit])
                .status
                .code(),
            Some(status),
            "{digits}"
        );
    }
}

/// A source has 1 byte to 256 MiB.
#[test]
fn sources_have_some_bytes_and_not_too_many() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfl=a.c\nfn=f\n1 10\n");
    let annotated =
        |stage: &Stage| all_of(stage, &["p", "a.c"]).contains("-- User-annotated source: a.c");
    stage.write("a.c", "x");
    assert!(annotated(&stage));
    stage.write("a.c", "");
    assert!(!annotated(&stage));
    sparse(&stage, "a.c", (256 << 20) + 1);
    assert!(!annotated(&stage));
    if is_long() {
        sparse(&stage, "a.c", 256 << 20);
        assert!(annotated(&stage));
    }
}

/// Folders are searched 16 levels deep, and names with 256 folders are looked for.
#[test]
fn folders_are_searched_up_to_a_depth() {
    let stage = Stage::empty();
    for (levels, is_found) in [(16, true), (17, false)] {
        let name = format!("{levels}.c");
        stage.write("p", format!("events: Ir\nfl=/build/{name}\nfn=f\n1 10\n"));
        stage.add(
            &format!("i/{}{name}", format!("{levels}/").repeat(levels)),
            "text\n",
        );
        let text = stage.report(&["--auto=yes", "-Ii", "p"]);
        assert_eq!(
            text.contains("-- Auto-annotated source: "),
            is_found,
            "{levels}: {text}"
        );
    }
    for (folders, is_found) in [(256, true), (257, false)] {
        let name = "d/".repeat(folders) + "a.c";
        stage
            .write("p", format!("events: Ir\nfl={name}\nfn=f\n1 10\n"))
            .add(&name, "text\n");
        let text = stage.report(&["--auto=yes", "p"]);
        assert_eq!(
            text.contains("-- Auto-annotated source: "),
            is_found,
            "{folders}"
        );
    }
}

/// 100,000 entries of a folder are looked at.
#[test]
fn large_folders_are_searched_up_to_a_number() {
    if !is_long() {
        return;
    }
    let stage = Stage::empty();
    stage
        .write("p", "events: Ir\nfl=/build/z.c\nfn=f\n1 10\n")
        .add("i/d/z.c", "text\n");
    let is_found = || {
        stage
            .report(&["--auto=yes", "-Ii", "p"])
            .contains("-- Auto-annotated source: ")
    };
    // With the folder and the file itself.
    for at in 0..99_998 {
        stage.write(&format!("i/{at}"), "");
    }
    assert!(is_found());
    stage.write("i/99998", "");
    assert!(!is_found());
}

/// Three of several files that match equally are named.
#[test]
fn three_files_that_match_equally_are_named() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfl=/build/sub/a.c\nfn=f\n1 10\n");
    for count in 2..=4 {
        stage
            .add(&format!("{count}/sub/a.c"), "1\n")
            .add("1/sub/a.c", "1\n");
        let text = all_of(&stage, &["-I.", "--auto=yes", "p"]);
        assert!(
            text.contains(&format!("{count} files match equally: ./1/sub/a.c, ")),
            "{text}"
        );
        assert_eq!(
            (text.contains("./3/sub/a.c"), text.contains(", …\n")),
            (count >= 3, count > 3),
            "{text}"
        );
    }
}

/// Links to an output are followed forty times.
#[cfg(unix)]
#[test]
fn outputs_are_found_behind_40_links() {
    for (links, is_followed) in [(39, true), (40, true), (41, false)] {
        let stage = Stage::empty();
        stage.write("p", flat([("f".into(), 10)]));
        let name = |at: usize| {
            if at == 0 {
                "target".to_owned()
            } else {
                format!("link{at}")
            }
        };
        (1..=links).for_each(|at| {
            std::os::unix::fs::symlink(name(at - 1), stage.dir.join(name(at))).unwrap()
        });
        let out = stage.run(&["merge", "p", "-o", &name(links)]);
        assert_eq!(
            out.status.success() && stage.dir.join("target").is_file(),
            is_followed,
            "{links}: {out:?}"
        );
    }
}

/// A thousand answers complete a word, from 64 MiB of profiles.
#[test]
fn completions_are_a_thousand() {
    let stage = Stage::empty();
    for (functions, answers) in [(999, 999), (1000, 1000), (1001, 1000)] {
        stage.write("p", flat((0..functions).map(|at| (format!("fun{at}"), 10))));
        assert_eq!(
            stage
                .report(&["__complete", "--", "p", "--zoom=fun"])
                .lines()
                .count(),
            1 + answers
        );
    }
    // What is no part of a profile, behind one, is many lines that are 0.
    let text = flat([("fun".into(), 10)]);
    for (bytes, is_read) in [(64 << 20, true), ((64 << 20) + 1, false)] {
        if is_read && !is_long() {
            continue;
        }
        stage.write("p", &text);
        File::options()
            .write(true)
            .open(stage.dir.join("p"))
            .unwrap()
            .set_len(bytes)
            .unwrap();
        assert_eq!(
            stage
                .report(&["__complete", "--", "p", "--zoom=fun"])
                .lines()
                .count()
                == 2,
            is_read,
            "{bytes}"
        );
    }
}

/// Three files of a process are suggested.
#[test]
fn three_files_of_a_process_are_suggested() {
    let stage = Stage::empty();
    for count in [2, 3, 4] {
        stage.write(
            &format!("callgrind.out.77.{count}"),
            flat([("f".into(), 10)]),
        );
    }
    let text = all_of(&stage, &["callgrind.out.77"]);
    assert_eq!(text.matches("callgrind.out.77.").count(), 3, "{text}");
    stage.write("callgrind.out.77.5", flat([("f".into(), 10)]));
    let text = all_of(&stage, &["callgrind.out.77"]);
    assert_eq!(text.matches("callgrind.out.77.").count(), 3, "{text}");
}

/// Sources of a pack are listed by twelve folders, or by those around them.
#[test]
fn sources_of_a_pack_are_listed_by_twelve_folders() {
    for (folders, listed) in [(12, 12), (13, 1)] {
        let stage = Stage::empty();
        let mut text = String::from("events: Ir\n");
        for at in 0..folders {
            stage.add(&format!("a/b{at}/f.c"), "one\n");
            text += &format!("fl=a/b{at}/f.c\nfn=f{at}\n1 100\n");
        }
        stage.write("p", text);
        let text = all_of(&stage, &["pack", "p", "-o", "p.cgpack"]);
        assert_eq!(text.matches(" below a").count(), listed, "{text}");
    }
}

/// Data of xz that need a dictionary of 192 MiB are read, those that need 256 MiB are not.
#[test]
fn dictionaries_of_xz_have_less_than_256_mib() {
    let mut bytes = std::fs::read(fixture("compressed/phases.xz")).unwrap();
    // Behind the header of the file: the size of the block's header in words, flags, the filter,
    // and the dictionary.
    let end = 12 + 4 * (usize::from(bytes[12]) + 1);
    assert_eq!(bytes[13..16], [0, 0x21, 1]);
    let stage = Stage::empty();
    for (size, is_read) in [(31, true), (32, false)] {
        bytes[16] = size;
        let mut sum = flate2::Crc::new();
        sum.update(&bytes[12..end - 4]);
        bytes[end - 4..end].copy_from_slice(&sum.sum().to_le_bytes());
        stage.write("p.xz", &bytes);
        let out = stage.run(&["--auto=no", "p.xz"]);
        assert_eq!(out.status.success(), is_read, "{size}: {out:?}");
    }
}

/// Files of a run are written within a minute.
#[test]
fn files_of_a_run_are_written_within_a_minute() {
    let stage = Stage::empty();
    for (at, name) in ["callgrind.out.7-01", "callgrind.out.7-02"]
        .iter()
        .enumerate()
    {
        let head = "creator: callgrind-3.19.0\npid: 7\ncmd: ./a\n";
        let thread = format!("thread: {}\nevents: Ir\nfl=a.c\nfn=f{at}\n1 10\n", at + 1);
        stage
            .write(name, head.to_owned() + &thread)
            .date(name, day(2));
    }
    for (seconds, are_of_one) in [(60, true), (61, false)] {
        stage.date("callgrind.out.7-02", day(2) + Duration::from_secs(seconds));
        let text = stage.report(&["--auto=no"]);
        assert!(text.contains("a.c:f1"), "{text}");
        assert_eq!(text.contains("a.c:f0"), are_of_one, "{seconds}: {text}");
    }
}

/// Benches are looked for six folders deep.
#[test]
fn benches_are_six_folders_deep() {
    let stage = Stage::empty();
    for (folders, are_found) in [(6, true), (7, false)] {
        let folder = format!("{folders}{}", "/d".repeat(folders - 1) + "/bench");
        for (at, end) in ["", ".old"].iter().enumerate() {
            let name = format!("{folder}/callgrind.bench.out{end}");
            stage.add(&name, flat([("f".into(), 10 + at as u64)]));
        }
        let text = all_of(&stage, &["trend", &folders.to_string()]);
        assert_eq!(text.contains("PROGRAM TOTALS"), are_found, "{text}");
    }
}

/// Sources of what costs less than a hundredth are not packed.
#[test]
fn sources_of_99_in_a_hundred_are_packed() {
    let stage = Stage::empty();
    stage.write("a.c", "1\n").write("b.c", "1\n");
    for (cost, sources) in [(10, 1), (11, 2)] {
        let text = format!(
            "events: Ir\nfl=a.c\nfn=f\n1 {}\nfl=b.c\nfn=g\n1 {cost}\n",
            1000 - cost
        );
        stage.write("p", text);
        let text = all_of(&stage, &["pack", "--dry-run", "p"]);
        assert!(text.contains(&format!("{sources} source")), "{text}");
    }
}
