//! Contexts (`--separate-callers`): lists are about functions, stacks about contexts.

use crate::common::Stage;
use serde_json::json;

#[cfg(all(unix, feature = "object"))]
mod traced;

/// `leaf` is called by `a` and `b`, which `main` calls, with two callers each.
const PLAIN: &str = "\
events: Ir
ob=/bin/x
fl=x.c
fn=main
1 1
cfn=a
calls=1 1
2 60
cfn=b
calls=1 1
3 40
fn=a
4 10
cfn=leaf
calls=5 1
5 50
fn=b
6 10
cfn=leaf
calls=3 1
7 30
fn=leaf
8 80
";

const CONTEXTS: &str = "\
events: Ir
ob=/bin/x
fl=x.c
fn=main
1 1
cfn=a'main
calls=1 1
2 60
cfn=b'main
calls=1 1
3 40
fn=a'main
4 10
cfn=leaf'a'main
calls=5 1
5 50
fn=b'main
6 10
cfn=leaf'b'main
calls=3 1
7 30
fn=leaf'a'main
8 50
fn=leaf'b'main
8 30
";

/// The sums are those of the recording without contexts: calculated by hand, and the same report.
#[test]
fn contexts_of_a_function_are_added_up() {
    let stage = Stage::empty();
    stage.write("p", PLAIN);
    let args = ["--tree=both", "--inclusive=yes", "--threshold=100", "p"];
    let whole = stage.report(&args);
    assert!(whole.contains("80 (79.21%)  *  x.c:leaf"), "{whole}");
    let list = stage.report(&["--auto=no", "p"]);
    stage.write("p", CONTEXTS);
    assert_eq!(stage.report(&args), whole);
    // Without calls in the report, names are read in the same way.
    assert_eq!(stage.report(&["--auto=no", "p"]), list);
    // As they were recorded.
    let apart = stage.report(&["--contexts", "--auto=no", "p"]);
    assert!(apart.contains("30 (29.70%)  x.c:leaf'b'main"), "{apart}");
    assert!(!apart.contains(":leaf ["), "{apart}");
    // A merge keeps what the next reader needs.
    stage.report(&["merge", "p", "-o", "q"]);
    assert!(stage.report(&["--contexts", "q"]).contains("leaf'a'main"));
    assert_eq!(stage.report(&["--auto=no", "q"]).matches("leaf").count(), 1);
}

/// `b` calls `leaf` 8 times for `slow`, which `main` calls, and twice for `fast`.
fn slow_and_fast(leaf: [&str; 2], b: [&str; 2]) -> String {
    format!(
        "events: Ir\nfl=x.c\nfn=main\n1 1\ncfn=slow\ncalls=1 1\n2 90\ncfn=fast\ncalls=1 1\n3 40\n\
             fn=slow\n4 5\ncfn={}\ncalls=1 1\n5 85\nfn=fast\n6 15\ncfn={}\ncalls=1 1\n7 25\n\
             fn={}\n8 5\ncfn={}\ncalls=8 1\n9 80\nfn={}\n8 5\ncfn={}\ncalls=2 1\n9 20\nfn={}\n10 80\nfn={}\n10 20\n",
        b[0], b[1], b[0], leaf[0], b[1], leaf[1], leaf[0], leaf[1]
    )
}

/// From the arcs alone, `fast` would pay for half of the calls of `leaf`.
#[test]
fn stacks_are_those_of_contexts() {
    let stage = Stage::empty();
    let stacks = |text: String, function: &str| {
        stage.write("p", text);
        let convert = ["convert", "--to=folded", "--min=0", "p", "-o", "-"];
        let out = stage.run(&[&convert[..], &["--function", function]].concat());
        let folded = String::from_utf8(out.stdout).unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        let leaf: Vec<String> = folded
            .lines()
            .filter(|line| line.contains(";leaf "))
            .map(|line| line.split_once(';').unwrap().1.replace("main;", ""))
            .collect();
        (leaf, said.contains("100.0 %"))
    };
    // Functions that a filter removes do not change the stacks of the others.
    for function in [".", "[^n]$"] {
        assert_eq!(
            stacks(
                slow_and_fast(["leaf'b'slow", "leaf'b'fast"], ["b'slow", "b'fast"]),
                function
            ),
            (
                vec!["slow;b;leaf 80".to_owned(), "fast;b;leaf 20".to_owned()],
                true
            )
        );
    }
    let (_, certain) = stacks(slow_and_fast(["leaf", "leaf"], ["b", "b"]), ".");
    assert!(!certain);
}

/// A flame graph is XML in which frames lie on their callers and are as wide as their cost, with
/// names as text, and bounds where a cost is not exact.
#[test]
fn flame_graphs_add_up() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "cmd: <x>\nevents: Ir\nfl=x.c\nfn=main\n1 100\ncfn=a<b>&c\ncalls=1 1\n2 300\ncfn=d\ncalls=1 1\n3 600\n\
         fn=a<b>&c\n4 100\ncfn=leaf\ncalls=1 1\n5 200\nfn=d\n6 500\ncfn=leaf\ncalls=1 1\n7 100\nfn=leaf\n8 300\n",
    );
    let svg = || stage.report(&["convert", "--to=flamegraph", "p", "-o", "-"]);
    let text = svg();
    assert_eq!(svg(), text);
    let document = roxmltree::Document::parse(&text).unwrap();
    let about = document
        .descendants()
        .find_map(|node| node.text().filter(|text| text.contains("<x>")));
    assert!(about.unwrap().contains("Ir, estimated"), "{about:?}");
    let group = document
        .descendants()
        .find(|node| node.attribute("id") == Some("frames"));
    let frames: Vec<_> = group
        .unwrap()
        .children()
        .filter(|node| node.is_element())
        .map(|frame| {
            let number = |name| frame.attribute(name).unwrap().parse::<f64>().unwrap();
            let title = frame
                .children()
                .find(|node| node.has_tag_name("title"))
                .unwrap()
                .text()
                .unwrap();
            (title.to_owned(), number("x"), number("width"), number("y"))
        })
        .collect();
    let row = |depth: f64| frames[0].3 - 17.0 * depth;
    // A main of 1,000 is 1,200 wide, and its self cost is on the left.
    let want = [
        ("main: 1,000 Ir (100.0 %)", 0.0, 1200.0, row(0.0)),
        ("d: 600 Ir (60.0 %)", 120.0, 720.0, row(1.0)),
        ("leaf: 100 Ir (10.0 %)", 720.0, 120.0, row(2.0)),
        ("a<b>&c: 300 Ir (30.0 %)", 840.0, 360.0, row(1.0)),
        ("leaf: 200 Ir (20.0 %)", 960.0, 240.0, row(2.0)),
    ];
    assert_eq!(
        frames,
        want.map(|(title, x, width, y)| (title.to_owned(), x, width, y))
    );
    assert!(
        !text.contains("href") && !text.contains("src="),
        "it loads something"
    );
}

/// A flame graph of two runs is the new one, colored by what changed. Recorded callers count.
#[test]
fn flame_graphs_of_two_runs_show_changes() {
    let stage = Stage::empty();
    let new = slow_and_fast(["leaf'b'slow", "leaf'b'fast"], ["b'slow", "b'fast"]);
    let more = [
        ("2 90", "2 110"),
        ("5 85", "5 105"),
        ("9 80", "9 100"),
        ("10 80", "10 100"),
    ];
    stage.write(
        "q",
        more.iter()
            .fold(new.clone(), |text, (a, b)| text.replace(a, b)),
    );
    let gone = "fn=main\n2 0\ncfn=gone<\ncalls=1 1\n11 7\nfn=gone<\n12 7\n";
    stage.write(
        "p",
        new.replace("fn=fast\n6 15", "fn=fast\n6 25")
            .replace("3 40", "3 50")
            + gone,
    );
    let svg = stage.report(&["diff", "--flamegraph", "p", "q", "-o", "-"]);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let all = document.descendants();
    let texts: Vec<&str> = all.clone().filter_map(|node| node.text()).collect();
    assert!(
        texts
            .iter()
            .any(|text| text.ends_with("stacks of 7 Ir are gone"))
    );
    let frames = all.filter(|node| node.has_tag_name("title")).map(|title| {
        let frame = title.parent_element().unwrap();
        let rect = title.next_sibling_element().unwrap();
        assert_eq!(frame.attribute("class"), Some("exact"), "{title:?}");
        (title.text().unwrap(), rect.attribute("fill").unwrap())
    });
    let frames: Vec<_> = frames.collect();
    for want in [
        (
            "main: 151 Ir (100.0 %, +3 since the old run)",
            "hsl(10 80% 93%)",
        ),
        (
            "leaf: 100 Ir (66.2 %, +20 since the old run)",
            "hsl(10 80% 86%)",
        ),
        (
            "fast: 40 Ir (26.5 %, -10 since the old run)",
            "hsl(215 80% 86%)",
        ),
        (
            "leaf: 20 Ir (13.2 %, 0 since the old run)",
            "hsl(215 80% 94%)",
        ),
    ] {
        assert!(frames.contains(&want), "{want:?}: {frames:?}");
    }
    // An event of one run alone does not hide the contexts of its stacks.
    let text = std::fs::read_to_string(stage.dir.join("q")).unwrap();
    let counted = |line: &str| match line.starts_with(|c: char| c.is_ascii_digit()) {
        true => line.replacen(' ', " 3 ", 1),
        false => line.replace("events: Ir", "events: Dr Ir"),
    };
    let lines = text.lines().map(|line| counted(line) + "\n");
    stage.write("q", lines.collect::<String>());
    let same = stage.report(&["diff", "--flamegraph", "p", "q", "-o", "-"]);
    assert_eq!(same, svg);
    let refused = stage.run(&["diff", "--flamegraph", "--format=json", "p", "q"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// The first quote does not begin the callers, brackets are no help, and only some functions have
/// callers (`--separate-callers2=f`).
#[test]
fn calls_tell_which_part_of_a_name_is_callers() {
    let stage = Stage::empty();
    let of = |names: [&str; 3]| {
        let [main, middle, leaf] = names;
        format!(
            "events: Ir\nfl=x.rs\nfn={main}\n1 1\ncfn={middle}\ncalls=1 1\n2 9\nfn={middle}\n3 4\ncfn={leaf}\ncalls=1 1\n4 5\nfn={leaf}\n5 5\n"
        )
    };
    let rust = "<for<'a> fn(&'a u64) as names::Run>::go";
    for (names, want) in [
        (
            [
                "names::app",
                &format!("{rust}'names::app"),
                &format!("core::f'{rust}'names::app"),
            ],
            ["names::app", rust, "core::f"],
        ),
        // The closing bracket of an operator, and a bracket that is never closed.
        (
            ["main", "operator<'main", "f'operator<'main"],
            ["main", "operator<", "f"],
        ),
        // Cut after one caller, and after none.
        (["main", "a'main", "f'a"], ["main", "a", "f"]),
        (["main", "a", "f'a'main"], ["main", "a", "f"]),
        // Levels stay, but not among callers.
        (["main", "a'2'main", "f'a'main"], ["main", "a'2", "f"]),
        // No callers at all.
        (
            ["main", "g<'a>", "h::'lambda'()"],
            ["main", "g<'a>", "h::'lambda'()"],
        ),
    ] {
        stage.write("p", of([names[0], names[1], names[2]]));
        let json = stage.json(&["p"]);
        let listed = json["functions"].as_array().unwrap().iter();
        let mut found: Vec<&str> = listed.map(|f| f["name"].as_str().unwrap()).collect();
        let mut want = want.to_vec();
        found.sort_unstable();
        want.sort_unstable();
        assert_eq!(found, want, "{names:?}");
    }
}

/// One call says that `a` is a caller in `f'a`, the other that it is not.
#[test]
fn unclear_names_stay_whole() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=x.c\nfn=a\n1 1\ncfn=f'a\ncalls=1 1\n2 9\nfn=b\n3 4\ncfn=f'a\ncalls=1 1\n4 5\nfn=f'a\n5 14\n",
    );
    let out = stage.run(&["--auto=no", "p"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains("contradict the calls stay whole: 1"),
        "{said}"
    );
    assert!(String::from_utf8(out.stdout).unwrap().contains("x.c:f'a"));
}

/// Levels of a recursion have the callers of the first, and `--fold-recursion` adds them up.
#[test]
fn levels_of_contexts_are_functions() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=x.c\nfn=main\n1 1\ncfn=f'main\ncalls=1 1\n2 9\nfn=f'main\n3 4\ncfn=f'2'main\ncalls=1 1\n4 5\n\
         fn=f'2'main\n5 5\ncfn=f'2'main\ncalls=3 1\n6 4\n",
    );
    let costs = |args: &[&str]| {
        let json = stage.json(args);
        let rows = json["functions"].as_array().unwrap().iter();
        rows.map(|f| json!([f["name"], f["self"][0]]))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        costs(&["p"]),
        [json!(["f'2", 5]), json!(["f", 4]), json!(["main", 1])]
    );
    assert_eq!(
        costs(&["--fold-recursion", "p"]),
        [json!(["f", 9]), json!(["main", 1])]
    );
    let folded = ["convert", "--to=folded", "--fold-recursion", "p", "-o", "-"];
    let folded = stage.report(&folded);
    assert!(
        folded.contains("main;f 9\n") && !folded.contains("f;f"),
        "{folded}"
    );
    stage.report(&["merge", "--fold-recursion", "p", "-o", "q"]);
    assert_eq!(
        costs(&["--contexts", "q"]),
        [json!(["f'main", 9]), json!(["main", 1])]
    );
}

/// Which quote begins the callers is not guessed, and a name is never empty.
#[test]
fn doubtful_names_stay_whole() {
    let stage = Stage::empty();
    for (caller, callee, want) in [
        (
            "lambda",
            "ns::'lambda'(int)::operator()(int)",
            "ns::'lambda'(int)::operator()(int)",
        ),
        ("a", "x::'a'::y'a", "x::'a'::y"),
        ("main", "'main", "'main"),
    ] {
        stage.write(
            "p",
            format!("events: Ir\nfl=x.c\nfn={caller}\n1 1\ncfn={callee}\ncalls=1 1\n2 9\nfn={callee}\n3 9\n"),
        );
        let json = stage.json(&["p"]);
        assert_eq!(json["functions"][0]["name"], want);
    }
}

/// A name that is long in memory and short in the input is compared only so often, and what is not
/// compared is said.
#[test]
fn names_of_many_quotes_take_no_time() {
    let stage = Stage::empty();
    let mut text = String::from("events: Ir\nfl=x.c\n");
    for n in 0..100 {
        text += &format!("fn=({n}) f{n}{}\n1 1\n", "'a".repeat(5000));
    }
    for n in 0..4000 {
        text += &format!("fn=g{n}\n1 1\ncfn=({})\ncalls=1 1\n2 1\n", n % 100);
    }
    stage.write("p", text);
    let out = stage.run(&["--auto=no", "--threshold=1", "p"]);
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("stay whole: 100")
    );
}

/// Two contexts of `f` begin stacks. One is too small to be shown, and may belong to the other.
#[test]
fn bounds_include_contexts_that_are_not_shown() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=x.c\nfn=a\n1 1\nfn=b\n1 1\nfn=f'a\n3 9000000\ncfn=g'f'a\ncalls=1 1\n4 1\nfn=f'b\n3 500\nfn=g'f'a\n5 1\n",
    );
    let svg = stage.report(&["convert", "--to=flamegraph", "p", "-o", "-"]);
    assert!(svg.contains("certainly"), "{svg}");
}

/// A context whose cost is below zero, although its function's is not.
#[test]
fn contexts_below_zero_have_no_stacks() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=x.c\nfn=a\n1 1\ncfn=f'a\ncalls=1 1\n2 -50\nfn=b\n1 1\ncfn=f'b\ncalls=1 1\n2 80\nfn=f'a\n3 -50\nfn=f'b\n3 80\n",
    );
    let out = stage.run(&["convert", "--to=folded", "p", "-o", "-"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("negative costs"), "{said}");
}

/// A derived event, a filter, a thread and all events together.
#[test]
fn contexts_do_not_limit_what_can_be_asked() {
    let stage = Stage::empty();
    let text = CONTEXTS.replace("events: Ir\n", "events: Ir\nthread: 1\n");
    stage.write("p", text);
    let folded = |options: &[&str]| {
        let args = [
            &["convert", "--to=folded", "--min=0", "p", "-o", "-"],
            options,
        ]
        .concat();
        stage.report(&args).lines().count()
    };
    assert_eq!(folded(&[]), 5);
    assert_eq!(folded(&["--event=Two = 2 Ir", "--show=Two"]), 5);
    assert_eq!(folded(&["--function=leaf"]), 1);
    let pprof = stage.run(&["convert", "--to=pprof", "p", "-o", "out.pb.gz"]);
    assert!(pprof.status.success(), "{pprof:?}");
    let split = stage.report(&["--split=thread", "--auto=no", "p"]);
    assert_eq!(split.matches(":leaf").count(), 1, "{split}");
    let page = stage.report(&["--format=html", "p"]);
    assert!(!page.contains("leaf'"), "a frame is one function");
}

/// Nothing says for which of four callers `b` calls `w` and `v`, which cost 100 together.
#[test]
fn pages_suggest_to_record_callers() {
    let stage = Stage::empty();
    let page = |known: u32| {
        let callers = (0..4).map(|n| format!("fn=c{n}\n1 0\ncfn=b\ncalls=1 1\n2 25\n"));
        stage.write(
            "p",
            format!(
                "events: Ir\nfl=x.c\nfn=alone\n9 {known}\n{}fn=b\n1 0\ncfn=w\ncalls=1 1\n2 50\ncfn=v\ncalls=1 1\n2 50\nfn=w\n3 50\nfn=v\n4 50\n",
                callers.collect::<String>()
            ),
        );
        let page = stage.report(&["--format=html", "--auto=no", "p"]);
        format!("{:?}", crate::page::data(&page).texts("about")).contains("record --stacks")
    };
    assert!(page(99));
    assert!(!page(101));
}
