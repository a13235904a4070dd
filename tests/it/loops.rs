//! The loops of a function, as `--zoom --asm` lists them.

use crate::common::Stage;

/// The rows about the loops of a function, without costs.
fn loops(stage: &Stage, function: &str, profile: &str) -> Vec<String> {
    let zoom = format!("--zoom=^{function}$");
    let page = stage.report(&[&zoom, "--asm", "--auto=no", "--fold-recursion", profile]);
    let rows = page.lines().filter(|line| line.contains(": loop of "));
    rows.map(|row| row.split_once(')').unwrap().1.trim_end().to_owned())
        .collect()
}

/// A function `f` of these instructions of four bytes: how often each ran, and its jumps as their
/// kind and numbers and the target.
fn profile(code: &[(u64, &[(&str, usize)])]) -> String {
    let mut text = "positions: instr line\nevents: Ir\nob=/nowhere/x\nfl=x.c\nfn=f\n".to_owned();
    for (at, (ran, jumps)) in code.iter().enumerate() {
        let address = |at: usize| 0x1000 + 4 * at;
        text += &format!("{:#x} {} {ran}\n", address(at), at + 1);
        for (jump, to) in *jumps {
            text += &format!(
                "{jump} {:#x} 1\n{:#x} {}\n",
                address(*to),
                address(at),
                at + 1
            );
        }
    }
    text
}

/// Loops inside each other, each of which jumps back once.
fn nest(count: usize) -> String {
    let mut code: Vec<(u64, Vec<(&str, usize)>)> = Vec::new();
    for at in 0..count {
        code.push((at as u64 + 2, Vec::new()));
    }
    for at in (0..count).rev() {
        code.push((at as u64 + 2, vec![("jcnd=1/2", at)]));
    }
    code.push((1, Vec::new()));
    let code: Vec<(u64, &[_])> = (code.iter())
        .map(|(ran, jumps)| (*ran, &jumps[..]))
        .collect();
    profile(&code)
}

#[test]
fn fifty_loops_inside_each_other_are_found() {
    for count in [50, 51] {
        let stage = Stage::empty();
        stage.write("out", nest(count));
        let loops = loops(&stage, "f", "out");
        assert_eq!(loops.len(), 50, "{loops:#?}");
        let outer = "x.c:1 at 1000: loop of 2.0 iterations, entered 1 time";
        assert_eq!(loops[0].trim(), outer);
        let inner = "x.c:50 at 10c4: loop of 1.0 iterations, entered 50 times";
        assert_eq!(loops[49].trim(), inner);
        // Two columns for each loop around it.
        let indented = |row: &String| row.len() - row.trim_start().len();
        assert_eq!(indented(&loops[49]) - indented(&loops[0]), 98);
    }
}

/// An instruction has at most 15 bytes, so code that is further away does not run after a return.
#[test]
fn code_after_a_return_is_not_entered_from_there() {
    for (gap, found) in [(15, 0), (16, 1)] {
        let [head, back, end] = [0, 4, 8].map(|at| 0x1010 + gap + at);
        let text = format!(
            "positions: instr line\nevents: Ir\nob=/nowhere/x\nfl=x.c\nfn=f\n0x1010 1 2\n\
             {head:#x} 2 6\n{back:#x} 3 6\njcnd=3/6 {head:#x} 2\n{back:#x} 3\n{end:#x} 4 3\n"
        );
        let stage = Stage::empty();
        stage.write("out", text);
        assert_eq!(loops(&stage, "f", "out").len(), found, "{gap} bytes");
    }
}

#[test]
fn code_with_two_entries_is_no_loop() {
    let stage = Stage::empty();
    let back = ("jcnd=3/5", 1);
    let code: [(u64, &[_]); 5] = [
        (2, &[("jcnd=1/2", 2)]),
        (4, &[]),
        (5, &[]),
        (5, &[back]),
        (2, &[]),
    ];
    stage.write("out", profile(&code));
    let page = stage.report(&["--zoom=f", "--asm", "out"]);
    assert!(page.contains("taken 3 of 5"), "{page}");
    assert!(!page.contains("loop"), "{page}");
}

/// Callgrind skips the PLT, and the call has its instructions. A call that throws does not return.
#[test]
fn calls_are_counted_by_what_they_call() {
    let said = |ran: u64, cost: u64, back: u64, after: &str| {
        let text = format!(
            "positions: instr line\nevents: Ir\nob=/nowhere/x\nfl=x.c\nfn=f\n0x10 1 1\n\
             0x14 2 {ran}\n0x18 3 {cost}\ncfn=g\ncalls={ran} 0x90 9\n0x18 3 500\n\
             0x1c 4 {}\njcnd={back}/9 0x14 2\n0x1c 4\n{after}fn=g\n0x90 9 500\n",
            ran - u64::from(after.is_empty())
        );
        let stage = Stage::empty();
        stage.write("out", text);
        loops(&stage, "f", "out").concat().trim().to_owned()
    };
    let plain = "x.c:2 at 14: loop of 10.0 iterations, entered 1 time";
    assert_eq!(said(10, 10, 9, "0x20 5 1\n"), plain);
    assert_eq!(said(10, 30, 9, "0x20 5 1\n"), plain);
    assert_eq!(said(10, 10, 9, ""), plain);
}

/// With `--toggle-collect`, Valgrind counts jumps where it does not count instructions.
#[test]
fn counts_that_do_not_fit_make_no_loops() {
    let text = |back: u64, after: u64| {
        let jump = format!("jcnd={back}/100");
        profile(&[(10, &[]), (100, &[]), (100, &[(&jump, 1)]), (after, &[])])
    };
    let why = "loops are not known: jump counts do not fit instruction counts\n";
    for (text, found) in [
        (text(90, 10), true),
        (text(95, 10), false),
        (text(90, 9), false),
        (text(101, 1), false),
    ] {
        let stage = Stage::empty();
        stage.write("out", text);
        let page = stage.report(&["--zoom=f", "--asm", "out"]);
        assert_eq!(
            page.contains("loop of 10.0 iterations, entered 10 times"),
            found,
            "{page}"
        );
        assert_eq!(page.contains(why), !found, "{page}");
    }
}

/// Programs whose loops count themselves.
#[cfg(all(target_os = "linux", feature = "object"))]
mod recorded {
    use super::*;
    use crate::code::recorded::{has, record};

    #[test]
    fn loops_iterate_as_often_as_programs_count() {
        if !["gcc", "valgrind"].iter().all(|tool| has(tool)) {
            return;
        }
        let stage = Stage::empty();
        stage.write("loops.c", include_str!("loops.c.txt"));
        for level in ["-O0", "-O2"] {
            let args = ["-g", level, "-o", "loops", "loops.c"];
            assert!(stage.any("gcc", &args).status().unwrap().success());
            record(&stage, "loops");
            let out = stage.any("./loops", &[]).output().unwrap();
            let counts = String::from_utf8(out.stdout).unwrap();
            assert_eq!(counts.lines().count(), 12);
            for line in counts.lines() {
                let (function, counts) = line.split_once(' ').unwrap();
                let counts: Vec<u64> = counts.split(' ').map(|n| n.parse().unwrap()).collect();
                let counted = counts.chunks(2).filter(|pair| pair[0] > 0).map(|pair| {
                    let average = pair[1] as f64 / pair[0] as f64;
                    format!("loop of {average:.1} iterations, entered {} times", pair[0])
                });
                let listed = loops(&stage, function, "loops.out");
                let listed = listed
                    .iter()
                    .map(|row| row.split_once(": ").unwrap().1.replace(',', ""));
                assert_eq!(
                    listed.collect::<Vec<_>>(),
                    counted.map(|row| row.replace(',', "")).collect::<Vec<_>>(),
                    "{function} {level}"
                );
            }
        }
    }
}
