//! What is known of binaries, which are made byte by byte here.

use super::all_of;
use crate::common::Stage;
use crate::common::binary::{START, abbreviation, at, code, elf, lines, section, unit};
use crate::common::needed::{Required, found, starts};
use std::fmt::Write as _;

const STRING: u64 = 8;

/// A binary of one function of so many instructions, and what is inlined there: each function
/// inside the one before, from an instruction on, so many of them.
fn inlined(length: u32, inside: &[(u64, u32)]) -> Vec<u8> {
    let table = [
        abbreviation(1, 0x11, true, &[(3, STRING)]),
        abbreviation(2, 0x2e, false, &[(3, STRING)]),
        abbreviation(3, 0x2e, true, &[(0x11, 1), (0x12, 6), (3, STRING)]),
        abbreviation(4, 0x1d, true, &[(0x31, 0x13), (0x11, 1), (0x12, 6)]),
        vec![0],
    ];
    let mut info = b"\x01a\0".to_vec();
    let mut origins = Vec::new();
    for at in 0..inside.len() {
        origins.push(11 + info.len() as u32);
        info.extend([&[2][..], format!("in{at}\0").as_bytes()].concat());
    }
    info.extend(
        [
            &[3][..],
            &START.to_le_bytes(),
            &length.to_le_bytes(),
            b"f\0",
        ]
        .concat(),
    );
    for (origin, (from, length)) in origins.iter().zip(inside) {
        let from = (START + from).to_le_bytes();
        info.extend(
            [
                &[4][..],
                &origin.to_le_bytes(),
                &from,
                &length.to_le_bytes(),
            ]
            .concat(),
        );
    }
    info.extend(vec![0; inside.len() + 2]);
    elf(&[
        code(length as usize),
        section(".debug_abbrev", table.concat()),
        section(".debug_info", unit(0, &info)),
    ])
}

/// A folder with a binary, and a profile of a function of its with these rows.
fn recorded(binary: Vec<u8>, positions: &str, rows: &str) -> Stage {
    let stage = Stage::empty();
    let text = format!(
        "creator: callgrind-3.19.0\npositions: {positions}\nevents: Ir\nob={}\nfl=x.c\nfn=f\n{rows}",
        stage.dir.join("bin").display()
    );
    stage.write("bin", binary).write("p", text);
    stage
}

/// Rows of the first instructions, by their costs.
fn instructions(costs: impl IntoIterator<Item = u64>) -> String {
    let mut rows = String::new();
    for (address, cost) in (START..).zip(costs) {
        writeln!(rows, "{address:#x} 1 {cost}").unwrap();
    }
    rows
}

/// Fifty levels of inlined functions are indented.
#[test]
fn inlined_functions_are_indented_up_to_a_level() {
    let inside: Vec<(u64, u32)> = (0..53).map(|at| (at, 60 - at as u32)).collect();
    let rows = instructions([5; 60]);
    let text = recorded(inlined(60, &inside), "instr line", &rows).report(&[
        "--inlined",
        "--zoom=f",
        "--auto=no",
        "p",
    ]);
    let begins: Vec<usize> = (0..53)
        .map(|at| {
            let end = format!("+ in{at}");
            let line = text.lines().find(|line| line.ends_with(&end));
            line.unwrap_or_else(|| panic!("{text}")).len() - end.len()
        })
        .collect();
    assert_eq!(begins[50] - begins[0], 100, "{text}");
    assert_eq!(begins[51..], [begins[50]; 2], "{text}");
}

/// Inlined functions with a hundredth of a function are shown in it.
#[test]
fn inlined_functions_with_a_hundredth_are_shown() {
    for (rest, is_shown) in [(99, true), (100, false)] {
        let rows = instructions([1, rest]);
        let text = recorded(inlined(2, &[(0, 1)]), "instr line", &rows).report(&[
            "--inlined",
            "--zoom=f",
            "--auto=no",
            "p",
        ]);
        assert_eq!(text.contains("+ in0"), is_shown, "{text}");
    }
}

/// Objects without debug information that have a hundredth of the cost are noted, and five of them.
#[test]
fn objects_without_debug_information_are_noted() {
    let noted = |costs: &[u64]| {
        let objects = costs
            .iter()
            .enumerate()
            .map(|(at, cost)| format!("ob=/nowhere/o{at}\nfl=a.c\nfn=f{at}\n0x1000 1 {cost}\n"));
        let stage = Stage::empty();
        let text = objects.collect::<String>();
        stage.write("p", format!("positions: instr line\nevents: Ir\n{text}"));
        let text = all_of(&stage, &["--inlined", "--auto=no", "p"]);
        (
            text.matches("\n/nowhere/o").count(),
            text.contains("and 1 more object"),
        )
    };
    assert_eq!([noted(&[10; 5]), noted(&[10; 6])], [(5, false), (5, true)]);
    assert_eq!([noted(&[990, 10]).0, noted(&[991, 9]).0], [2, 1]);
}

/// Without addresses, a binary is the one that ran if it has 99 lines of a hundred, by their cost.
#[test]
fn a_binary_has_99_lines_of_a_hundred() {
    let table = [
        abbreviation(1, 0x11, false, &[(3, STRING), (0x1b, STRING), (0x10, 0x17)]),
        vec![0],
    ];
    let program = [&at(START)[..], &[1, 2, 1, 3, 1, 1, 0, 1, 1]].concat();
    let binary = elf(&[
        code(64),
        section(".debug_abbrev", table.concat()),
        section(".debug_info", unit(0, b"\x01a\0\0\0\0\0\0")),
        section(".debug_line", lines(b"", b"x.c\0\0\0\0", &program)),
    ]);
    for (elsewhere, is_it) in [(10, true), (11, false)] {
        let rows = format!("1 {}\n77 {elsewhere}\n", 1000 - elsewhere);
        let text = recorded(binary.clone(), "line", &rows).report(&["--inlined", "--auto=no", "p"]);
        assert_eq!(
            text.contains("it is not the binary that ran"),
            !is_it,
            "{text}"
        );
        assert_eq!(text.contains("known only by line"), is_it, "{text}");
    }
}

/// Whether somebody can say what instructions are.
fn has_objdump() -> bool {
    let missing = "objdump is not installed, so nothing tells instructions";
    found(starts("objdump", &["--version"]), Required::Tools, missing)
}

/// The instructions that a function's page shows, without numbers: the first, so many, and one
/// more.
fn shown(between: u64) -> Vec<String> {
    let end = START + between + 1;
    let rows = format!("{START:#x} 1 5\n{end:#x} 1 5\n");
    let text = recorded(elf(&[code(300)]), "instr line", &rows).report(&[
        "--zoom=f",
        "--asm",
        "--auto=no",
        "p",
    ]);
    let (_, list) = text.split_once(" instructions (100%").unwrap();
    let list = list.lines().skip(2).take_while(|line| !line.is_empty());
    list.map(|line| line.rsplit_once("  ").unwrap().1.to_owned())
        .collect()
}

/// Four instructions without cost are shown by their number.
#[test]
fn four_instructions_without_cost_are_not_shown() {
    if !has_objdump() {
        return;
    }
    assert_eq!(shown(3).len(), 1 + 2 + 3);
    let four = shown(4);
    assert_eq!(four.len(), 1 + 2 + 1, "{four:?}");
    assert!(four[2].contains("4 instructions without cost"), "{four:?}");
}

/// Where no function is known, code of 64 bytes between two addresses is of one.
#[test]
fn code_between_close_addresses_is_of_one_function() {
    if !has_objdump() {
        return;
    }
    let close = shown(64);
    assert!(
        close[2].contains("64 instructions without cost"),
        "{close:?}"
    );
    assert_eq!(shown(65).len(), 1 + 2);
}

/// In the list of all, an instruction has a line of its own where its place would have less than 28
/// columns.
#[cfg(target_os = "linux")]
#[test]
fn places_of_instructions_have_28_columns() {
    use crate::annotate::first_screen::{on_screen, plain};
    if !has_objdump() {
        return;
    }
    let rows = format!("{START:#x} 1 5\n");
    let binary = elf(&[code(300)]);
    let stage = recorded(binary, "instr line", &rows);
    let mut rooms = Vec::new();
    for columns in 40..60u16 {
        let args = ["--by=instr", "--auto=no", "--paging=never", "p"];
        let text = plain(&on_screen(columns, 24, stage.command(&args)).0);
        let line = text.lines().find(|line| line.contains("401000")).unwrap();
        if line.ends_with("  nop") {
            let place = line.find("401000").unwrap() + "401000 ".len();
            rooms.push(usize::from(columns) - place - "  nop".len());
        }
    }
    assert_eq!(rooms.first(), Some(&28), "{rooms:?}");
}

/// Eight pieces of code are disassembled one by one; of more, all from the first to the last is at
/// once.
#[cfg(unix)]
#[test]
fn a_disassembler_runs_eight_times() {
    use std::os::unix::fs::PermissionsExt;
    for (pieces, runs) in [(8, 8), (9, 1)] {
        let rows = (0..pieces).map(|at| format!("{:#x} 1 5\n", START + 100 * at));
        let rows = rows.collect::<String>();
        let stage = recorded(elf(&[code(1000)]), "instr line", &rows);
        let script = "#!/bin/sh\nfor word; do case $word in --start-address=0x*)\n\
                      echo run >>runs; printf '  %s:\\tnop\\n' \"${word#*0x}\";;\nesac; done\n";
        stage.write("tool", script);
        let is_run = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(stage.dir.join("tool"), is_run).unwrap();
        let args = ["--zoom=f", "--asm", "--auto=no", "--objdump=./tool", "p"];
        let text = stage.report(&args);
        assert!(text.contains("401000 nop"), "{text}");
        let log = std::fs::read_to_string(stage.dir.join("runs")).unwrap();
        assert_eq!(log.lines().count(), runs, "{text}");
    }
}
