//! Linkage names in a profile (Rust's two schemes, C++), as rustc, KLEE and Callgrind with
//! `--demangle=no` write them.

use crate::common::Stage;

const MANGLED: &str = "\
events: Ir
fl=x.c
fn=main
1 5
cfn=_ZN3foo3barEi
calls=1 1
2 60
cfn=_ZN3app3run17h0123456789abcdefE
calls=1 1
3 40
cfn=_RNvCs1234_7mycrate3foo
calls=1 1
4 30
fn=_ZN3foo3barEi
4 60
fn=_ZN3app3run17h0123456789abcdefE
5 40
fn=_RNvCs1234_7mycrate3foo
6 30
fn=_Znonsense
7 2
";

/// The names are those that c++filt and rustfilt print.
#[cfg_attr(not(feature = "object"), ignore = "C++ needs the feature object")]
#[test]
fn names_are_demangled() {
    let stage = Stage::empty();
    stage.write("p", MANGLED);
    let report = stage.report(&["--auto=no", "--tree=calling", "p"]);
    for name in ["foo::bar(int)", "app::run", "mycrate::foo"] {
        assert!(report.contains(&format!("*  x.c:{name}\n")), "{report}");
        assert!(report.contains(&format!(">   x.c:{name} (1x)")), "{report}");
    }
    assert!(report.contains("x.c:_Znonsense"), "{report}");
    // As they were recorded.
    for option in ["--contexts", "--compat"] {
        let report = stage.report(&[option, "--auto=no", "p"]);
        assert!(report.contains("x.c:_ZN3foo3barEi"), "{option}: {report}");
    }
    stage.report(&["merge", "p", "-o", "q"]);
    let merged = std::fs::read_to_string(stage.dir.join("q")).unwrap();
    assert!(merged.contains("_RNvCs1234_7mycrate3foo"), "{merged}");
}

/// Functions that differ in Rust's hash are one, as Callgrind itself writes them; with their
/// recorded callers, too.
#[test]
fn functions_of_one_name_are_added_up() {
    let stage = Stage::empty();
    let run = |hash| format!("_ZN3app3run17h{hash:016x}E");
    stage.write(
        "p",
        format!(
            "events: Ir\nfn=main\n1 1\ncfn={0}'main\ncalls=1 1\n2 60\ncfn={1}'main\ncalls=2 1\n3 40\n\
             fn={0}'main\n4 20\ncfn=leaf'{0}'main\ncalls=1 1\n4 40\nfn={1}'main\n4 40\nfn=leaf'{0}'main\n9 40\n",
            run(1),
            run(2)
        ),
    );
    let report = stage.report(&["--auto=no", "--tree=calling", "--inclusive=yes", "p"]);
    assert!(report.contains("*  ???:app::run\n"), "{report}");
    assert!(
        report.contains("100 (99.01%)  >   ???:app::run (3x)"),
        "{report}"
    );
}

/// Filters, `--zoom` and limits take a name as it was recorded, and as it is shown.
#[cfg_attr(not(feature = "object"), ignore = "C++ needs the feature object")]
#[test]
fn both_forms_of_a_name_match() {
    let stage = Stage::empty();
    stage.write("p", MANGLED);
    for name in ["_ZN3foo3barEi", r"^foo::bar\(int\)$"] {
        let report = stage.report(&["--auto=no", "--function", name, "p"]);
        assert!(report.contains("foo::bar(int)"), "{report}");
        assert!(!report.contains("x.c:main"), "{report}");
        let zoom = stage.report(&["--zoom", name, "p"]);
        assert!(zoom.contains("foo::bar(int)"), "{zoom}");
    }
    let mangled = ["_ZN3foo3barEi", "\"_ZN3foo3barEi\"", "/_ZN3foo3barEi/"];
    for name in mangled.into_iter().chain(["foo::bar(int)"]) {
        let limit = format!("self.Ir({name}) <= 59");
        let out = stage.run(&["check", "p", "--limit", &limit]);
        assert_eq!(out.status.code(), Some(3), "{out:?}");
        // There, functions have the names that were recorded.
        let out = stage.run(&["check", "--contexts", "p", "--limit", &limit]);
        let is_mangled = mangled.contains(&name);
        assert_eq!(
            out.status.code(),
            Some(if is_mangled { 3 } else { 4 }),
            "{out:?}"
        );
    }
}
