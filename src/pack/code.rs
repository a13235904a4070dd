//! Writes and reads what a pack knows about the code of one object: the functions inlined at each
//! address, as JSON, and machine code as it is, piece after piece. `Wire` describes both.
//!
//! Numbers are written as distances from the previous one, which are small and compress well.

use super::manifest::ManifestName;
use crate::profile::carried::{
    CarriedCode, CarriedFunction, CarriedLink, CarriedObject, CarriedRun,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Chains have at most this many links; the reader of debug information ends them before.
const DEEPEST: u32 = 512;

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Wire {
    /// Bits of an x86 processor; 0 for any other.
    bits: u32,
    /// Names of files.
    files: Vec<ManifestName>,
    /// Name, symbol, index of the file.
    functions: Vec<(ManifestName, ManifestName, u32)>,
    /// The indices of functions that the compiler wrote, in order.
    generated: Vec<u32>,
    /// The distance to the number of the chain around it, the distance of the function from the
    /// previous one, the file, the line.
    chains: Vec<(u32, i64, u32, u64)>,
    /// From the last address of the previous run to the first of this one. From there to the last
    /// address. The distance of the chain's number from the previous one.
    runs: Vec<(u64, u64, i64)>,
    /// Addresses and names.
    names: Vec<(u64, ManifestName)>,
    /// Addresses of called functions that the compiler wrote.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    called_generated: BTreeSet<u64>,
    /// For each function of the symbol table, the distance from the beginning of the previous one,
    /// and the size.
    symbols: Vec<(u64, u64)>,
    /// For each piece of machine code: the distance from the previous piece, the number of
    /// instructions without cost that end there, the length, and the number of bytes after it.
    pieces: Vec<(u64, u64, u64, u64)>,
    /// The same in version 1: the address, the length, the number of bytes in all.
    #[serde(skip_serializing)]
    code: Vec<(u64, u64, u64)>,
}

/// The two files of an object: the JSON and the machine code; each is `None` if it would be empty.
pub(super) fn write(object: &CarriedObject) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
    let mut wire = Wire {
        bits: object.bits,
        called_generated: object.generated.clone(),
        ..Wire::default()
    };
    wire.files = object.files.iter().cloned().map(ManifestName).collect();
    let function = |one: &CarriedFunction| {
        (
            ManifestName(one.name.clone()),
            ManifestName(one.symbol.clone()),
            one.file,
        )
    };
    wire.functions = object.functions.iter().map(function).collect();
    let generated = (0..)
        .zip(&object.functions)
        .filter(|(_, one)| one.is_generated);
    wire.generated = generated.map(|(at, _)| at).collect();
    let mut before = 0;
    for (number, link) in (1u32..).zip(&object.chains) {
        let function = i64::from(link.function);
        wire.chains.push((
            number.wrapping_sub(link.outer),
            function - before,
            link.file,
            link.line,
        ));
        before = function;
    }
    let (mut last, mut before) = (0, 0);
    for run in &object.runs {
        let chain = i64::from(run.chain);
        wire.runs.push((
            run.first.wrapping_sub(last),
            run.last.wrapping_sub(run.first),
            chain - before,
        ));
        (last, before) = (run.last, chain);
    }
    wire.names = object
        .names
        .iter()
        .map(|(&address, name)| (address, ManifestName(name.clone())))
        .collect();
    let mut last = 0;
    let mut further = |address: u64| address.wrapping_sub(std::mem::replace(&mut last, address));
    wire.pieces = (object.code.iter())
        .map(|(&address, piece)| {
            let (further, length) = (further(address), piece.end.wrapping_sub(address));
            (
                further,
                piece.cold.min(further),
                length,
                (piece.bytes.len() as u64).wrapping_sub(length),
            )
        })
        .collect();
    further(0);
    wire.symbols = object
        .symbols
        .iter()
        .map(|(&begin, &end)| (further(begin), end.wrapping_sub(begin)))
        .collect();
    let code: Vec<u8> = object
        .code
        .values()
        .flat_map(|piece| &piece.bytes)
        .copied()
        .collect();
    let is_empty = wire.runs.is_empty() && wire.names.is_empty() && wire.pieces.is_empty();
    // Numbers and strings: this cannot fail.
    let json = serde_json::to_vec(&wire).unwrap_or_default();
    (
        (!is_empty).then_some(json),
        (!code.is_empty()).then_some(code),
    )
}

/// Reads the two files of an object.
///
/// # Errors
/// A sentence says what is wrong with them.
pub(super) fn read(json: Option<&[u8]>, code: Option<&[u8]>) -> Result<CarriedObject, String> {
    let wire: Wire = json.map_or(Ok(Wire::default()), |json| {
        serde_json::from_slice(json).map_err(|e| e.to_string())
    })?;
    let files: Vec<Vec<u8>> = wire.files.into_iter().map(|name| name.0).collect();
    let known = |file: u32| {
        if (file as usize) < files.len() {
            Ok(file)
        } else {
            Err("a file is missing")
        }
    };
    let mut functions = Vec::new();
    for (at, (name, symbol, file)) in (0..).zip(wire.functions) {
        functions.push(CarriedFunction {
            is_generated: wire.generated.binary_search(&at).is_ok(),
            name: name.0,
            symbol: symbol.0,
            file: known(file)?,
        });
    }
    let mut chains = Vec::new();
    let mut depths = vec![0u32];
    let mut before = 0;
    for (around, further, of, line) in wire.chains {
        let number = depths.len() as u32;
        let outer = number
            .checked_sub(around)
            .filter(|&outer| outer < number)
            .ok_or("a chain contains itself")?;
        let depth = depths
            .get(outer as usize)
            .copied()
            .unwrap_or(0)
            .saturating_add(1);
        let function =
            moved(before, further).filter(|&function| (function as usize) < functions.len());
        let Some(function) = function.filter(|_| depth <= DEEPEST) else {
            return Err("a chain has no function, or too many".into());
        };
        before = function;
        depths.push(depth);
        chains.push(CarriedLink {
            outer,
            function,
            file: known(of)?,
            line,
        });
    }
    let mut runs: Vec<CarriedRun> = Vec::new();
    for (gap, length, further) in wire.runs {
        let run = || {
            let (last, chain) = runs
                .last()
                .map_or((None, 0), |run| (Some(run.last), run.chain));
            let first = last
                .unwrap_or(0)
                .checked_add(gap)
                .filter(|&first| last.is_none_or(|last| first > last))?;
            let chain = moved(chain, further).filter(|&chain| (chain as usize) < depths.len())?;
            Some(CarriedRun {
                first,
                last: first.checked_add(length)?,
                chain,
            })
        };
        let run = run().ok_or("a range of addresses is invalid")?;
        runs.push(run);
    }
    let mut pieces = BTreeMap::new();
    let mut rest = code.unwrap_or_default();
    let mut address = 0u64;
    let mut before = 0;
    let old = wire.code.into_iter().map(|(address, length, bytes)| {
        (
            address.wrapping_sub(std::mem::replace(&mut before, address)),
            0,
            length,
            bytes.wrapping_sub(length),
        )
    });
    for (further, cold, length, more) in wire.pieces.into_iter().chain(old) {
        address = address.checked_add(further).ok_or(NOWHERE)?;
        let end = address.checked_add(length).ok_or(NOWHERE)?;
        let bytes = length
            .checked_add(more)
            .and_then(|bytes| rest.split_at_checked(usize::try_from(bytes).ok()?));
        let (bytes, behind) = bytes
            .filter(|_| cold <= further && !pieces.contains_key(&address))
            .ok_or("a piece of machine code is missing")?;
        pieces.insert(
            address,
            CarriedCode {
                cold,
                end,
                bytes: bytes.to_vec(),
            },
        );
        rest = behind;
    }
    let mut symbols = BTreeMap::new();
    let mut begin = 0u64;
    for (further, size) in wire.symbols {
        begin = begin.checked_add(further).ok_or(NOWHERE)?;
        symbols.insert(begin, begin.checked_add(size).ok_or(NOWHERE)?);
    }
    if !rest.is_empty() {
        return Err("there is more machine code than listed".into());
    }
    Ok(CarriedObject {
        bits: wire.bits,
        generated: wire.called_generated,
        files,
        functions,
        chains,
        runs,
        symbols,
        names: wire
            .names
            .into_iter()
            .map(|(address, name)| (address, name.0))
            .collect(),
        code: pieces,
        ..CarriedObject::default()
    })
}

const NOWHERE: &str = "a piece of machine code ends past the last address";

/// A number at a distance from another one.
fn moved(number: u32, further: i64) -> Option<u32> {
    u32::try_from(i64::from(number).checked_add(further)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object() -> CarriedObject {
        let function = |name: &[u8], symbol: &[u8], file| CarriedFunction {
            name: name.to_vec(),
            symbol: symbol.to_vec(),
            file,
            is_generated: file == 1,
        };
        CarriedObject {
            bits: 64,
            files: vec![b"/x/a.c".to_vec(), b"y".to_vec()],
            functions: vec![function(b"f", b"_f", 0), function(b"g\xff", b"", 1)],
            chains: vec![
                CarriedLink {
                    outer: 0,
                    function: 1,
                    file: 0,
                    line: 7,
                },
                CarriedLink {
                    outer: 1,
                    function: 0,
                    file: 0,
                    line: 0,
                },
            ],
            runs: vec![
                CarriedRun {
                    first: 0,
                    last: 0x1000,
                    chain: 2,
                },
                CarriedRun {
                    first: 0x1001,
                    last: 0x1001,
                    chain: 0,
                },
                CarriedRun {
                    first: 0x2000,
                    last: u64::MAX,
                    chain: 1,
                },
            ],
            names: [(0x1000, b"start".to_vec())].into(),
            generated: [0x1001].into(),
            symbols: [(0xff0, 0x1004), (0x5000, 0x5000)].into(),
            code: [
                (0x1000, 3, 0x1003, vec![1, 2, 3, 4]),
                (0x1003, 0, 0x1004, vec![4]),
                (0x5000, 7, 0x5001, vec![5]),
            ]
            .map(|(address, cold, end, bytes)| (address, CarriedCode { cold, end, bytes }))
            .into(),
            ..CarriedObject::default()
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let (json, code) = write(&object());
        assert_eq!(code.as_deref(), Some(&[1, 2, 3, 4, 4, 5][..]));
        let read = read(json.as_deref(), code.as_deref()).unwrap();
        assert_eq!(read, object());
        let chains = [0, 0xfff, 0x1001, 0x1002, 0x2000]
            .map(|address| read.run(address).map(|run| run.chain));
        assert_eq!(chains, [Some(2), Some(2), Some(0), None, Some(1)]);
        assert_eq!(write(&CarriedObject::default()), (None, None));
        // Only calls were counted there.
        let alone = CarriedObject {
            runs: Vec::new(),
            names: BTreeMap::new(),
            ..object()
        };
        let (json, code) = write(&alone);
        assert_eq!(
            super::read(json.as_deref(), code.as_deref()).unwrap(),
            alone
        );
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let wrong = |json: &str, code: &[u8]| read(Some(json.as_bytes()), Some(code)).unwrap_err();
        let deep: String = (0..600).map(|_| ",[1,0,0,1]".to_owned()).collect();
        let chains = |rows: &str| {
            format!("{{\"files\":[\"a\"],\"functions\":[[\"f\",\"\",0]],\"chains\":[{rows}]}}")
        };
        for (json, code, why) in [
            (
                "{\"functions\":[[\"f\",\"\",0]]}".to_owned(),
                &b""[..],
                "a file is missing",
            ),
            (chains("[0,0,0,1]"), b"", "a chain contains itself"),
            (chains("[2,0,0,1]"), b"", "a chain contains itself"),
            (
                chains("[1,1,0,1]"),
                b"",
                "a chain has no function, or too many",
            ),
            (
                chains(&deep[1..]),
                b"",
                "a chain has no function, or too many",
            ),
            (
                chains("[1,-1,0,1]"),
                b"",
                "a chain has no function, or too many",
            ),
            (
                chains("[1,9223372036854775807,0,1]"),
                b"",
                "a chain has no function, or too many",
            ),
            (chains("[1,0,1,1]"), b"", "a file is missing"),
            (
                "{\"runs\":[[1,0,1]]}".into(),
                b"",
                "a range of addresses is invalid",
            ),
            (
                "{\"runs\":[[1,1,0],[0,1,0]]}".into(),
                b"",
                "a range of addresses is invalid",
            ),
            (
                "{\"runs\":[[18446744073709551615,1,0]]}".into(),
                b"",
                "a range of addresses is invalid",
            ),
            (
                "{\"code\":[[0,2,2]]}".into(),
                b"1",
                "a piece of machine code is missing",
            ),
            (
                "{\"code\":[[4,2,1]]}".into(),
                b"1",
                "a piece of machine code is missing",
            ),
            (
                "{\"code\":[[4,2,2],[4,1,1]]}".into(),
                b"123",
                "a piece of machine code is missing",
            ),
            (
                "{\"code\":[[4,2,2],[3,1,1]]}".into(),
                b"123",
                "a piece of machine code ends past the last address",
            ),
            (
                "{\"pieces\":[[4,0,1,1]]}".into(),
                b"1",
                "a piece of machine code is missing",
            ),
            (
                "{\"pieces\":[[4,9,0,18446744073709551615]]}".into(),
                b"1",
                "a piece of machine code is missing",
            ),
            (
                "{\"pieces\":[[4,5,1,0]]}".into(),
                b"1",
                "a piece of machine code is missing",
            ),
            (
                "{\"pieces\":[[4,0,1,0],[18446744073709551612,0,1,0]]}".into(),
                b"12",
                "a piece of machine code ends past the last address",
            ),
            (
                "{\"symbols\":[[4,18446744073709551615]]}".into(),
                b"",
                "a piece of machine code ends past the last address",
            ),
            (
                "{\"code\":[[18446744073709551615,1,1]]}".into(),
                b"1",
                "a piece of machine code ends past the last address",
            ),
            ("{}".into(), b"1", "there is more machine code than listed"),
        ] {
            assert_eq!(wrong(&json, code), why, "{json:.100}");
        }
        assert!(wrong("{\"runs\":[[-1,0,0]]}", b"").contains("invalid value"));
    }
}
