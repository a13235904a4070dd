//! The formats that are read, against what their own tools show of the same files.

mod aprof;
mod webgrind;
mod writers;
mod xdebug;
