//! Writes webgrind's preprocessed format, version 7. `input/webgrind.rs` describes it.

use crate::analysis::{Digest, webgrind::Call};
use std::io::{self, Write};

const VERSION: u32 = 7;

/// Writes a file.
///
/// # Errors
/// Fails if writing to `out` fails, or if the file would have 4 GiB or more, which its addresses
/// cannot express.
pub fn write(digest: &Digest<'_>, mut out: impl Write) -> io::Result<()> {
    let functions = &digest.functions;
    let mut at = 12 + 4 * functions.len();
    let mut addresses = Vec::with_capacity(functions.len() + 1);
    for function in functions {
        addresses.push(address(at)?);
        at += 6 * 4 + 16 * (function.callers.len() + function.callees.len());
        at += function.file.len() + 1 + function.name.len() + 1;
    }
    numbers(&mut out, [VERSION, address(at)?, address(functions.len())?])?;
    numbers(&mut out, addresses)?;
    for function in functions {
        let callers = address(function.callers.len())?;
        let callees = address(function.callees.len())?;
        let head = [
            function.line,
            function.self_cost,
            function.inclusive,
            function.calls,
            callers,
            callees,
        ];
        numbers(&mut out, head)?;
        for &Call {
            function,
            line,
            count,
            cost,
        } in function.callers.iter().chain(&function.callees)
        {
            numbers(&mut out, [function, line, count, cost])?;
        }
        for name in [function.file, function.name] {
            out.write_all(name)?;
            out.write_all(b"\n")?;
        }
    }
    for line in &digest.header {
        out.write_all(line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn address(at: usize) -> io::Result<u32> {
    u32::try_from(at).map_err(|_| {
        io::Error::other("webgrind's format ends at 4 GiB, and this profile would be longer")
    })
}

fn numbers(out: &mut impl Write, numbers: impl IntoIterator<Item = u32>) -> io::Result<()> {
    numbers
        .into_iter()
        .try_for_each(|number| out.write_all(&number.to_le_bytes()))
}
