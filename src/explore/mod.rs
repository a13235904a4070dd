//! `cgannotate explore`: shows a profile on a terminal, with the numbers of the reports.
//!
//! ```text
//!  terminal ─▶ Message ─▶ update(model) ─▶ Effect ─▶ terminal, worker
//!                            │
//!                            └─▶ model ─▶ draw ─▶ the cells of a screen
//! ```
//!
//! Only [`update()`] changes a [`Model`]. It only reads sources, and returns the effects to perform.
//! [`draw()`] shows a model and makes only the visible rows. A location ([`place`]) is a plain
//! value, so going back restores it exactly. A worker thread does what takes long ([`work`]), and
//! gives up a request when a newer one arrives. One table has all keys ([`keys`]); the help and
//! the documents are generated from it.
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
mod help;
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

pub use self::{
    canvas::Canvas,
    data::{Data, Inliner, Lenses, Teller},
    draw::{Colours, draw},
    event::{Effect, Message, Mouse},
    model::{Mode, Model, Seen},
    outside::Outside,
    screen::Terminal,
    terminal::run,
    update::update,
};
