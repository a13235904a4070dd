//! Packages of split debug information (`.dwp`), made byte by byte: not every machine has a tool
//! that makes them.

use crate::common::Stage;
use crate::common::binary::{START, abbreviation, code, elf, section, unit_of};

const STRING: u64 = 8;

/// How long each function is.
const LENGTH: u32 = 10;

/// The number of a unit, as hashes are.
fn id(unit: u32) -> u64 {
    0x9e37_79b9_7f4a_7c15u64.wrapping_mul(u64::from(unit) + 1)
}

/// A split unit: a function, of which the first half is inlined from another.
fn split(unit: u32) -> Vec<u8> {
    let begin = (START + u64::from(unit * LENGTH)).to_le_bytes();
    let mut entries = b"\x01a\0".to_vec();
    // Behind the head of the unit.
    let origin = 20 + entries.len() as u32;
    entries.extend([&[2][..], format!("in{unit}\0").as_bytes()].concat());
    entries.extend([&[3][..], &begin, &LENGTH.to_le_bytes()].concat());
    entries.extend(format!("f{unit}\0").as_bytes());
    let half = (LENGTH / 2).to_le_bytes();
    entries.extend([&[4][..], &origin.to_le_bytes(), &begin, &half].concat());
    entries.extend([0, 0]);
    unit_of(5, id(unit), &entries)
}

/// A package of so many units in a table of slots, in which the last of them stand first.
fn package(units: u32, slots: u32) -> Vec<u8> {
    let table = [
        abbreviation(1, 0x11, true, &[(3, STRING)]),
        abbreviation(2, 0x2e, false, &[(3, STRING)]),
        abbreviation(3, 0x2e, true, &[(0x11, 1), (0x12, 6), (3, STRING)]),
        abbreviation(4, 0x1d, false, &[(0x31, 0x13), (0x11, 1), (0x12, 6)]),
        vec![0],
    ]
    .concat();
    let all: Vec<Vec<u8>> = (0..units).map(split).collect();
    let empty = slots - units;
    let in_slots = |of: &dyn Fn(u32) -> Vec<u8>, nothing: &[u8]| {
        let units = (0..units).rev().flat_map(of).collect::<Vec<u8>>();
        [nothing.repeat(empty as usize), units].concat()
    };
    let number = |number: u32| number.to_le_bytes().to_vec();
    // Columns of the units and of their abbreviations: where they begin, then how long they are.
    let (mut begins, mut sizes, mut begin) = (Vec::new(), Vec::new(), 0);
    for unit in &all {
        begins.extend([number(begin), number(0)].concat());
        sizes.extend([number(unit.len() as u32), number(table.len() as u32)].concat());
        begin += unit.len() as u32;
    }
    let index = [
        vec![5, 0, 0, 0],
        [number(2), number(units), number(slots)].concat(),
        in_slots(&|unit| id(unit).to_le_bytes().to_vec(), &[0; 8]),
        in_slots(&|unit| number(unit + 1), &[0; 4]),
        [number(1), number(3)].concat(),
        begins,
        sizes,
    ];
    elf(&[
        section(".debug_abbrev.dwo", table),
        section(".debug_info.dwo", all.concat()),
        section(".debug_cu_index", index.concat()),
    ])
}

/// Every unit of a package is found by its number.
#[test]
fn units_of_a_package_are_found() {
    let units = 13;
    let skeletons = (0..units).flat_map(|unit| unit_of(4, id(unit), b"\x01x.dwo\0"));
    let table = [abbreviation(1, 0x4a, false, &[(0x76, STRING)]), vec![0]].concat();
    let binary = elf(&[
        code((units * LENGTH) as usize),
        section(".debug_abbrev", table),
        section(".debug_info", skeletons.collect()),
    ]);
    let stage = Stage::empty();
    let mut text = format!(
        "creator: callgrind-3.19.0\npositions: instr line\nevents: Ir\nob={}\nfl=x.c\n",
        stage.dir.join("bin").display()
    );
    for unit in 0..units {
        text += &format!("fn=f{unit}\n");
        for at in 0..LENGTH {
            let address = START + u64::from(unit * LENGTH + at);
            text += &format!("{address:#x} 1 {}\n", unit + 1);
        }
    }
    stage.write("bin", binary).write("p", text);
    let costs = |stage: &Stage| -> Vec<String> {
        let args = ["--inlined", "--threshold=100", "--format=csv", "p"];
        let text = stage.report(&args);
        let rows = text.lines().filter(|line| line.contains(",in"));
        let mut rows: Vec<String> = rows.map(str::to_owned).collect();
        rows.sort();
        rows
    };
    assert!(costs(&stage).is_empty(), "there is no package");
    for slots in [16, 64] {
        stage.write("bin.dwp", package(units, slots));
        let found = costs(&stage);
        assert_eq!(found.len(), units as usize, "{slots}: {found:?}");
        for unit in 0..units {
            // Half of what its function costs.
            let cost = format!("{},", (unit + 1) * LENGTH / 2);
            let name = format!(",in{unit},");
            let row = found.iter().find(|row| row.contains(&name)).unwrap();
            assert!(row.starts_with(&cost), "{row}");
        }
    }
}
