//! Reads Callgrind profiles and says what the run cost.
//!
//! # The pipeline
//!
//! ```text
//!                 ┌──────────────── commands: one file a command, wires the stages ────────────────┐
//! cli ▶ request ─▶│                                                                                │
//! typed meant     │  input ───────▶ profile ◀─────── analysis ─────────▶ render, export            │──▶ bytes
//!                 │  bytes in,      the model:       pure answers:       for people (text, tables) │
//!  files ────────▶│  records out    what was said    what is dear, who   and for programs (JSON,   │
//!                 │                                  calls whom, lines   Callgrind, dot, …)        │
//!                 │  source: finds source files      compat: the original's own numbers            │
//!                 └────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Arrows are the only ways to know of each other: [`profile`] imports no sibling, [`analysis`] reads profiles and does
//! no input or output, [`render`] and [`export`] print what they are given, [`request`] says what was typed on
//! the command line means, [`commands`] put all together, and `main` knows [`cli`] and [`commands`] only. Whoever uses
//! this crate as a library starts with [`input::read`].
//!
//! What only the program needs ([`cli`], [`request`], [`commands`], [`render`] and `compat`) belongs to the
//! feature `cli`, which is on by default; a library that depends on this crate leaves it out with
//! `default-features = false`.
//!
//! # The words of the field
//!
//! * *Event*: what is counted (`Ir` instructions, `D1mr` cache misses). A *cost* is a row of counts, one an event. A count
//!   that was never written is not zero; [`profile::costs`] keeps the difference.
//! * *Self cost*: what a function's own code cost, code that was inlined into it included. *Inclusive cost*: that and what
//!   it called, recursion counted once ([`analysis::Inclusive`]).
//! * *Function*: what has one object (executable or library), one file and one name.
//! * *Arc*: all calls from one function to another. *Call site*: the part of an arc that comes from one line.
//! * *Cycle*: functions that call each other in a circle.
//! * *Part*: one dump, thread or run; a file has one or many, and a profile is the sum of its parts.
//! * *Subposition*: a column of a line's place: instruction address, line.
//! * *Compressed name*: `(12) name` once, `(12)` from then on. The numbers never leave [`input`].
//!
//! # How one line becomes a row
//!
//! Below `fn=(3) main`, the line `+3 120 4` says that the code three lines further down cost 120 of the first event and 4
//! of the second.
//!
//! 1. `input::open` gives a stream, `input::compressed` unpacks it if it must, `input::sniff` tells the format by the
//!    first bytes, and `input::lines` lends blocks of whole lines: no copy, no check for UTF-8.
//! 2. The parser in `input::callgrind` looks at the first byte. Self cost lines are taken in runs (`input::runs`): all
//!    that stand whole in 64 bytes. The run's places are read, relative to the line before, and tell which of its lines
//!    stand at one source line; their counts are added to sums, column by column. A single line (`input::plain`), as
//!    after `calls=`, goes to a row that is used again for every line; and one that looks like nothing a writer writes
//!    goes through the careful way, which also warns.
//! 3. The parser calls its `input::records`: `input::cursor` knows which function, file and object are in force, and
//!    which of two rules the writer follows. After `calls=` the cost is that of an arc; else it is self cost.
//! 4. `profile::Builder` lends the sums of the current source line, or of the function if no lines are wanted. When the
//!    line changes it adds them to the line's row, which it finds by index, not by hash, and when the function changes
//!    to the function's. Nothing has been allocated for this line.
//! 5. At the end the builder freezes everything into a [`profile::Profile`], sorted and dense.
//! 6. [`analysis::cut`] ranks the functions until the thresholds are reached, [`view::Listing`] makes rows of them,
//!    [`view::Files`] and [`view::Annotation`] walk a source file beside its costs, and [`render::text`] prints the row:
//!    `120 ( 1.50%)  4 ( 0.20%)  main.c:main`.
//!
//! `--compat` shares steps 1 and 2. Its own `Records` add up as callgrind_annotate does, faults included, and give the
//! same report models, so that nothing outside the module `compat` knows of it.
//!
//! # Where to add what
//!
//! * *An input format*: a variant of [`profile::Format`], a file in `src/input/`, one fixture. The compiler shows the
//!   matches that are left: how it is recognised and who reads it.
//! * *A report*: a variant of the format argument in [`cli`], a file in `src/render/` if people read it, in
//!   `src/export/` if programs do; an analysis first if it needs anything computed.
//! * *A command*: a file in `src/cli/`, one in `src/request/` and one in `src/commands/`, a variant of [`cli::Command`].
//! * *An option*: a field in `src/cli/`; what it is without being typed, and what it does not go with, in `src/request/`.
//! * *A fix*: a fixture or a test that is named for what broke. `fixtures/README.md` says how profiles are recorded.
pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod commands;
#[cfg(feature = "cli")]
mod compat;
pub mod export;
pub mod input;
pub mod profile;
#[cfg(feature = "cli")]
pub mod render;
#[cfg(feature = "cli")]
pub mod request;
pub mod source;
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "views and exports need less of it than renderers"))]
mod text;
pub mod view;
