//! `merge`: what it writes says what its inputs say together, to us and to callgrind_annotate, in
//! whatever steps it came about.

use crate::common::amount::{at_least, is_long, some, ways};
use crate::common::fixture;
use crate::common::needed::{Required, found, starts};
use crate::common::{Stage, assert_same, fixtures, has_parts, profiles};
use serde_json::Value;

/// The whole of some profiles, without what a rewrite must change: who wrote it, how many parts and
/// which files, and the process where there are several.
fn whole(stage: &Stage, files: &[&str]) -> Value {
    let mut json = stage.json(files);
    // Callgrind's format cannot say that nobody knows what functions called: there they called
    // nothing.
    for function in json["functions"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .filter(|f| f["inclusive"].is_null())
    {
        assert!(function["called"].take().is_null());
        function["inclusive"] = function["self"].clone();
        function["called"] = 0.into();
    }
    let about = json["profile"].as_object_mut().unwrap();
    ["creator", "format", "parts", "files", "pid"]
        .iter()
        .for_each(|key| assert!(about.remove(*key).is_some()));
    json.as_object_mut().unwrap().remove("warnings").unwrap();
    json
}

/// Merges and gives what was written.
fn merged(stage: &Stage, files: &[&str], to: &str) -> String {
    let args: Vec<&str> = ["merge"]
        .iter()
        .chain(files)
        .chain(&["-o", to])
        .copied()
        .collect();
    assert_eq!(stage.report(&args), "");
    String::from_utf8_lossy(&std::fs::read(stage.dir.join(to)).unwrap()).into_owned()
}

/// Fails with the first place where two documents differ.
fn assert_equal(what: &str, want: &Value, got: &Value) {
    let text = |json| serde_json::to_string_pretty(json).unwrap();
    if want != got {
        assert_same(what, &text(want), &text(got));
    }
}

fn assert_rewritten(stage: &Stage, file: &str) {
    let once = merged(stage, &[file], "once");
    assert_equal(file, &whole(stage, &[file]), &whole(stage, &["once"]));
    assert_same(file, &once, &merged(stage, &["once"], "twice"));
}

#[test]
fn one_profile_is_rewritten_without_loss_and_only_once() {
    let stage = Stage::empty();
    some(profiles())
        .iter()
        .for_each(|name| assert_rewritten(&stage, &fixture(name)));
}

/// Some cases are no profiles, some are Xdebug's, which tell more than Callgrind's format can hold.
#[test]
fn cases_of_the_format_are_rewritten_without_loss() {
    let stage = Stage::empty();
    let mut rewritten = 0;
    let mut cases = Vec::new();
    files_below(&fixtures().join("cases"), &mut cases);
    for file in &some(cases) {
        let out = stage.run(&["merge", file, "-o", "once"]);
        let err = String::from_utf8_lossy(&out.stderr).into_owned();
        if out.status.success() && !err.contains("cannot hold the inclusive costs") {
            assert_rewritten(&stage, file);
            rewritten += 1;
        }
    }
    assert!(rewritten > at_least(50), "{rewritten}");
}

/// Every file below a folder.
fn files_below(folder: &std::path::Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path.to_str().unwrap().to_owned());
        }
    }
}

/// Whatever is lost in the first step, such as what only aprof's or Xdebug's formats have a place
/// for, is lost there.
#[test]
fn a_merge_of_a_merge_is_the_same_bytes() {
    let stage = Stage::empty();
    let (mut files, mut merges) = (Vec::new(), 0);
    files_below(&fixtures(), &mut files);
    for file in some(files)
        .iter()
        .filter(|file| !file.contains("/goldens/"))
    {
        let merge =
            |from: &str, to: &str| stage.run(&["merge", from, "-o", to, "--allow-truncated"]);
        if !merge(file, "once").status.success() {
            continue;
        }
        let out = merge("once", "twice");
        assert!(
            out.status.success(),
            "{file}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        let text = |name| {
            String::from_utf8_lossy(&std::fs::read(stage.dir.join(name)).unwrap()).into_owned()
        };
        assert_same(file, &text("once"), &text("twice"));
        merges += 1;
    }
    assert!(merges > at_least(200), "{merges}");
}

/// A function of which only the inclusive cost is known is still there.
#[test]
fn functions_without_self_cost_are_kept() {
    let stage = Stage::empty();
    let out = stage.run(&["merge", &fixture("regressions/aprof-v0.aprof"), "-o", "m"]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("cannot hold the inclusive costs"));
    let json = stage.json(&["m"]);
    // The routines of the report, one a line that begins with `r`.
    let report = std::fs::read_to_string(fixture("regressions/aprof-v0.aprof")).unwrap();
    let routines = report.lines().filter(|line| line.starts_with("r ")).count();
    assert!(routines > 100, "{routines}");
    assert_eq!(json["functions"].as_array().unwrap().len(), routines);
}

/// Profiles that belong together, and some that hardly do: other events, other tools, parts,
/// inlined code, objects.
const GROUPS: [[&str; 3]; 5] = [
    [
        "threads/workers.out-01",
        "threads/workers.out-02",
        "threads/workers.out-04",
    ],
    [
        "parts/phases.after.out.1",
        "parts/phases.after.out.2",
        "parts/phases.after.out",
    ],
    [
        "shapes/shapes.plain.out",
        "shapes/shapes.cachebranch.out",
        "shapes/shapes.combined.out",
    ],
    [
        "shapes/shapes.cg.out",
        "xtree/words.leak.kcg",
        "cache/matrix.cacheuse.toggle.out",
    ],
    [
        "cxx/inventory.out",
        "rust/balls.out",
        "cachegrind/matrix.diff.out",
    ],
];

const CACHEGRIND: [&str; 2] = ["shapes/shapes.cg.out", "cachegrind/matrix.diff.out"];

#[test]
fn a_merge_is_the_sum_in_whatever_steps() {
    let stage = Stage::empty();
    for (at, group) in GROUPS.into_iter().enumerate() {
        let [a, b, c] = &group.map(fixture);
        let all = merged(&stage, &[a, b, c], "all");
        let (mut sum, mut read) = (whole(&stage, &[a, b, c]), whole(&stage, &["all"]));
        // Of a sum with Cachegrind's profiles nobody knows what functions called, which Callgrind's
        // format cannot say.
        if group.iter().any(|name| CACHEGRIND.contains(name)) {
            for function in [&mut sum, &mut read]
                .into_iter()
                .flat_map(|json| json["functions"].as_array_mut().unwrap())
            {
                ["inclusive", "called"]
                    .iter()
                    .for_each(|key| function[*key] = Value::Null);
            }
        }
        assert_equal(group[0], &sum, &read);
        let steps: [([&str; 2], [&str; 2]); 2] = [([a, b], ["some", c]), ([b, c], [a, "some"])];
        for (first, then) in ways(at, &steps) {
            merged(&stage, &first, "some");
            assert_same(group[0], &all, &merged(&stage, &then, "stepwise"));
        }
    }
}

/// Names that look like something else, names that are none, numbers at their limits. Ids 10 and 20
/// are in use in what is written, so that a name made of them must not be taken for theirs.
fn odd_profile() -> Vec<u8> {
    let mut text = b"# callgrind format\nversion: 1\ncmd: ./odd \xff\npart: 7\nthread: 2\n\
        desc: Timerange: Basic block 0 - 9\nevent: Sum = A + 2 C : All of it\nevent: A : The first\n\
        events: A B C\nsummary: 100 0 -7\n\
        fl=(1) (12)\nfn=(1) (12)\n0 1\n+5 -3 . 4\n*\n9223372036854775807 2 2\n\
        fn=(2) (10)'2'(20)\n3 1\nfn=(3) (nothing)\n4\n\
        ob=/lib/a=b.so\nfl=\nfn=\n7 . . 1\ncob=\ncfi=(12 x\ncfn=#:=\0 \xfe\ncalls=0\n8 5\n\
        fn=???\n1 9223372036854775000\ncfn=(1)\ncalls=18446744073709551615 1\n2 1 . .\n"
        .to_vec();
    for n in 0..30 {
        text.extend(
            format!("fl=f{n}\nfn=g{n}\nfi=h{n}.h\n{n} 1\ncfn=g{n}\ncalls=1 0\n+1 1\n").bytes(),
        );
    }
    text.extend(b"part: 8\nevents: D A\nsummary: 5 6\nob=/lib/a=b.so\nfl=f1\nfn=g1\n1 5 6\n");
    text
}

#[test]
fn odd_names_and_numbers_survive() {
    let stage = Stage::empty();
    stage.write("odd", odd_profile());
    let once = merged(&stage, &["odd"], "once");
    assert_equal("odd", &whole(&stage, &["odd"]), &whole(&stage, &["once"]));
    assert_same("odd", &once, &merged(&stage, &["once"], "twice"));
    // Read right to begin with: by hand from the text above.
    let json = whole(&stage, &["once"]);
    assert_eq!(
        json["events"],
        serde_json::json!(["A", "B", "C", "D", "Sum"])
    );
    let functions = json["functions"].as_array().unwrap();
    let self_of = |name: &str, file: &str| {
        let f = functions
            .iter()
            .find(|f| f["name"] == name && f["file"] == file);
        f.unwrap_or_else(|| panic!("{name} in {file}"))["self"].clone()
    };
    assert_eq!(self_of("(12)", "(12)"), serde_json::json!([0, 2, 4, 0, 8]));
    assert_eq!(
        self_of("(10)'2'(20)", "(12)"),
        serde_json::json!([1, 0, 0, 0, 1])
    );
    assert_eq!(
        self_of("#:=\0 \u{fffd}", "(12 x"),
        serde_json::json!([0, 0, 0, 0, 0])
    );
    assert_eq!(self_of("g1", "f1"), serde_json::json!([7, 0, 0, 5, 7]));
    assert!(
        !once.contains("Timerange") && !once.contains("thread:") && !once.contains("part:"),
        "{once}"
    );
}

/// The text report tells a count that was never written from a zero; so does a rewrite.
#[test]
fn counts_that_were_never_written_stay_unwritten() {
    let stage = Stage::empty();
    stage.write("a", "events: A B C\nfl=f\nfn=g\n1 5\n2 5 0\n3\n4 1 . 0\n");
    let text = merged(&stage, &["a"], "m");
    assert!(
        text.ends_with("\nfl=(1) f\nfn=(1) g\n1 5\n2 5 0\n3\n4 1 . 0\n"),
        "{text}"
    );
}

#[test]
fn long_numbers_are_relative() {
    let stage = Stage::empty();
    stage.write(
        "a",
        "events: A\nfl=f\nfn=g\n1000 1\n1001 1\n1099 1\n2600 1\ncfn=g\ncalls=2\n2600 3\n999 1\nfn=h\n999 1\n",
    );
    let text = merged(&stage, &["a"], "m");
    let body = &text[text.find("fl=").unwrap()..];
    assert_eq!(
        body,
        "fl=(1) f\nfn=(1) g\n999 1\n+1 1\n+1 1\n+98 1\n2600 1\ncfn=(1)\ncalls=2 0\n* 3\n\nfn=(2) h\n999 1\n"
    );
}

#[test]
fn a_derived_event_of_the_command_line_is_written() {
    let stage = Stage::empty();
    stage.write("a", "event: X = A : old\nevents: A\nfl=f\nfn=g\n1 5\n");
    let text = stage.report(&["merge", "a", "--event", "X = 3 A"]);
    assert!(
        text.contains("\nevent: X = 3 A\n") && !text.contains("old"),
        "{text}"
    );
}

#[test]
fn a_failed_merge_leaves_the_output_alone() {
    let stage = Stage::empty();
    stage
        .write("a", "events: A\nfl=f\nfn=g\n1 5\n")
        .write("out", "before");
    assert_eq!(
        stage
            .run(&["merge", "a", "missing", "-o", "out"])
            .status
            .code(),
        Some(1)
    );
    assert_eq!(
        std::fs::read_to_string(stage.dir.join("out")).unwrap(),
        "before"
    );
    // The output may be one of the inputs: it is read before it is written.
    assert!(merged(&stage, &["a", "a"], "a").contains("\n1 10\n"));
}

/// Where callgrind_annotate is installed, it prints of a rewrite what it prints of the original,
/// arcs and all. It reads no parts, and not the writer's relative positions where calls without own
/// cost come first.
#[test]
fn callgrind_annotate_reads_a_rewrite_like_the_original() {
    let missing = "callgrind_annotate is not installed, so it read no rewrite (Debian: valgrind)";
    if !found(
        starts("callgrind_annotate", &["--version"]),
        Required::Reference,
        missing,
    ) {
        return;
    }
    let stage = Stage::empty();
    let list = |file: &str, options: &[&str]| {
        let args: Vec<&str> = ["--auto=no", "--threshold=100"]
            .iter()
            .chain(options)
            .chain(&[file])
            .copied()
            .collect();
        let out = stage.any("callgrind_annotate", &args).output().unwrap();
        assert!(
            out.status.success(),
            "{file}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        // Functions of equal costs come in the order of a hash.
        let mut lines: Vec<String> = text
            .lines()
            .skip_while(|line| !line.contains("PROGRAM TOTALS"))
            .map(str::to_owned)
            .collect();
        lines.sort();
        lines
    };
    for (at, name) in some(profiles())
        .iter()
        .filter(|name| !has_parts(name))
        .enumerate()
    {
        merged(&stage, &[&fixture(name)], "rewrite");
        for options in ways(at, &[&[][..], &["--inclusive=yes", "--tree=both"]]) {
            if !options.is_empty() && name == "systime/copyfile.usec.toggle.out" {
                continue;
            }
            // What its handler of a child's end cost is in the rewrite's totals; Callgrind left it
            // out of `summary:`.
            let is_handled = name == "interpreter/dash.out";
            let options = [
                options,
                if is_handled {
                    &["--show-percs=no"]
                } else {
                    &[]
                },
            ]
            .concat();
            let (mut want, got) = (list(&fixture(name), &options), list("rewrite", &options));
            if is_handled {
                want.iter_mut()
                    .for_each(|line| *line = line.replace("517,630  P", "517,666  P"));
            }
            assert!(
                want.len() > 4 || name == "parts/phases.after.out",
                "{name}: {want:?}"
            );
            assert_same(name, &want.join("\n"), &got.join("\n"));
        }
    }
}

/// A process that is not that of all is that of none.
#[test]
fn the_process_of_a_merge_is_that_of_all() {
    let stage = Stage::empty();
    let profile = |pid: u32| format!("pid: {pid}\ncmd: ./a\nevents: Ir\nfn=f\n1 10\n");
    stage
        .write("a", profile(7))
        .write("b", profile(7))
        .write("c", profile(8));
    assert!(merged(&stage, &["a", "b"], "same").contains("\npid: 7\n"));
    let all = merged(&stage, &["a", "b", "c"], "all");
    assert!(
        !all.contains("pid:") && all.contains("\ncmd: ./a\n"),
        "{all}"
    );
    assert_same(
        "in steps",
        &all,
        &merged(&stage, &["same", "c"], "stepwise"),
    );
    assert!(!merged(&stage, &["all", "c"], "again").contains("pid:"));
}

/// webgrind's files, aprof's and baselines say nothing of lines. What a function costs there is not
/// lost beside what it costs at its lines elsewhere.
#[test]
fn costs_without_lines_are_kept_beside_those_with_lines() {
    let stage = Stage::empty();
    stage.write("lines", "events: Ir\nfl=a.c\nfn=f\n3 10\n7 20\nfn=g\n9 5\n");
    stage.report(&["check", "--save-baseline=none", "lines"]);
    for inputs in [["lines", "none"], ["none", "lines"]] {
        let text = merged(&stage, &inputs, "both");
        assert!(
            text.contains("\n0 30\n3 10\n7 20\n") || text.contains("\n0 30\n+3 10\n+4 20\n"),
            "{text}"
        );
        let by_file = stage.report(&["--format=csv", "--by=file", inputs[0], inputs[1]]);
        assert_eq!(by_file, "Ir,file\r\n70,a.c\r\n");
        let both = whole(&stage, &["both"]);
        assert_eq!(both["totals"], serde_json::json!([70]));
        assert_eq!(whole(&stage, &inputs)["lines"], both["lines"]);
    }
}

/// The most memory of two runs is no sum, in whatever steps they are merged.
#[test]
fn peaks_of_memory_are_merged_in_any_steps() {
    let stage = Stage::empty();
    let run = |peak: u64| {
        format!(
            "creator: xdebug 3.2.0 (PHP 8.2.35)\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) a.php\nfn=(1) {{main}}\n1 5 7\n\nsummary: 5 {peak}\n\n"
        )
    };
    stage.write("a", run(900)).write("b", run(400));
    let merge = |files: &[&str], to: &str| {
        let args: Vec<&str> = ["merge"]
            .iter()
            .chain(files)
            .chain(&["-o", to])
            .copied()
            .collect();
        stage.report(&args);
        std::fs::read_to_string(stage.dir.join(to)).unwrap()
    };
    let at_once = merge(&["a", "b", "a"], "whole");
    assert!(
        at_once.contains("desc: Peak: Memory_(bytes)\n") && at_once.contains("summary: 15 900\n"),
        "{at_once}"
    );
    merge(&["a", "b"], "ab");
    merge(&["b", "a"], "ba");
    assert_eq!(merge(&["ab", "a"], "first"), at_once);
    assert_eq!(merge(&["a", "ba"], "last"), at_once);
}

/// Single instructions, the calls from them and jumps are those of the inputs, too.
#[test]
fn instructions_are_kept() {
    let stage = Stage::of("instr");
    stage.write(
        "plain",
        "events: Ir\nfl=(1) phases.c\nfn=main\n7 5\ncfn=more\ncalls=2 0\n7 9\nfn=more\n8 9\n",
    );
    let (a, b) = ("phases.instr-jumps.out", "inventory.instr-jumps.out");
    let keep = |files: &[&str], to: &str| {
        let args = [&["merge"][..], files, &["-o", to]].concat();
        assert_eq!(stage.report(&args), "");
        std::fs::read(stage.dir.join(to)).unwrap()
    };
    let all = [
        &[a][..],
        &[b],
        &["matrix.all.out"],
        &[a, b],
        &[a, "plain"],
        &["plain", a, a],
    ];
    // Those with several of them, and what one file alone has, are in a short run.
    let tried = if is_long() {
        all.to_vec()
    } else {
        vec![all[2], all[3], all[5]]
    };
    for files in tried {
        let kept = keep(files, "kept");
        let want = whole(&stage, &[&["--by=instr"], files].concat());
        assert!(
            want["instructions"].as_array().unwrap().len() > 100,
            "{files:?}"
        );
        assert_equal(
            &format!("{files:?}"),
            &want,
            &whole(&stage, &["--by=instr", "kept"]),
        );
        assert!(
            keep(&["kept"], "again") == kept,
            "{files:?}: a second time changes nothing"
        );
        let args = [&["convert", "--to=callgrind"], files, &["-o", "converted"]].concat();
        assert_eq!(stage.report(&args), "");
        assert!(
            std::fs::read(stage.dir.join("converted")).unwrap() == kept,
            "{files:?}"
        );
    }
    // Adding up in steps is adding up at once.
    keep(&[a, b], "two");
    assert!(keep(&["two", a], "three") == keep(&[a, b, a], "at-once"));
    // What has no addresses gets none.
    assert!(merged(&stage, &["plain"], "lines").contains("positions: line\n"));
    for filter in ["--function=main", "--own", "--zoom=main"] {
        let part = stage.report(&["convert", "--to=callgrind", filter, a]);
        assert!(part.contains("positions: line\n"), "{filter}");
    }
}

/// An address means the same code only in the same binary. Of an object whose binaries differ, none
/// is kept, whatever the steps in which the inputs are added up; the line costs are those of all.
#[test]
fn addresses_of_other_builds_are_dropped() {
    let stage = Stage::empty();
    let run = |app: &str, entry: u64| {
        format!(
            "positions: instr line\nevents: Ir\n\nob=app\nfl=a.c\nfn=main\n{app}\ncob=lib.so\n\
             cfn=f\ncalls=2 {entry:#x} 30\n0x101 6 40\n\nob=lib.so\nfl=f.c\nfn=f\n0x900 30 40\n"
        )
    };
    stage.write("a", run("0x100 5 10", 0x900));
    stage.write("line", run("0x100 7 10", 0x900));
    stage.write("moved", run("0x110 5 10", 0x900));
    stage.write("lacks", run("0 5 10", 0x900));
    let entries = "positions: instr line\nevents: Ir\nob=lib.so\nfl=f.c\nfn=g\n0x910 0 4\n\
                   cfn=h\ncalls=1 0x900 0\n0x914 0 4\nfn=h\n0x902 0 4\n";
    stage.write("entry", entries);
    let merge = |files: &[&str], to: &str| {
        let out = stage.run(&[&["merge"], files, &["-o", to]].concat());
        assert!(out.status.success(), "{out:?}");
        let text = std::fs::read_to_string(stage.dir.join(to)).unwrap();
        (text, String::from_utf8(out.stderr).unwrap())
    };
    let note = |object: &str| {
        format!(
            "cgannotate: instruction addresses of {object} are omitted: the inputs have different builds, or some cost has no address\n"
        )
    };
    for (other, said, addresses) in [
        ("a", String::new(), &["0x100", "0x900"][..]),
        // The same code further down: nothing contradicts.
        ("moved", String::new(), &["0x100", "0x900"]),
        ("line", note("app"), &["0x900"]),
        ("lacks", note("app"), &["0x900"]),
        ("entry", note("lib.so"), &["0x100"]),
    ] {
        let (text, stderr) = merge(&["a", other], "two");
        assert_eq!(stderr, said, "{other}");
        for address in ["0x100", "0x900"] {
            let has = text.contains(address);
            assert_eq!(
                has,
                addresses.contains(&address),
                "{other}: {address}\n{text}"
            );
        }
        let steps = merge(&["two", "a"], "steps").0;
        assert_eq!(steps, merge(&["a", other, "a"], "at-once").0, "{other}");
        merge(&[other, "a"], "last");
        let steps = merge(&["a", "last"], "steps").0;
        assert_eq!(steps, merge(&["a", other, "a"], "at-once").0, "{other}");
        assert_equal(
            other,
            &whole(&stage, &["a", other, "a"]),
            &whole(&stage, &["steps"]),
        );
    }
}

/// Callgrind gives levels to functions and not to their callers.
#[test]
fn levels_are_folded() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=a.rs\nfn=f'2'g'main\n1 10\nfn=f'g'main\n1 5\nfn=pad<'2'>'2'main\n2 1\n",
    );
    let fold = |from: &str, to: &str| {
        stage.report(&["merge", "--fold-recursion", from, "-o", to]);
        let json = stage.json(&[to]);
        let functions = json["functions"].as_array().unwrap().iter();
        functions
            .map(|f| {
                (
                    f["name"].as_str().unwrap().to_owned(),
                    f["self"][0].as_i64().unwrap(),
                )
            })
            .collect::<Vec<_>>()
    };
    let want = [("f'g'main".to_owned(), 15), ("pad<'2'>'main".to_owned(), 1)];
    assert_eq!(fold("p", "once"), want);
    assert_eq!(fold("once", "twice"), want);
}

/// Costs that cancel have the sum 0, which is stated as any other.
#[test]
fn sums_of_nothing_stay_stated() {
    let stage = Stage::empty();
    let of = |lines: &str, sum: i32| {
        format!("version: 1\ncmd: a\nevents: Ir\n\nfl=a.c\n{lines}summary: {sum}\n")
    };
    stage
        .write("p", of("fn=f\n1 5\n", 5))
        .write("m", of("fn=f\n1 -5\n", -5));
    stage.write("z", of("fn=f\n1 -5\nfn=g\n1 5\n", 0));
    let once = merged(&stage, &["p", "m"], "pm");
    assert!(
        once.contains("\nsummary: 0\n") && once.ends_with("totals: 0\n"),
        "{once}"
    );
    assert_eq!(merged(&stage, &["pm"], "again"), once);
    assert_eq!(
        merged(&stage, &["p", "m", "z"], "all"),
        merged(&stage, &["pm", "z"], "steps")
    );
    // Of what may have been cut nothing is stated, and nothing where nothing was or no function is.
    stage.write(
        "e",
        "version: 1\ncmd: a\nevents: Ir\nsummary: 0\n\ntotals: 0\n",
    );
    let empty = merged(&stage, &["e"], "empty");
    assert!(
        !empty.contains("summary:") && !empty.contains("totals:"),
        "{empty}"
    );
    stage.write("u", "version: 1\ncmd: a\nevents: Ir\n\nfl=a.c\nfn=f\n1 0\n");
    let cut = merged(&stage, &["z", "u"], "cut");
    assert!(
        !cut.contains("summary:") && !cut.contains("totals:"),
        "{cut}"
    );
    stage.write("n", "version: 1\ncmd: a\nevents: Ir\n\nfl=a.c\nfn=f\n1 0\n");
    let none = merged(&stage, &["n"], "none");
    assert!(
        !none.contains("summary:") && !none.contains("totals:"),
        "{none}"
    );
}

/// Runs of one thing: totals 100, 104, 90, 96 and 400.
fn runs() -> (Stage, [&'static str; 5]) {
    let stage = Stage::empty();
    let names = ["a", "b", "c", "d", "e"];
    for (name, (main, calls)) in names
        .iter()
        .zip([(40, 3), (44, 4), (30, 1), (36, 1), (340, 1)])
    {
        stage.write(
            name,
            format!(
                "# a comment\npid: 7\nevents: Ir\nfn=main\n1 {main}\ncfn=f\ncalls={calls} 1\n2 60\nfn=f\n3 60\ntotals: {}\n",
                main + 60
            ),
        );
    }
    (stage, names)
}

fn said(stage: &Stage, args: &[&str]) -> String {
    let out = stage.run(args);
    assert!(out.status.success(), "{out:?}");
    String::from_utf8(out.stderr).unwrap()
}

#[test]
fn the_median_run_is_written_as_it_is() {
    let (stage, names) = runs();
    let read = |name: &str| std::fs::read_to_string(stage.dir.join(name)).unwrap();
    for (count, median) in [(1, "a"), (2, "a"), (3, "a"), (4, "d"), (5, "a")] {
        let args = [&["merge", "--median", "-o", "m"], &names[..count]].concat();
        let told = said(&stage, &args);
        assert_eq!(read("m"), read(median), "{count}");
        // The deviations from 100 are 0, 4, 10, 4 and 300; their median is 4.
        let far = "far from the median of 100: e (400)";
        assert_eq!(told.contains(far), count == 5, "{told}");
    }
    for refused in ["--fold-recursion", "-"] {
        let out = stage.run(&["merge", "--median", refused, "a", "-o", "m"]);
        assert_eq!(out.status.code(), Some(2), "{refused}");
    }
    // A run that was cut is told by the status, as it is by that of a sum.
    let whole = std::fs::read(fixtures().join("shapes/shapes.plain.out")).unwrap();
    stage.write("cut", &whole[..3000]);
    let out = stage.run(&["merge", "--median", "cut", "-o", "m"]);
    let told = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(1), "{told}");
    assert_eq!(told.matches("[truncated]").count(), 1, "{told}");
    // All runs are judged by one event.
    stage.write("x", "events: Ir Dr\nfn=f\n1 5 900\n");
    stage.write("y", "events: Dr Ir\nfn=f\n1 3 7\n");
    stage.report(&["merge", "--median", "x", "y", "-o", "m"]);
    assert_eq!(read("m"), read("x"));
    stage.write("z", "events: Dr\nfn=f\n1 3\n");
    let out = stage.run(&["merge", "--median", "x", "z", "-o", "m"]);
    let told = String::from_utf8(out.stderr).unwrap();
    assert!(told.contains("z: it has no event Ir"), "{told}");
}

#[test]
fn the_mean_of_runs_is_written() {
    let (stage, names) = runs();
    let args = [&["merge", "--mean", "-o", "m"], &names[..]].concat();
    let told = said(&stage, &args);
    assert!(
        told.contains("far from the median of 100: e (400)"),
        "{told}"
    );
    let written = std::fs::read_to_string(stage.dir.join("m")).unwrap();
    // main: 490 / 5; ten calls of five runs are two.
    for line in ["1 98", "calls=2 0", "2 60", "3 60", "totals: 158"] {
        assert!(written.lines().any(|l| l == line), "{line}: {written}");
    }
    // One run is its own mean, and what is absent counts as 0: a third of 4, 5 and -5 is 1, 2
    // and -2. A call stays one call. The mean of the totals, 56 / 3, is rounded to 19.
    stage.write(
        "x",
        "events: Ir\nfn=f\n1 4\n2 5\n3 -5\n4 0\ncfn=g\ncalls=1 0\n5 52\nfn=g\n9 52\n",
    );
    for (runs, lines, total, said) in [
        (
            &["x"][..],
            ["1 4", "2 5", "3 -5", "calls=1 0", "5 52"],
            56,
            "",
        ),
        (
            &["x", "y", "y"],
            ["1 1", "2 2", "3 -2", "calls=1 0", "5 17"],
            18,
            "the totals are sums of rounded costs, not means: Ir 18 instead of 19",
        ),
    ] {
        stage.write("y", "events: Ir\nfn=f\n4 0\n");
        let told = self::said(&stage, &[&["merge", "--mean", "-o", "m"], runs].concat());
        assert_eq!(told.contains("the totals are"), !said.is_empty(), "{told}");
        assert!(told.contains(said), "{told}");
        let written = std::fs::read_to_string(stage.dir.join("m")).unwrap();
        for line in lines {
            assert!(written.lines().any(|l| l == line), "{line}: {written}");
        }
        let json = stage.json(&["m"]);
        assert_eq!(json["totals"][0], total, "{written}");
    }
}

/// The mean of three equal runs has the costs and counts of one.
#[test]
fn the_mean_of_real_runs_is_the_sum_divided() {
    let stage = Stage::of("shapes");
    let one = merged(&stage, &["shapes.instr-jumps.out"], "one");
    let args = |option: &'static str| {
        [
            "merge",
            option,
            "-o",
            "m",
            "shapes.instr-jumps.out",
            "shapes.instr-jumps.out",
            "shapes.instr-jumps.out",
        ]
    };
    stage.report(&args("--mean"));
    let mean = std::fs::read_to_string(stage.dir.join("m")).unwrap();
    let costs = |text: &str| {
        let lines = text.lines().skip_while(|line| !line.starts_with("events:"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (mean, one) = (costs(&mean), costs(&one));
    assert!(mean.len() > 1000);
    let is_cost = |line: &&String| !line.starts_with("totals:") && !line.starts_with("summary:");
    assert_eq!(
        mean.iter().filter(is_cost).collect::<Vec<_>>(),
        one.iter().filter(is_cost).collect::<Vec<_>>()
    );
}

#[test]
fn what_has_no_mean_is_refused() {
    let stage = Stage::empty();
    stage.write("x", "events: Ir Dr\nfn=f\n1 5 900\n");
    stage.write("z", "events: Dr\nfn=f\n1 3\n");
    let php = std::fs::read(fixtures().join("xdebug/app-x353.xdebug")).unwrap();
    stage.write("php", &php);
    stage.write("huge", format!("events: Ir\nfn=f\n1 {}\n", i64::MAX));
    for (runs, why) in [
        (["x", "z"], "z: it has no event Ir"),
        (["z", "x"], "z: it has no event Ir"),
        (["huge", "huge"], "does not fit in 64 bits"),
        (["php", "php"], "Memory_(bytes) is a peak"),
    ] {
        let out = stage.run(&[&["merge", "--mean", "-o", "m"], &runs[..]].concat());
        let told = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(1) && told.contains(why), "{told}");
        assert!(!stage.dir.join("m").exists());
    }
    let out = stage.run(&["merge", "--mean", "--median", "x", "-o", "m"]);
    assert_eq!(out.status.code(), Some(2));
}

/// The deviations from the median of 100 are 0, 5, 10, 10 and 50, or 51; their median is 10.
#[test]
fn runs_that_are_far_from_the_median_are_named() {
    let stage = Stage::empty();
    let run = |name: &str, total: i64| {
        stage.write(name, format!("events: Ir\nfn=main\n1 {total}\n"));
    };
    for (name, total) in [("a", 90), ("b", 100), ("c", 110), ("d", 95), ("e", 150)] {
        run(name, total);
    }
    let far = |names: &[&str]| {
        let args = [&["merge", "--median", "-o", "m"], names].concat();
        said(&stage, &args).contains("far from the median")
    };
    assert!(!far(&["a", "b", "c", "d", "e"]));
    run("e", 151);
    assert!(far(&["a", "b", "c", "d", "e"]));
    // Of four runs, none is named, however far it is.
    run("e", 9000);
    assert!(!far(&["b", "c", "d", "e"]));
}
