//! Packs and pages are passed on, and what a profile names is not always a source: what may be in
//! them, and what is told of it.
#![cfg(unix)]

use crate::common::Stage;
use std::os::unix::fs::symlink;

/// A profile of functions in these files, each with a cost in its first line.
fn profile(files: &[&str]) -> String {
    let functions: String = files
        .iter()
        .enumerate()
        .map(|(at, file)| format!("fl={file}\nfn=f{at}\n1 1000\n"))
        .collect();
    format!(
        "version: 1\ncreator: by hand\nevents: Ir\n{functions}totals: {}\n",
        1000 * files.len()
    )
}

/// What a pack and two pages hold, unpacked, and what they say.
fn made(stage: &Stage, options: &[&str]) -> (String, String) {
    let (mut held, mut said) = (String::new(), String::new());
    for line in [
        "pack p -o out",
        "p --format=html -o out",
        "diff p q --format=html -o out",
    ] {
        let line: Vec<&str> = line.split(' ').collect();
        let out = stage.run(&[&line[..], options].concat());
        assert!(out.status.success(), "{line:?}: {out:?}");
        held += &match line[0] {
            "pack" => stage.report(&["out", "--auto=yes"]),
            _ => std::fs::read_to_string(stage.dir.join("out")).unwrap(),
        };
        said += &format!("{}\n", String::from_utf8_lossy(&out.stderr));
    }
    (held, said)
}

/// Pages have their sources packed, so that a file is told by what the program says of it.
#[test]
fn what_is_no_source_is_not_passed_on() {
    let (stage, far) = (Stage::empty(), Stage::empty());
    far.add("lib/far.c", "int far_away;\n");
    stage
        .add("a.c", "int a;\n")
        .add("vector", "int vector;\n")
        .add("Makefile", "make:\n")
        .add("x.php", "<?php\n");
    stage
        .add("blob", "int blob\0;\n")
        .add(".ssh/id_rsa", "secret key\n")
        .add("blob.c", "int c\0;\n");
    symlink("/etc/passwd", stage.dir.join("link.c")).unwrap();
    symlink(".ssh", stage.dir.join("keys")).unwrap();
    let far_file = far.dir.join("lib/far.c");
    let far_file = far_file.to_str().unwrap();
    let all = [
        "a.c",
        "vector",
        "Makefile",
        "x.php",
        "blob",
        "blob.c",
        ".ssh/id_rsa",
        "keys/id_rsa",
        "link.c",
        "/etc/passwd",
        "/proc/self/status",
        far_file,
    ];
    stage
        .write("p", profile(&all))
        .write("q", profile(&all).replace("1000", "2000"));
    let (held, said) = made(&stage, &[]);
    let count = |text: &str| held.matches(text).count();
    assert!(
        !held.contains("secret key") && !held.contains("root:") && !held.contains("int blob"),
        "{held}"
    );
    // A pack shows it in its report, pages as they are.
    for text in ["int a;", "int vector;", "make:", "<?php", "int far_away;"] {
        assert!(count(text) > 0, "{text}: {held}");
    }
    let told = format!("{far_file}: the output contains this source from outside the project\n");
    assert_eq!(
        said.matches("from outside the project").count(),
        3,
        "{said}"
    );
    assert_eq!(said.matches(&told).count(), 3, "{said}");
    assert!(
        said.contains("below /etc, /proc or .ssh, and -I does not name its folder"),
        "{said}"
    );
}

/// Whoever names such a folder means it.
#[test]
fn what_was_named_is_passed_on() {
    let stage = Stage::empty();
    stage
        .add(".ssh/tool.c", "int tool;\n")
        .write("p", profile(&["tool.c", "/gone/tool2.c"]));
    stage.write(
        "q",
        profile(&["tool.c", "/gone/tool2.c"]).replace("1000", "2000"),
    );
    stage.add(".ssh/tool2.c", "int second;\n");
    let (held, _) = made(&stage, &["-I", ".ssh"]);
    assert!(
        held.contains("int tool;") && held.contains("int second;"),
        "{held}"
    );
    let (held, _) = made(&stage, &["--map", "/gone=.ssh"]);
    assert!(
        !held.contains("int tool;") && held.contains("int second;"),
        "{held}"
    );
    let (held, _) = made(&stage, &["-I", "."]);
    assert!(
        !held.contains("int tool;") && !held.contains("int second;"),
        "{held}"
    );
}
