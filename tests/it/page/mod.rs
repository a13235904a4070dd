//! The page for browsers: its numbers, and what it does in a real browser.

#[cfg(target_os = "linux")]
mod browser;
mod comparison;
mod decode;
#[cfg(target_os = "linux")]
mod in_browser;
mod numbers;
#[cfg(target_os = "linux")]
mod pictures;

/// The data of a page, for tests of other commands that write some.
pub fn data(page: &str) -> decode::Data {
    decode::Data::of(page)
}
