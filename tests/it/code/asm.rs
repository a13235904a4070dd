//! Instructions as reports show them: those of one function with their jumps and calls, and the
//! dearest of all.

use crate::common::Stage;

/// `main` counts in a loop and calls `f`, which jumps by a table; `g` jumps more often than it was
/// counted.
const SMALL: &str = "\
creator: callgrind-3.19.0
positions: instr line
events: Ir

ob=(1) /nowhere/x
fl=(1) x.c
fn=(1) main
0x1000 3 1
+4 * 10
+4 +1 10
cfn=(2) f
calls=10 0x2000 10
* * 400
+4 * 10
jcnd=9/9 0x1004 3
* *
+4 +2 1
jump=1 0x1020 9
* *
0x1020 9 1

fn=(2)
0x2000 10 100
jump=6 0x2010 11
* *
jump=4 0x2020 12
* *
0x2010 11 120
0x2020 12 180

fn=(3) g
0x3000 20 1
jcnd=7/5 0x3000 20
* *
+4 21 1
jcnd=3/10 0x3008 22
* *
+4 22 1
";

fn small() -> Stage {
    let stage = Stage::empty();
    stage.write("out", SMALL);
    stage
}

/// The part of a page with the instructions, without what stands above and below.
fn instructions(page: &str) -> Vec<&str> {
    let mut lines = page
        .lines()
        .skip_while(|line| !line.contains(" instructions (100%"));
    lines.by_ref().take(2).for_each(drop);
    lines
        .map(str::trim_end)
        .take_while(|line| !line.is_empty())
        .collect()
}

#[test]
fn a_function_is_shown_by_instructions() {
    let page = small().report(&["--zoom=^main$", "--asm", "out"]);
    let want = [
        " 30 ( 6.93%)    x.c:3 at 1004: loop of 10.0 iterations, entered 1 time",
        "  .             x.c:3",
        "  1 ( 0.23%)    1000",
        "  .             loop of 10.0 iterations, entered 1 time",
        " 10 ( 2.31%) ┌▶ 1004",
        "  .          │  x.c:4",
        " 10 ( 2.31%) │  1008",
        "400 (92.38%) │     => 10 calls of x.c:f",
        " 10 ( 2.31%) └─ 100c",
        // Nine of the ten times that it was executed; that it was not once is a piece of code of
        // its own.
        "  .                taken 9 of 10",
        "  .             x.c:6",
        "  1 ( 0.23%) ┌─ 1010",
        "  .          │  x.c:9",
        "  1 ( 0.23%) └▶ 1020",
    ];
    assert_eq!(instructions(&page), want, "{page}");
    assert!(page.contains("433 (99.31%)  inclusive"), "{page}");
    let why = "no instructions: /nowhere/x: it was not found (`--map OLD=NEW` or `--debug-dir` says where it is)\n";
    assert!(page.contains(why), "{page}");
    assert!(!page.contains("x.c:10"), "there are no sources: {page}");
}

/// A binary that cannot be read is named once: with its own path only where that is another one
/// than in the profile.
#[test]
fn a_damaged_binary_is_named_once() {
    let stage = Stage::empty();
    let program = std::fs::read(env!("CARGO_BIN_EXE_cgannotate")).unwrap();
    stage.write("prog", &program[..3000]);
    let path = stage.dir.join("prog");
    let path = path.to_str().unwrap();
    let why = "truncated: a part of it is beyond the end of the file";
    for (name, want) in [
        (path, format!("no instructions: {path}: {why}\n")),
        (
            "/gone/prog",
            format!("no instructions: /gone/prog: ./prog: {why}\n"),
        ),
    ] {
        stage.write(
            "out",
            format!("positions: instr line\nevents: Ir\nob={name}\nfl=a.c\nfn=f\n0x1000 3 5\n"),
        );
        let page = stage.report(&["--zoom=f", "--asm", "out"]);
        assert!(page.contains(&want), "{page}");
    }
}

#[test]
fn jumps_are_never_counted_beyond_what_was_executed() {
    let page = small().report(&["--zoom=^g$", "--asm", "out"]);
    let lines = instructions(&page);
    let below = |address: &str| {
        let at = lines
            .iter()
            .position(|line| line.ends_with(address))
            .unwrap();
        lines[at + 1].rsplit("   ").next().unwrap()
    };
    assert_eq!(below("3000"), "taken 7 times", "five were counted: {page}");
    assert_eq!(below("3004"), "taken 3 of 10", "{page}");
    // A jump to itself has no arrow.
    assert!(
        lines.iter().filter(|line| line.contains('▶')).count() == 1,
        "{page}"
    );
    // One that leads to several places says how often to each.
    let page = small().report(&["--zoom=^f$", "--asm", "out"]);
    let lines = instructions(&page);
    assert!(
        lines.iter().any(|line| line.ends_with("to 2010 6 times")),
        "{page}"
    );
    assert!(
        lines.iter().any(|line| line.ends_with("to 2020 4 times")),
        "{page}"
    );
    assert_eq!(
        lines.iter().filter(|line| line.contains('▶')).count(),
        2,
        "{page}"
    );
}

/// In every part but the one in which it was taken, a jump is not recorded at all: the instruction
/// itself is. What differs in the line or in the condition is one jump.
#[test]
fn jumps_of_several_parts_are_the_same_in_all_reports() {
    let part = |counts: u32, jumps: &str| {
        format!(
            "part: {counts}\npositions: instr line\nevents: Ir\nob=x\nfl=x.c\nfn=f\n0x10 1 {counts}\n{jumps}0x18 2 {counts}\n"
        )
    };
    let stage = Stage::empty();
    let jump = "jcnd=1/2 0x18 2\n0x10 1\n";
    let other = "jcnd=1/1 0x18 3\n0x10 4\njump=7 0x20 1\n0x18 2\n";
    stage.write(
        "out",
        format!("{}{}{}", part(9, ""), part(2, jump), part(8, other)),
    );
    let page = stage.report(&["--zoom=f", "--asm", "out"]);
    assert!(page.contains("taken 2 of 19\n"), "{page}");
    for split in [&["out"][..], &["out", "--threads=4"]] {
        let jumps = stage.json(&[&["--by=instr"], split].concat())["jumps"].clone();
        let row = |from: u64, to: u64, taken: u64, executed: Option<u64>| serde_json::json!({"function": 0, "from": from, "to": to, "taken": taken, "executed": executed});
        assert_eq!(
            jumps,
            serde_json::json!([row(0x10, 0x18, 2, Some(19)), row(0x18, 0x20, 7, None)])
        );
    }
    // As in the text, nothing is said of executions where fewer are counted than jumps.
    stage.write("g", SMALL);
    let jumps = stage.json(&["--by=instr", "g"])["jumps"].clone();
    let of = |from: u64| {
        jumps
            .as_array()
            .unwrap()
            .iter()
            .find(|jump| jump["from"] == from)
            .unwrap()
    };
    assert_eq!(
        (&of(0x3000)["executed"], &of(0x3004)["executed"]),
        (&serde_json::Value::Null, &10.into())
    );
    assert_eq!(of(0x100c)["executed"], 10);
}

#[test]
fn the_dearest_instructions_are_listed() {
    let stage = small();
    let csv = stage.report(&["--by=instr", "--format=csv", "out"]);
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("Ir,address,file,line,function,object,instruction")
    );
    assert_eq!(lines.next(), Some("180,0x2020,x.c,12,f,/nowhere/x,"));
    let sum: u64 = csv
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(sum, 436, "the rows add up to the totals: {csv}");
    let two = stage.report(&["--by=instr", "-n", "2", "out"]);
    assert!(
        two.contains("180 (41.28%)  2020 x.c:12:f [/nowhere/x]\n"),
        "{two}"
    );
    assert!(
        two.contains("136 (31.19%)  (10 instructions omitted)\n"),
        "{two}"
    );
    let tsv = stage.report(&["--by=instr", "--format=tsv", "--function=^g$", "out"]);
    assert_eq!(
        tsv.lines().filter(|line| line.contains("\tg\t")).count(),
        3,
        "{tsv}"
    );
    let json = stage.json(&["--by=instr", "out"]);
    assert_eq!(json["instructions"].as_array().unwrap().len(), 12);
    assert_eq!(json["jumps"].as_array().unwrap().len(), 6);
    // What has no address is in the rest.
    stage.write("plain", "events: Ir\nfl=x.c\nfn=h\n1 64\n");
    let both = stage.report(&["--by=instr", "out", "plain"]);
    assert!(both.contains("64 (12.80%)  (the rest)\n"), "{both}");
}

/// An empty list would look like an answer.
#[test]
fn instructions_that_were_not_recorded_are_an_error() {
    let stage = small();
    stage.write(
        "plain",
        "events: Ir\nfl=x.c\nfn=h\n1 64\npart: 2\nevents: Ir\nfn=h\n2 6\n",
    );
    let why = "cgannotate: instructions are not known: the profile has no addresses; record it with --dump-instr=yes\n";
    for args in [
        &["--by=instr"][..],
        &["--by=instr", "--format=csv"],
        &["--by=instr", "--format=markdown"],
        &["--zoom=h", "--asm"],
    ] {
        let out = stage.run(&[args, &["plain"]].concat());
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(
            (out.status.code(), &out.stdout[..], said.as_str()),
            (Some(1), &b""[..], why),
            "{args:?}"
        );
    }
    // One of several shares may have none.
    let shares = stage.report(&["--by=instr", "--split=part", "plain"]);
    assert_eq!(
        shares.matches("record it with --dump-instr=yes").count(),
        2,
        "{shares}"
    );
}

#[test]
fn what_cannot_have_an_effect_is_refused() {
    let stage = small();
    for (args, why) in [
        (&["--asm", "out"][..], "--zoom <REGEX> is required"),
        (
            &["--asm-syntax=intel", "out"],
            "--asm-syntax and --objdump are for --asm and --by=instr",
        ),
        (
            &["--objdump=x", "--by=line", "out"],
            "--asm-syntax and --objdump are for --asm and --by=instr",
        ),
        (
            &["--debug-dir=x", "--by=instr", "--format=json", "out"],
            "--force and --debug-dir are for --inlined, --asm and --by=instr",
        ),
        (
            &["--by=instr", "--own", "out"],
            "--by=instr lists costs where they were recorded",
        ),
        (
            &["--zoom=f", "--asm", "--fold=x", "out"],
            "--asm cannot be used with --fold",
        ),
    ] {
        let out = stage.run(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(
            String::from_utf8_lossy(&out.stderr).contains(why),
            "{args:?}: {out:?}"
        );
    }
}

/// What depends on compilers and other tools.
#[cfg(all(target_os = "linux", feature = "object"))]
mod recorded {
    use super::super::recorded::{CPP, alone, cpp, has, record, sort};
    use super::*;
    use crate::common::amount::is_long;
    use std::collections::BTreeMap;

    /// What objdump prints of a binary, by address.
    fn objdump(stage: &Stage, args: &[&str]) -> BTreeMap<u64, String> {
        let all = [&["-d", "--no-show-raw-insn"][..], args].concat();
        let out = stage.any("objdump", &all).output().unwrap();
        assert!(out.status.success());
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let line = |line: &str| {
            let (address, text) = line.trim_start().split_once(":\t")?;
            Some((u64::from_str_radix(address, 16).ok()?, text.to_owned()))
        };
        text.lines().filter_map(line).collect()
    }

    /// An instruction without what is a matter of taste: blanks, the names behind addresses, how
    /// numbers are written.
    fn normal(text: &str) -> String {
        let text = text.split(['#', '<']).next().unwrap();
        let text: String = text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace(", ", ",");
        let mut out = String::new();
        let mut word = String::new();
        for character in text.chars().chain([' ']) {
            if character.is_ascii_alphanumeric() {
                word.push(character);
                continue;
            }
            let hex = word.strip_prefix("0x").unwrap_or(&word);
            let is_operand = out.contains(' ') && !out.ends_with('%');
            match u64::from_str_radix(hex, 16) {
                Ok(number) if is_operand => out += &format!("{number:x}"),
                _ => out += &word,
            }
            word.clear();
            out.push(character);
        }
        // A register that is both source and target is named once or twice, and a shift by one says
        // so or not.
        let mut out = out.trim_end().to_owned();
        if ["sar", "shr", "shl", "rol", "ror"]
            .iter()
            .any(|shift| out.starts_with(shift))
        {
            out = out.replacen(" $1,", " ", 1);
        }
        let parts: Vec<&str> = out.split(',').collect();
        match parts[..] {
            [first, a, b] if first.starts_with("imul $") && a == b => format!("{first},{a}"),
            _ => out,
        }
    }

    /// The instructions of a page: address and text, in order.
    fn shown(page: &str) -> Vec<(u64, String)> {
        let line = |line: &&str| {
            let rest = line
                .split_once("%)")
                .map_or(line.trim_start().trim_start_matches('.'), |(_, rest)| rest);
            let rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
            let (address, text) = rest.split_once(' ')?;
            let is_address = address.len() >= 4 && !text.starts_with("calls of ");
            Some((
                u64::from_str_radix(address, 16)
                    .ok()
                    .filter(|_| is_address)?,
                text.to_owned(),
            ))
        };
        instructions(page).iter().filter_map(line).collect()
    }

    #[test]
    fn instructions_are_those_of_the_binary() {
        if !["g++", "valgrind", "objdump"].iter().all(|tool| has(tool)) {
            return;
        }
        let stage = Stage::empty();
        sort(&stage);
        if !is_long() {
            alone(&stage, "sort.out", "sort.out");
        }
        let theirs = objdump(&stage, &["sort"]);
        let page = stage.report(&["--zoom=^main$", "--asm", "sort.out"]);
        let ours = shown(&page);
        assert!(ours.len() > 200, "{page}");
        for (address, text) in &ours {
            assert_eq!(normal(text), normal(&theirs[address]), "{address:x}");
        }
        // Each stands with what was inlined there, and calls and jumps below.
        assert!(
            page.contains(" in std::vector<…>::push_back(…) › "),
            "{page}"
        );
        assert!(page.contains("=> 10 calls of /usr/include/c++/"), "{page}");
        assert!(
            page.contains(" taken 290 of 300\n") && page.contains(" instructions without cost\n"),
            "{page}"
        );
        let intel = stage.report(&["--zoom=^main$", "--asm", "--asm-syntax=intel", "sort.out"]);
        assert_eq!(shown(&intel)[0].1, "push r15");
        // The same by the program that is installed.
        let by = stage.report(&["--zoom=^main$", "--asm", "--objdump=objdump", "sort.out"]);
        let by = shown(&by);
        assert_eq!(by.len(), ours.len());
        assert!(
            ours.iter()
                .zip(&by)
                .all(|(a, b)| a.0 == b.0 && normal(&a.1) == normal(&b.1))
        );
        let wrong = stage.report(&["--zoom=^main$", "--asm", "--objdump=/bin/true", "sort.out"]);
        assert!(
            wrong.contains("sort: `/bin/true` does not disassemble it\n"),
            "{wrong}"
        );
        // Lines of source between.
        let source = stage.report(&["--zoom=^main$", "--asm", "sort.out"]);
        assert!(
            source.contains("counts[i.key % 17] += weight(i);\n"),
            "{source}"
        );
        assert_eq!(
            shown(&source).iter().map(|one| one.0).collect::<Vec<_>>(),
            ours.iter().map(|one| one.0).collect::<Vec<_>>()
        );
        // In a list, each is the instruction at its address.
        let csv = stage.report(&["--by=instr", "--format=csv", "--object=/sort$", "sort.out"]);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows: Vec<csv::StringRecord> = reader
            .records()
            .map(Result::unwrap)
            .filter(|row| !row[1].is_empty())
            .collect();
        assert!(rows.len() > 700, "{}", rows.len());
        let same = rows.iter().filter(|row| {
            let address = u64::from_str_radix(row[1].trim_start_matches("0x"), 16).unwrap();
            normal(&row[6]) == normal(&theirs[&address])
        });
        assert!(same.count() * 100 >= rows.len() * 99, "{rows:?}");
    }

    #[test]
    fn without_debug_information_or_the_binary_there_is_what_was_recorded() {
        if !["g++", "valgrind", "strip"].iter().all(|tool| has(tool)) {
            return;
        }
        let stage = Stage::empty();
        cpp(&stage, "sort", CPP, &["-O2"]);
        record(&stage, "sort");
        let page = stage.report(&["--zoom=^main$", "--asm", "sort.out"]);
        let plain = shown(&page);
        assert!(
            plain.len() > 200 && page.contains(" ???:?\n") && !page.contains("no instructions"),
            "{page}"
        );
        // Stripped after it was recorded: the same, as nothing of it is needed.
        assert!(stage.any("strip", &["sort"]).status().unwrap().success());
        let stripped = stage.report(&["--zoom=^main$", "--asm", "sort.out"]);
        let hot: Vec<_> = shown(&stripped);
        assert!(
            hot.len() > 200 && hot.iter().all(|one| plain.contains(one)),
            "{stripped}"
        );
        // Rebuilt: one line says so, and addresses have their costs.
        cpp(&stage, "sort", CPP, &["-O3"]);
        let rebuilt = stage.report(&["--zoom=^main$", "--asm", "sort.out"]);
        assert_eq!(
            rebuilt.matches("it is not the binary that ran").count(),
            1,
            "{rebuilt}"
        );
        assert!(
            shown(&rebuilt).is_empty() && instructions(&rebuilt).len() > 200,
            "{rebuilt}"
        );
        let forced = stage.report(&["--zoom=^main$", "--asm", "--force", "sort.out"]);
        assert!(!shown(&forced).is_empty(), "{forced}");
        #[cfg(target_os = "linux")]
        {
            let explored = |option: &str| {
                let words = ["explore", option, "sort.out"];
                let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                crate::options::after_keys(stage.command(&words), "/main\ra").1
            };
            let [plain, forced] = ["", "--force"].map(explored);
            assert!(
                plain.contains("it is not the binary that ran") && !plain.contains("mov"),
                "{plain}"
            );
            assert!(
                !forced.contains("it is not the binary that ran") && forced.contains("mov"),
                "{forced}"
            );
        }
        std::fs::remove_file(stage.dir.join("sort")).unwrap();
        let gone = stage.report(&["--zoom=^main$", "--asm", "sort.out"]);
        assert_eq!(
            gone.matches("it was not found (`--map OLD=NEW` or `--debug-dir` says where it is)")
                .count(),
            1,
            "{gone}"
        );
        assert_eq!(instructions(&gone), instructions(&rebuilt));
    }

    /// The whole of the C library, where it is installed; a quarter of it in a short run.
    #[test]
    fn the_text_of_instructions_is_that_of_objdump() {
        use cgannotate::object::{Extent, Where, disassemble};
        use cgannotate::profile::Collect;
        let libc = std::path::Path::new("/lib/x86_64-linux-gnu/libc.so.6");
        if !has("objdump") || !libc.exists() {
            return;
        }
        let stage = Stage::empty();
        let mut theirs = objdump(&stage, &["-j", ".text", libc.to_str().unwrap()]);
        let least = if is_long() { 200_000 } else { 50_000 };
        // Every fourth page of memory, so that each part of the library is met.
        theirs.retain(|address, _| is_long() || (address >> 12) % 4 == 0);
        let first = theirs.keys().next().unwrap();
        let text = format!(
            "positions: instr line\nevents: Ir\nob={}\nfn=f\n{first:#x} 0 1\n",
            libc.display()
        );
        let options = cgannotate::input::Options {
            collect: Collect {
                code: true,
                ..Collect::ALL
            },
            ..cgannotate::input::Options::all()
        };
        let profile = cgannotate::input::read_from("out", text.as_bytes(), &options).unwrap();
        let object = profile
            .function(profile.function_ids().next().unwrap())
            .object;
        let addresses: Vec<u64> = theirs.keys().copied().collect();
        let wanted = (&addresses[..], Extent::Addresses);
        let ours = disassemble(
            &profile,
            profile.inlined.as_deref(),
            object,
            wanted,
            &Where::default(),
        )
        .unwrap();
        let same = ours
            .iter()
            .filter(|(address, text)| normal(text) == normal(&theirs[address]))
            .count();
        assert!(
            addresses.len() > least && ours.len() * 1000 >= addresses.len() * 999,
            "{}",
            ours.len()
        );
        assert!(
            same * 100 >= addresses.len() * 95,
            "{same} of {}",
            addresses.len()
        );
    }
}
