//! Messages of JSON-RPC 2.0: reading, writing and errors.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// How messages are separated.
pub(super) enum Framing {
    /// Each on its own line: the Model Context Protocol.
    Lines,
    /// Each after a header with its length in bytes: the Language Server Protocol.
    Headers,
}

impl Framing {
    /// Reads the next message. `None` is the end of the input. The inner error is that a message is
    /// not JSON.
    pub(super) fn read(
        self,
        input: &mut impl BufRead,
    ) -> Result<Option<serde_json::Result<Value>>> {
        let mut text = Vec::new();
        match self {
            Framing::Lines => {
                while text.trim_ascii().is_empty() {
                    if input.read_until(b'\n', &mut text)? == 0 {
                        return Ok(None);
                    }
                }
            }
            Framing::Headers => {
                let mut length = None;
                loop {
                    let mut line = String::new();
                    if input.read_line(&mut line)? == 0 {
                        return Ok(None);
                    }
                    match line.trim().split_once(':') {
                        Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                            length = value.trim().parse().ok();
                        }
                        None if line.trim().is_empty() => break,
                        _ => {}
                    }
                }
                let length = length.context("standard input: a message without a valid length")?;
                if input.take(length).read_to_end(&mut text)? as u64 != length {
                    bail!("standard input: ends within a message");
                }
            }
        }
        Ok(Some(serde_json::from_slice(&text)))
    }

    /// Writes a message and flushes it, because the other side waits for it.
    pub(super) fn write(self, message: &Value, out: &mut impl Write) -> io::Result<()> {
        let text = message.to_string();
        match self {
            Framing::Lines => writeln!(out, "{text}")?,
            Framing::Headers => write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?,
        }
        out.flush()
    }
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
