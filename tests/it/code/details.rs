//! What `record` appends to a profile: it is known without the binary, and nothing breaks the
//! profile before it.

use super::recorded::{FLAT, cpp, has};
use crate::annotate::first_screen::{on_screen, plain};
use crate::common::Stage;
use crate::common::amount::is_long;
use crate::common::needed::{Required, found, starts, succeeds};
use std::fs;

const OPTIONS: [&str; 2] = ["-g", "-O2"];

/// A folder with `flat` and its recording `p`; `None` if g++ or
/// valgrind is missing.
fn stage(more: &[&str]) -> Option<Stage> {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return None;
    }
    let stage = Stage::empty();
    cpp(&stage, "flat", FLAT, &OPTIONS);
    record(&stage, more, "p");
    Some(stage)
}

/// Records the program into a file of this name.
fn record(stage: &Stage, more: &[&str], to: &str) {
    let out = stage.run(&[&["record", "-o", to], more, &["--", "./flat"]].concat());
    assert!(out.status.success(), "{out:?}");
    let name = fs::read_dir(&stage.dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| name.starts_with(&format!("{to}.")))
        .unwrap();
    fs::rename(stage.dir.join(name), stage.dir.join(to)).unwrap();
}

fn text(stage: &Stage, name: &str) -> String {
    fs::read_to_string(stage.dir.join(name)).unwrap()
}

/// Splits a recording into the profile and its details.
fn divided(text: &str) -> (&str, &str) {
    text.split_at(text.find("\n#cgannotate-1 ").unwrap() + 1)
}

/// Standard output and standard error.
fn told(stage: &Stage, args: &[&str]) -> (String, String) {
    let out = stage.run(args);
    assert!(out.status.success(), "{args:?}: {out:?}");
    let [printed, said] = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
    (printed, said)
}

/// After the program was built again, the older recording says the same; without details, it does
/// not.
#[test]
fn an_old_recording_reads_the_same_after_a_new_build() {
    let Some(stage) = stage(&[]) else { return };
    let whole = text(&stage, "p");
    stage.write("bare", divided(&whole).0);
    let questions: [&[&str]; 3] = [
        &["--own", "--inlined", "--by=line", "--format=csv"],
        &["--inlined", "--threshold=100", "--auto=no"],
        &["--own", "--inlined", "--format=json"],
    ];
    let ask = |file: &str| questions.map(|options| told(&stage, &[options, &[file]].concat()).0);
    let before = ask("p");
    let was = fs::read(stage.dir.join("flat")).unwrap();
    cpp(
        &stage,
        "flat",
        &FLAT.replace("int main", "\n\n\n\nint main"),
        &OPTIONS,
    );
    assert_eq!(ask("p"), before);
    assert_ne!(ask("bare"), before);
    // The instructions are not in the profile, and those of the new binary are others.
    let (asm, _) = told(&stage, &["--asm", "--zoom=main", "p"]);
    assert!(
        asm.contains("its build id is not the recorded one"),
        "{asm}"
    );
    let (asm, _) = told(&stage, &["--asm", "--zoom=main", "--force", "p"]);
    assert!(!asm.contains("is not the recorded one"), "{asm}");
    record(&stage, &[], "q");
    let compared = || told(&stage, &["diff", "--own", "--inlined", "p", "q"]).0;
    let rebuilt = compared();
    fs::write(stage.dir.join("flat"), was).unwrap();
    assert_eq!(compared(), rebuilt);
}

/// Truncated or changed details never change the report of the profile.
#[test]
fn the_profile_is_whole_whatever_becomes_of_its_details() {
    let Some(stage) = stage(&[]) else { return };
    let whole = text(&stage, "p");
    let (profile, details) = divided(&whole);
    assert!(
        details.len() * 100 <= profile.len() * 12,
        "{}",
        details.len()
    );
    let report = |name: &str, text: &str| {
        stage.write(name, text);
        told(&stage, &["--auto=no", name])
    };
    let (want, said) = report("x", profile);
    let ignored = "the details that were recorded with this profile are ignored: ";
    assert!(
        said.contains(&format!("{ignored}they are missing")),
        "{said}"
    );
    assert_eq!(report("x", &whole), (want.clone(), String::new()));
    let step = if is_long() { 97 } else { 2099 };
    for end in (profile.len() + 1..whole.len()).step_by(step) {
        let (printed, said) = report("x", &whole[..end]);
        assert_eq!(printed, want, "{end}");
        assert!(said.contains(ignored), "{end}: {said}");
    }
    let changed = profile.replacen("positions: instr line", "positions: instr line ", 1) + details;
    let (printed, said) = report("x", &changed);
    assert_eq!(printed, want);
    assert!(
        said.contains("the profile was changed after it was recorded"),
        "{said}"
    );
    // A transfer as text changes the ends of lines.
    let (_, said) = report("x", &whole.replace('\n', "\r\n"));
    assert!(
        said.contains("the profile was changed after it was recorded"),
        "{said}"
    );
    let (_, said) = report("x", &(whole.clone() + "fn=(1)\n1 5\n"));
    assert!(said.contains("other lines follow them"), "{said}");
    // What is too long is not read, and what the header does not announce is not looked for.
    let line = format!("#cgannotate-1 {}\n", "!".repeat(1 << 20));
    let (_, said) = report("x", &(whole.clone() + &line.repeat(16)));
    assert!(said.contains("they are truncated or too long"), "{said}");
    let (_, said) = report("x", &(whole.clone() + &line.repeat(15)));
    assert!(said.contains("they are corrupt"), "{said}");
    let late = |bytes: usize| {
        let long = format!("cmd: {}\n", "x".repeat(bytes));
        let begins = whole.find("desc: Details").unwrap();
        report("x", &[&whole[..begins], &long, &whole[begins..]].concat()).1
    };
    assert!(late(60_000).contains(ignored) && late(70_000).is_empty());
    let unannounced = whole.replacen("desc: Details: at the end of the file\n", "", 1);
    assert_eq!(report("x", &unannounced).1, "");
}

/// A profile of many functions that are inlined in a small one has no room for all.
#[test]
fn the_cheapest_code_is_left_out() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    // Names that compress badly.
    let name = |n: u64| {
        let digits =
            (1..5).map(|at| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(at * 13) ^ n);
        digits
            .map(|part| format!("_{part:016x}"))
            .collect::<String>()
    };
    let functions: String = (0..1500)
        .map(|n| {
            format!(
                "static inline int {}(int x) {{ return x * {n} + (x >> {}); }}\n",
                name(n),
                n % 7
            )
        })
        .collect();
    let calls: String = (0..1500)
        .map(|n| format!("  s += {}(s);\n", name(n)))
        .collect();
    let program = format!(
        "{functions}static inline int hot(int x) {{ return x * x % 7; }}\nint main(int n, char **) {{\n  int s = n;\n{calls}  \
         for (int i = 0; i < 100000; i++) s += hot(s + i);\n  return s == 0;\n}}\n"
    );
    cpp(&stage, "flat", &program, &OPTIONS);
    let out = stage.run(&["record", "-o", "p", "--", "./flat"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains(" % of the cost: they are limited to 12 % of the profile (8 KiB, if that is more) and to"),
        "{said}"
    );
    let name = said.trim_end().rsplit(' ').next().unwrap().to_owned();
    let whole = text(&stage, &name);
    let (profile, details) = divided(&whole);
    assert!(details.len() * 100 <= profile.len() * 12);
    assert!(details.len() * 100 > profile.len() * 3, "{}", details.len());
    // Of what is left out, the binary that is there says as much as without details.
    stage.write("bare", profile);
    let ask = |file: &str| told(&stage, &["--inlined", "--format=csv", file]).0;
    assert_eq!(ask(&name), ask("bare"));
    let screen = on_screen(100, 40, stage.command(&["--paging=never", &name])).0;
    let partly = "\ninlined code: from the profile; flat: inlined functions are known for 99.";
    assert!(plain(&screen).contains(partly), "{screen}");
    // Without the binary, the hottest code is known, and a note says how much.
    let row = |csv: &str, name: &str| {
        let mut rows = csv.lines().filter(|row| row.contains(name));
        rows.next().map(str::to_owned)
    };
    let before = row(&ask(&name), ",hot,");
    assert!(before.is_some());
    fs::remove_file(stage.dir.join("flat")).unwrap();
    let (list, said) = told(&stage, &["--inlined", "--format=csv", &name]);
    assert_eq!(row(&list, ",hot,"), before);
    assert!(
        said.contains("flat: inlined functions are known for 9"),
        "{said}"
    );
    let screen = on_screen(100, 40, stage.command(&["--paging=never", &name])).0;
    assert!(plain(&screen).contains(partly), "{screen}");
    // A later build of it is not asked, though it has the same instructions.
    let other = program.replacen("int main", "/* */ int main", 1);
    cpp(&stage, "flat", &other, &OPTIONS);
    assert_eq!(ask(&name), list);
}

/// A profile of a few kilobytes has details, too.
#[test]
fn a_small_profile_has_room_for_details() {
    let Some(stage) = stage(&["--only", "main"]) else {
        return;
    };
    let whole = text(&stage, "p");
    let (profile, details) = divided(&whole);
    assert!(
        profile.len() < 8000 && details.len() < 8192,
        "{}",
        details.len()
    );
    let ask = || told(&stage, &["--inlined", "--format=csv", "p"]).0;
    let before = ask();
    fs::remove_file(stage.dir.join("flat")).unwrap();
    assert_eq!(ask(), before);
}

/// At a terminal and on a page, your inlined functions are shown without being asked for, if they
/// are known. Programs get what they ask for.
#[test]
fn people_need_not_ask_for_inlined_functions() {
    let Some(stage) = stage(&[]) else { return };
    cpp(
        &stage,
        "flat",
        &FLAT
            .replace("int main", "\n\n\n\nint main")
            .replace("< 20", "< 30"),
        &OPTIONS,
    );
    record(&stage, &[], "q");
    stage.write("bare", divided_or_whole(&text(&stage, "p")));
    let shown = |args: &[&str]| {
        let args = [args, &["--paging=never"]].concat();
        plain(&on_screen(200, 60, stage.command(&args)).0)
    };
    const KNOWN: &str = "cgannotate: inlined code: from the profile\n";
    for form in [
        &["diff", "--own", "--by=line", "p", "q"][..],
        &["--own", "--by=line", "p"],
    ] {
        let asked = [form, &["--inlined"]].concat();
        let screen = shown(form);
        assert!(
            screen.contains(KNOWN) && screen.contains("weight"),
            "{screen}"
        );
        assert_eq!(screen.replace(KNOWN, ""), shown(&asked));
        assert_ne!(told(&stage, form).0, told(&stage, &asked).0);
    }
    for form in [&["diff", "p", "q"][..], &["p"]] {
        let page = |more: &[&str]| {
            let args = [form, &["--own", "--format=html"], more].concat();
            told(&stage, &args).0
        };
        assert!(page(&[]) == page(&["--inlined"]));
    }
    let screen = shown(&["diff", "--own", "bare", "q"]);
    assert!(
        screen.contains("inlined functions of the old run are not known"),
        "{screen}"
    );
    assert!(!screen.contains("weight"), "{screen}");
}

/// Details are of their own input: another one can be of another build, and threads have other
/// addresses of the same.
#[test]
fn details_speak_of_their_own_input() {
    let Some(stage) = stage(&[]) else { return };
    let ask = |files: &[&str]| {
        let args = [&["--own", "--inlined", "--by=line", "--format=csv"], files].concat();
        told(&stage, &args).0
    };
    record(&stage, &[], "again");
    let sum = ask(&["p", "again"]);
    assert!(sum.contains(",weight,"), "{sum}");
    let other = FLAT.replace("int main", "\n\n\n\nint main");
    cpp(&stage, "flat", &other, &OPTIONS);
    // Two recordings of one build need no binary.
    assert_eq!(ask(&["p", "again"]), sum);
    record(&stage, &["--no-details"], "q");
    // With an input that says nothing of its build, the binary decides, and it is another.
    for (whole, part) in [("p", "bare"), ("q", "q")] {
        stage.write(part, divided_or_whole(&text(&stage, whole)));
    }
    assert_eq!(ask(&["p", "q"]), ask(&["bare", "q"]));
}

fn divided_or_whole(text: &str) -> String {
    let end = text
        .find("\n#cgannotate-1 ")
        .map_or(text.len(), |at| at + 1);
    text[..end].replace("desc: Details: at the end of the file\n", "")
}

/// callgrind_annotate takes the lines for comments.
#[test]
fn the_original_reads_a_profile_with_details() {
    let missing = "callgrind_annotate is not installed, so it read no profile with details";
    if !found(
        starts("callgrind_annotate", &["--version"]),
        Required::Reference,
        missing,
    ) {
        return;
    }
    let Some(stage) = stage(&[]) else { return };
    let annotated = |name: &str, text: &str| {
        stage.write(name, text);
        let out = stage.any("callgrind_annotate", &[name]).output().unwrap();
        assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
        // Its order of files is another each time.
        let text = String::from_utf8(out.stdout).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let whole = text(&stage, "p");
    assert_eq!(annotated("x", &whole), annotated("x", divided(&whole).0));
}

/// So does gprof2dot.
#[test]
fn gprof2dot_reads_a_profile_with_details() {
    let missing =
        "gprof2dot is not installed (pip install gprof2dot), so it read no profile with details";
    let is_there = succeeds("python3", &["-m", "gprof2dot", "--help"]);
    if !found(is_there, Required::Nowhere, missing) {
        return;
    }
    let Some(stage) = stage(&[]) else { return };
    let drawn = |text: &str| {
        stage.write("x", text);
        let args = ["-m", "gprof2dot", "-f", "callgrind", "x"];
        let out = stage.any("python3", &args).output().unwrap();
        assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    let whole = text(&stage, "p");
    let graph = drawn(&whole);
    assert!(graph.contains("main"), "{graph}");
    assert_eq!(graph, drawn(divided(&whole).0));
}

#[test]
fn nothing_is_appended_if_that_is_asked_for() {
    let Some(stage) = stage(&["--no-details"]) else {
        return;
    };
    let text = text(&stage, "p");
    assert!(!text.contains("cgannotate-1") && !text.contains("desc: Details"));
}

/// A comparison says what else differs, and says nothing of equal runs.
#[test]
fn comparisons_say_what_else_differs() {
    let Some(stage) = stage(&[]) else { return };
    for other in ["q", "r"] {
        record(&stage, &[], other);
    }
    assert_eq!(told(&stage, &["diff", "p", "q"]).1, "");
    let limit = "--limit=total.Ir <= +5%";
    let (_, said) = told(&stage, &["check", limit, "--baseline=q", "p"]);
    assert_eq!(said, "");
    let mut command = stage.command(&["record", "-o", "s", "--", "./flat"]);
    command.env("MALLOC_ARENA_MAX", "1");
    cpp(&stage, "flat", FLAT, &["-g", "-O1"]);
    assert!(command.output().unwrap().status.success());
    let s = fs::read_dir(&stage.dir).unwrap();
    let s = s.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let s = s.into_iter().find(|name| name.starts_with("s.")).unwrap();
    for args in [
        &["diff", "p", &s][..],
        &["check", "--limit=total.Ir <= +500%", "--baseline=p", &s],
    ] {
        let (_, said) = told(&stage, args);
        let is_cause = |line: &&str| !line.contains(" % of the change is in code whose source");
        let differ: Vec<&str> = said.lines().filter(is_cause).collect();
        assert_eq!(differ.len(), 2, "{said}");
        assert!(
            differ[0].contains("$MALLOC_ARENA_MAX differs: none in the old run, 1 in the new run")
        );
        assert!(
            differ[1].contains("the compiler differs: ") && differ[1].contains(" -O1"),
            "{said}"
        );
    }
}

/// A comparison says first how much of the change is in code whose source is the same.
#[test]
fn comparisons_say_how_much_of_the_source_changed() {
    const PROGRAM: &str = "static volatile int sum;\nstatic void add(int n) {\n  for (int i = 0; i < n; i++)\n    \
                           sum = sum + i;\n}\nint main(int n, char **) {\n  sum = n;\n  add(n * 100000);\n}\n";
    if stage(&[]).is_none() {
        return;
    }
    let stage = Stage::empty();
    let record = |program: &str, arguments: &[&str], to: &str| {
        cpp(&stage, "flat", program, &OPTIONS);
        let args = [&["record", "-o", to, "--", "./flat"], arguments].concat();
        let out = stage.run(&args);
        let said = String::from_utf8(out.stderr).unwrap();
        said.trim_end().rsplit(' ').next().unwrap().to_owned()
    };
    let old = record(PROGRAM, &[], "old");
    let again = record(PROGRAM, &[], "again");
    let more = record(PROGRAM, &["x"], "more");
    let moved = record(
        &PROGRAM.replace("static void", "\n\n  static void"),
        &["x"],
        "moved",
    );
    let edited = record(&PROGRAM.replace("sum + i", "sum + i / 3"), &[], "edited");
    let first = |new: &str| {
        let (_, said) = told(&stage, &["diff", &old, new]);
        said.lines().next().unwrap_or_default().to_owned()
    };
    let unchanged = "of the change is in code whose source did not change";
    assert_eq!(first(&again), "");
    assert_eq!(first(&more), format!("cgannotate: 100 % {unchanged}"));
    let said = first(&moved);
    assert!(said.contains(&format!(" % {unchanged}; ")), "{said}");
    assert!(said.ends_with("flat.cpp was edited"), "{said}");
    assert!(!first(&edited).contains(unchanged), "{}", first(&edited));
    // A line with a text that another function has is an edited one.
    let other = PROGRAM
        .replace(
            "int main",
            "static void other(int n) {\n  for (int i = 0; i < n; i++)\n    sum = sum + i / 3;\n}\nint main",
        )
        .replace("sum = n;", "sum = n; other(20000);");
    let was = record(&other, &[], "was");
    let copied = record(
        &other.replace("sum = sum + i;", "sum = sum + i / 3;"),
        &[],
        "copied",
    );
    let (_, said) = told(&stage, &["diff", &was, &copied]);
    assert!(!said.contains(unchanged), "{said}");
    // A source that was edited after the build is not what ran.
    cpp(&stage, "flat", PROGRAM, &OPTIONS);
    stage.write("flat.cpp", PROGRAM.replace("sum + i", "sum - i"));
    let out = stage.run(&["record", "-o", "late", "--", "./flat"]);
    let said = String::from_utf8(out.stderr).unwrap();
    let late = said.trim_end().rsplit(' ').next().unwrap();
    let (_, said) = told(&stage, &["diff", late, &more]);
    assert!(!said.contains(unchanged), "{said}");
    // What a new line calls is not said to be somebody else's change.
    let calls = PROGRAM
        .replace("static volatile", "#include <stdlib.h>\nstatic volatile")
        .replace(
            "sum = n;",
            "sum = n; for (int i = 0; i < 20000; i++) free(malloc(n));",
        );
    let calls = record(&calls, &[], "calls");
    assert!(!first(&calls).contains(unchanged), "{}", first(&calls));
    let limit = "--limit=total.Ir <= +500%";
    let baseline = format!("--baseline={old}");
    let (_, said) = told(&stage, &["check", limit, &baseline, &more]);
    assert!(
        said.starts_with(&format!("cgannotate: 100 % {unchanged}\n")),
        "{said}"
    );
    let text = text(&stage, &old);
    assert!(!text.contains("sum + i"), "{text}");
}

/// The C library has several variants of a function, and one of them runs.
#[test]
fn comparisons_name_variants_for_the_processor() {
    let stage = Stage::empty();
    let run = |functions: &[&str]| {
        let rows = functions.iter().map(|name| format!("fn={name}\n1 10\n"));
        let total = functions.len() * 10;
        format!(
            "cmd: ./m\nevents: Ir\nsummary: {total}\nob=/lib/libc.so.6\nfl=???\n{}totals: {total}\n",
            rows.collect::<String>()
        )
    };
    stage.write(
        "a",
        run(&["__memcpy_sse2_unaligned", "__strlen_avx2", "__memset_erms"]),
    );
    stage.write(
        "b",
        run(&[
            "__memcpy_avx_unaligned_erms",
            "__strlen_avx2",
            "__memset_erms",
            "__memset_avx2",
        ]),
    );
    let limit = "--limit=total.Ir <= +500%";
    for args in [
        &["diff", "a", "b"][..],
        &["check", limit, "--baseline=a", "b"],
    ] {
        let (_, said) = told(&stage, args);
        assert!(said.contains("such as __memcpy_sse2_unaligned in the old run and __memcpy_avx_unaligned_erms in the new run\n"), "{said}");
    }
    assert_eq!(told(&stage, &["diff", "a", "a"]).1, "");
    stage.write("c", run(&["__memcpy_sse2_unaligned", "__memset_avx2"]));
    assert!(
        !told(&stage, &["diff", "b", "b"])
            .1
            .contains("the C library")
    );
    assert!(
        told(&stage, &["diff", "a", "c"])
            .1
            .contains("such as __memset_erms in the old run and __memset_avx2")
    );
}

/// A constructor that the compiler writes belongs to the lines that use it, also if it is called.
#[test]
fn implicit_members_belong_to_the_lines_that_use_them() {
    const PROGRAM: &str = "#include <string>\nstruct Item {\n  std::string a, b;\n};\nint main() {\n  Item one{\"a name that \
                           needs memory\", \"b\"};\n  Item two = one;\n  return two.a.size() == 9;\n}\n";
    if stage(&[]).is_none() {
        return;
    }
    let stage = Stage::empty();
    cpp(&stage, "flat", PROGRAM, &["-g", "-O0"]);
    record(&stage, &[], "p");
    let lines = || {
        told(
            &stage,
            &["--own", "--inlined", "--by=line", "--format=csv", "p"],
        )
        .0
    };
    let list = lines();
    assert!(
        list.contains(",7,main,") && !list.contains("Item::Item"),
        "{list}"
    );
    fs::remove_file(stage.dir.join("flat")).unwrap();
    assert_eq!(lines(), list);
    let calls = told(&stage, &["--own", "--inlined", "--auto=yes", "p"]).0;
    assert!(calls.contains(":Item::Item(Item const&) (1x"), "{calls}");
}
