//! `cgannotate explore`: a profile on a terminal, screen by screen, with the numbers of the reports.
//!
//! ```text
//!  terminal ─▶ Event ─▶ update(model) ─▶ Effect ─▶ terminal, worker, sources
//!                            │
//!                            └─▶ model ─▶ draw ─▶ the cells of a screen
//! ```
//!
//! [`update()`] is all that changes a [`Model`]; it reads and writes nothing, and returns what is to be done. [`draw()`] shows a
//! model, and makes only the rows that are seen. Where one is ([`place`]) is plain values, so that Back leads back
//! to exactly that. What takes long ([`work`]) is done by a thread beside the screen, which gives up what nobody waits
//! for any more. One table has all keys ([`keys`]); the help and the documents are made from it.
//!
//! Called by `commands::explore`.

mod calls;
mod canvas;
mod code;
mod command;
mod comparison;
mod cursor;
pub mod data;
mod draw;
pub mod event;
mod guard;
pub mod help;
pub mod keys;
mod list;
mod making;
mod model;
mod moves;
mod outside;
pub mod place;
mod row;
mod screen;
mod search;
mod sheet;
mod source;
pub mod stacks;
mod tables;
mod terminal;
mod update;
pub mod work;
mod worker;
mod write;

pub use canvas::Canvas;
pub use data::{Data, Lenses, Teller};
pub use draw::{Colours, draw};
pub use event::{Effect, Event, Mouse};
pub use model::{Mode, Model, Seen};
pub use outside::Outside;
pub use screen::Terminal;
pub use terminal::run;
pub use update::update;
