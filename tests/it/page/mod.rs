//! The page for browsers: its numbers, and what it does in a real browser.

#[cfg(target_os = "linux")]
mod browser;
mod comparison;
mod decode;
#[cfg(target_os = "linux")]
mod in_browser;
mod numbers;
