//! Messages of JSON-RPC 2.0: reading, writing and errors.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// A longer message is refused, in bytes. Editors send whole files.
const MOST: u64 = 64 << 20;

/// How messages are separated.
#[derive(Clone, Copy)]
pub(super) enum Framing {
    /// Each on its own line: the Model Context Protocol.
    Lines,
    /// Each after a header with its length in bytes: the Language Server Protocol.
    Headers,
}

impl Framing {
    /// Reads the next message. `None` is the end of the input; an inner error is a message that is
    /// not JSON.
    pub(super) fn read(
        self,
        input: &mut impl BufRead,
    ) -> Result<Option<serde_json::Result<Value>>> {
        let mut text = Vec::new();
        match self {
            Framing::Lines => {
                while text.trim_ascii().is_empty() {
                    if read_line(input, &mut text)? == 0 {
                        return Ok(None);
                    }
                }
            }
            Framing::Headers => {
                let mut length = None;
                loop {
                    text.clear();
                    if read_line(input, &mut text)? == 0 {
                        return Ok(None);
                    }
                    let line = String::from_utf8_lossy(&text);
                    match line.trim().split_once(':') {
                        Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                            length = value.trim().parse().ok().filter(|&length| length <= MOST);
                        }
                        None if line.trim().is_empty() => break,
                        _ => {}
                    }
                }
                let length = length.context("standard input: a message without a valid length")?;
                text.clear();
                if input.take(length).read_to_end(&mut text)? as u64 != length {
                    bail!("standard input: ends within a message");
                }
            }
        }
        Ok(Some(serde_json::from_slice(&text)))
    }

    /// Writes a message at once.
    pub(super) fn write(self, message: &Value, out: &mut impl Write) -> io::Result<()> {
        let text = message.to_string();
        match self {
            Framing::Lines => writeln!(out, "{text}")?,
            Framing::Headers => write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?,
        }
        out.flush()
    }
}

fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Result<usize> {
    let count = input.take(MOST).read_until(b'\n', line)?;
    if count as u64 == MOST {
        bail!("standard input: a message of more than {MOST} bytes");
    }
    Ok(count)
}

/// Why a request has no result: a code of JSON-RPC, and a text for people.
pub(super) struct Fault(pub i64, pub String);

/// Errors of JSON-RPC.
pub(super) const NOT_JSON: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const UNKNOWN_METHOD: i64 = -32601;
pub(super) const INVALID_PARAMETERS: i64 = -32602;

/// The response to a request.
pub(super) fn response(id: &Value, result: Result<Value, Fault>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Fault(code, message)) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    }
}
