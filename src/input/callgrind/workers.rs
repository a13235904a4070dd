//! Reads one input with several threads: each takes the next block of lines and reads it ahead; the one that began also
//! joins what was read, in the order of the input. The source is read by whoever takes a block, so that unpacking runs
//! beside the rest.
//!
//! At most two more blocks than there are threads are held. An input of few blocks is read as by one thread.

use super::ahead::{Piece, Reader};
use super::known::Known;
use super::{Cursor, Parser};
use crate::input::error::Error;
use crate::input::lines::{Block, Blocks};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How an input is read with several threads.
#[derive(Clone, Copy)]
pub(crate) struct Crew {
    /// How many threads there are.
    pub(crate) threads: usize,
    /// How many bytes are a block.
    pub(crate) block: usize,
    /// How many bytes of a block are read ahead at a time; `None` for all, and only by several threads.
    pub(crate) stretch: Option<usize>,
}

/// A block that was taken, and what was read of it.
struct Work {
    found: io::Result<Block>,
    bytes: Vec<u8>,
    is_unended: bool,
    ahead: Option<(Arc<Known>, Vec<Piece>)>,
}

/// What the threads share.
struct Desk<R> {
    source: Mutex<Source<R>>,
    state: Mutex<State>,
    changed: Condvar,
    /// How many blocks are held at most.
    most: usize,
}

struct Source<R> {
    blocks: Blocks<R>,
    /// The number of the next block.
    next: u64,
    ended: bool,
}

/// How many times as long blocks become where parts are short.
const LONGER: usize = 2;
/// After how many blocks it shows how long parts are.
const FEW_BLOCKS: usize = 8;

struct State {
    /// Blocks that were read, by their numbers.
    done: BTreeMap<u64, Work>,
    /// The number of the next block to be joined.
    next: u64,
    /// How many blocks have been taken and not joined.
    held: usize,
    /// Buffers for further blocks.
    spare: Vec<Vec<u8>>,
    /// What the next blocks are read with; `None` if they are only taken.
    known: Option<Arc<Known>>,
    /// Whether there are no more blocks to take.
    ended: bool,
    /// Whether nothing more is wanted.
    over: bool,
}

/// What a thread is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It joins what was read, in order, and reads when there is nothing to join. There is one.
    Leader,
    /// It reads.
    Reader,
}

/// What a thread does next.
enum Turn {
    /// Take a block into this buffer and read it with what is known.
    Take(Vec<u8>, Option<Arc<Known>>),
    /// Join this one.
    Join(Work),
    /// Nothing more.
    Over,
}

impl<'a> Parser<'a, Cursor<'_>> {
    /// As [`read`](Parser::read), with several threads.
    pub(crate) fn read_with(self, source: impl Read + Send, crew: Crew) -> Result<(), Error> {
        match crew {
            Crew { threads: ..2, stretch: None, block } => self.read(source, block),
            Crew { stretch: Some(stretch), block, .. } => self.read_in_stretches(source, block, stretch),
            Crew { .. } => self.read_in_threads(source, crew),
        }
    }

    fn reader(&self, most: usize) -> Reader {
        let builder = &self.records.builder;
        Reader::new(builder.collect(), self.records.recursion, self.names.like(), builder.head.names.like(), most)
    }

    /// Reads everything that can be read ahead in that way, in short stretches and without other threads.
    fn read_in_stretches(mut self, source: impl Read, block: usize, stretch: usize) -> Result<(), Error> {
        let mut reader = self.reader(stretch);
        let mut blocks = Blocks::new(source, block);
        self.begin();
        loop {
            let (found, bytes) = take(&mut blocks, Vec::new());
            match &found {
                Ok(Block::Lines(range)) if !blocks.is_unended() => {
                    let end = range.end;
                    let mut start = 0;
                    if self.known().is_none() {
                        start = memchr::memmem::find(&bytes[..end], b"\nfn=").map_or(end, |feed| feed + 1);
                        self.in_order(&bytes, start)?;
                    }
                    match self.known() {
                        Some(known) => {
                            let pieces = reader.read(&bytes[start..], end - start, &known);
                            self.join(&bytes[start..], pieces, &known)?;
                        }
                        None => self.in_order(&bytes[start..], end - start)?,
                    }
                }
                _ => {
                    if self.next_block(found, &bytes, blocks.is_unended())?.is_break() {
                        return self.end();
                    }
                }
            }
        }
    }

    fn read_in_threads(mut self, source: impl Read + Send, crew: Crew) -> Result<(), Error> {
        let mut blocks = Blocks::new(source, crew.block);
        self.begin();
        // The header, and all of a small input.
        while self.read < 2 * crew.block as u64 {
            let found = blocks.next();
            if self.next_block(found, blocks.bytes(), blocks.is_unended())?.is_break() {
                return self.end();
            }
        }
        let desk = Desk {
            source: Mutex::new(Source { blocks, next: 0, ended: false }),
            state: Mutex::new(State {
                done: BTreeMap::new(),
                next: 0,
                held: 0,
                spare: Vec::new(),
                known: self.known().map(Arc::new),
                ended: false,
                over: false,
            }),
            changed: Condvar::new(),
            most: crew.threads + 2,
        };
        let mut reader = self.reader(usize::MAX);
        thread::scope(|scope| {
            for mut reader in (1..crew.threads).map(|_| self.reader(usize::MAX)) {
                let desk = &desk;
                let work = move || {
                    let _gone = Gone(desk);
                    while let Turn::Take(spare, known) = desk.turn(Role::Reader) {
                        desk.take(spare, known, &mut reader);
                    }
                };
                // Where no more threads may run, those that do read it all.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            let _gone = Gone(&desk);
            self.lead(&desk, &mut reader, crew.block)
        })?;
        self.end()
    }

    /// Joins all blocks in order, and reads some.
    fn lead<R: Read>(&mut self, desk: &Desk<R>, reader: &mut Reader, block: usize) -> Result<(), Error> {
        let (mut ahead, mut again) = (0, 0);
        let mut lengths =
            Lengths { block, is_coarse: self.records.builder.collect().is_coarse(), ..Lengths::default() };
        loop {
            match desk.turn(Role::Leader) {
                Turn::Take(spare, known) => desk.take(spare, known, reader),
                Turn::Join(Work { found, bytes, is_unended, ahead: read }) => {
                    if let (Ok(Block::Lines(range)), Some((known, pieces))) = (&found, read) {
                        ahead += range.len();
                        lengths.add(&pieces);
                        again += self.join(&bytes, pieces, &known)?;
                    } else if self.next_block(found, &bytes, is_unended)?.is_break() {
                        return Ok(());
                    }
                    let worth = lengths.judge();
                    if worth == Worth::LongerBlocks {
                        desk.source.lock().unwrap_or_else(PoisonError::into_inner).blocks.set_room(LONGER * block);
                    }
                    // It is in vain, too, where much must be read twice.
                    let is_worth_it = worth != Worth::Nothing && again <= (1 << 20) + ahead / 8;
                    desk.joined(bytes, |known| match known {
                        _ if !is_worth_it => None,
                        Some(known) if self.still_holds(&known) && self.hands_on(&known) => Some(known),
                        _ => self.known().map(Arc::new),
                    });
                }
                Turn::Over => return Ok(()),
            }
        }
    }
}

/// How long the stretches are that were read. To join one takes as long as its functions, lines and calls are many, so that
/// many short ones take longer than a few long ones.
#[derive(Default)]
struct Lengths {
    block: usize,
    /// Whether few rows are collected.
    is_coarse: bool,
    /// Blocks, stretches and their bytes since the last judgement.
    blocks: usize,
    stretches: usize,
    bytes: usize,
    have_longer_blocks: bool,
    /// Whether it was found to be worth nothing, which holds for the rest.
    given_up: bool,
}

/// What it is worth to read ahead.
#[derive(PartialEq, Eq, Debug)]
enum Worth {
    Something,
    /// More, if blocks are longer.
    LongerBlocks,
    Nothing,
}

impl Lengths {
    fn add(&mut self, pieces: &[Piece]) {
        self.blocks += 1;
        for piece in pieces {
            if let Piece::Stretch(range, _) = piece {
                self.stretches += 1;
                self.bytes += range.len();
            }
        }
    }

    fn judge(&mut self) -> Worth {
        if self.given_up {
            return Worth::Nothing;
        }
        if self.blocks < FEW_BLOCKS {
            return Worth::Something;
        }
        let is_short = self.bytes < self.stretches * (self.block / 4 * 3);
        let is_often_cut = self.stretches > self.blocks + self.blocks / 2;
        (self.blocks, self.stretches, self.bytes) = (0, 0, 0);
        match is_short {
            // To join lines and calls takes as long as to read them.
            _ if is_often_cut && !self.is_coarse => {
                self.given_up = true;
                Worth::Nothing
            }
            true if !std::mem::replace(&mut self.have_longer_blocks, true) => Worth::LongerBlocks,
            _ => Worth::Something,
        }
    }
}

impl<R> Desk<R> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does next; waits until there is something.
    fn turn(&self, role: Role) -> Turn {
        let leads = role == Role::Leader;
        let mut state = self.state();
        loop {
            let next = state.next;
            if state.over {
                return Turn::Over;
            }
            if leads && let Some(work) = state.done.remove(&next) {
                return Turn::Join(work);
            }
            if !state.ended && state.held < self.most {
                state.held += 1;
                return Turn::Take(state.spare.pop().unwrap_or_default(), state.known.clone());
            }
            if !leads && state.ended {
                return Turn::Over;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A block was joined; its buffer can be used again, and what is known changes.
    fn joined(&self, bytes: Vec<u8>, known: impl FnOnce(Option<Arc<Known>>) -> Option<Arc<Known>>) {
        let mut state = self.state();
        state.next += 1;
        state.held -= 1;
        if !bytes.is_empty() {
            state.spare.push(bytes);
        }
        state.known = known(state.known.take());
        drop(state);
        self.changed.notify_all();
    }
}

impl<R: Read> Desk<R> {
    /// Takes the next block and reads it ahead.
    fn take(&self, spare: Vec<u8>, known: Option<Arc<Known>>, reader: &mut Reader) {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if source.ended {
            drop(source);
            let mut state = self.state();
            (state.held, state.ended) = (state.held - 1, true);
            drop(state);
            return self.changed.notify_all();
        }
        let number = source.next;
        source.next += 1;
        let (found, bytes) = take(&mut source.blocks, spare);
        source.ended = matches!(found, Ok(Block::End));
        let is_unended = source.blocks.is_unended();
        drop(source);
        let ahead = match &found {
            Ok(Block::Lines(range)) if !is_unended => known.map(|known| {
                let pieces = reader.read(&bytes, range.end, &known);
                (known, pieces)
            }),
            _ => None,
        };
        self.state().done.insert(number, Work { found, bytes, is_unended, ahead });
        self.changed.notify_all();
    }
}

/// Ends the others' waiting when a thread leaves early: the leader because of an error, any because of a panic.
struct Gone<'a, R>(&'a Desk<R>);

impl<R> Drop for Gone<'_, R> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.over |= thread::panicking() || !state.ended;
        drop(state);
        self.0.changed.notify_all();
    }
}

/// The next block with its bytes.
fn take<R: Read>(blocks: &mut Blocks<R>, spare: Vec<u8>) -> (io::Result<Block>, Vec<u8>) {
    match blocks.take(spare) {
        Ok((block, bytes)) => (Ok(block), bytes),
        Err(e) => (Err(e), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges that many blocks with that many stretches each.
    fn judge(lengths: &mut Lengths, blocks: usize, stretches: usize) -> Worth {
        lengths.blocks += blocks;
        lengths.stretches += blocks * stretches;
        lengths.bytes += blocks * lengths.block;
        lengths.judge()
    }

    #[test]
    fn what_is_worth_nothing_stays_so() {
        let mut lengths = Lengths { block: 1000, ..Lengths::default() };
        assert_eq!(judge(&mut lengths, FEW_BLOCKS, 1), Worth::Something);
        assert_eq!(judge(&mut lengths, FEW_BLOCKS, 20), Worth::Nothing);
        assert_eq!(judge(&mut lengths, 1, 20), Worth::Nothing);
        assert_eq!(judge(&mut lengths, FEW_BLOCKS, 1), Worth::Nothing);
        let mut list = Lengths { block: 1000, is_coarse: true, ..Lengths::default() };
        assert_eq!(judge(&mut list, FEW_BLOCKS, 20), Worth::LongerBlocks);
        assert_eq!(judge(&mut list, FEW_BLOCKS, 20), Worth::Something);
    }
}
