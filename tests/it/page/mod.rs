//! The page for browsers: its numbers, and what it does in a real browser.

#[cfg(target_os = "linux")]
mod browser;
pub mod comparison;
mod decode;
#[cfg(target_os = "linux")]
mod in_browser;
#[cfg(target_os = "linux")]
mod keys;
pub mod numbers;
#[cfg(target_os = "linux")]
mod pictures;
mod scripts;
#[cfg(target_os = "linux")]
mod widths;

#[cfg(target_os = "linux")]
pub use browser::Browser;
use serde_json::Value;

/// The counts of a row of `--format=json`.
fn row(value: &Value) -> Vec<i128> {
    // What was never written is `null` there.
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_number().map_or(0, |n| n.as_i128().unwrap()))
        .collect()
}

/// The same; zeros of what nobody knows.
fn row_or(value: &Value, width: usize) -> Vec<i128> {
    if value.is_null() {
        vec![0; width]
    } else {
        row(value)
    }
}

/// The data of a page, for tests of other commands that write some.
pub fn data(page: &str) -> decode::Data {
    decode::Data::of(page)
}
