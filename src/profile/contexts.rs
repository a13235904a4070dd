//! Contexts: with `--separate-callers`, Callgrind writes a function once for every chain of callers,
//! as `f'a'main`. Lists and comparisons are about functions, so contexts of one function are joined.
//! Stacks are about contexts, so the calls among them are kept.
//!
//! A quote can also belong to a function's name (`for<'a> fn(&'a u64)`), so names are divided by the
//! calls and not by characters. Callgrind appends to a callee the beginning of its caller's chain:
//! the caller without its recursion level, and its callers. A function that calls itself is in the
//! chain once. Chains can be cut differently for each function (`--separate-callers2=f`).

use super::{
    FunctionId, NameId, Names, Profile,
    callers::{is_whole, level, pieces},
};
use std::{borrow::Cow, sync::Arc};

/// Which functions with the same symbol are separate.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Separate {
    /// Contexts and recursion levels, as they were recorded: `f'2'main`.
    #[default]
    Everything,
    /// Contexts: `f'main`.
    Contexts,
    /// Recursion levels: `f'2` (`--separate-recs`).
    Levels,
    /// None: all levels are `f`, which calls itself.
    Nothing,
}

/// The contexts of a profile's functions.
pub(crate) struct Contexts {
    /// Self costs and calls of the contexts, with their recorded names: `f'main`.
    pub profile: Arc<Profile>,
    /// The function of each context.
    pub functions: Vec<FunctionId>,
}

impl Contexts {
    /// How many callers were recorded of a context, or more if their names have quotes.
    pub(crate) fn callers(&self, whole: &Profile, context: FunctionId) -> usize {
        let function = whole.name_of(self.functions[context.index()]).len();
        let name = self.profile.function_name(context).text();
        memchr::memchr_iter(b'\'', name.get(function..).unwrap_or_default()).count()
    }
}

/// The length of the function in each name that has callers, by name. It is `Some(None)` if calls do
/// not agree on it.
pub(super) type Lengths = Vec<Option<Option<usize>>>;

/// Finds where the callers begin in names.
#[derive(Default)]
pub(super) struct CallersSearch {
    lengths: Lengths,
    /// Calls between levels of one function. Their callers are the same.
    recursive: Vec<[NameId; 2]>,
    /// How many bytes were compared. A short name in the input can stand for a long one.
    pub compared: usize,
    /// The bytes of names in which a call showed where the callers begin.
    found: usize,
    /// Whether all names are known. Before that, a call counts only if it shows by itself where the
    /// callers begin.
    pub is_last: bool,
}

impl CallersSearch {
    /// Whether 64 MiB, and 32 times the length of these names, were compared.
    fn is_over(&self) -> bool {
        let most = (64 << 20) + 32 * self.found;
        self.compared > most
    }

    /// Compares the names of a call. Returns whether they show where the callers begin, as those of
    /// most calls do. The other calls are compared again when the names of all functions are known.
    pub(super) fn call(&mut self, names: &Names, from: NameId, to: NameId) -> bool {
        if from == to || self.is_over() || !names.may_have_callers(to) {
            return false;
        }
        // Usually the callee is stored as a function that its caller's name follows. (A caller whose
        // name begins with a digit looks like a recursion level.)
        let (function, callers) = names.parts(to);
        if callers == Some(from)
            && is_whole(function)
            && !names.beginning(from).first().is_none_or(u8::is_ascii_digit)
        {
            self.agreed(names, to, Some(function.len()));
            return true;
        }
        let [caller, callee] = [from, to].map(|name| names.lent(name).text());
        let [[function, level, callers], [called, _, others]] =
            [&caller, &callee].map(|name| pieces(name));
        self.compared += callee.len() + caller.len();
        if (function, callers) == (called, others) {
            if self.is_last {
                self.recursive.push([from, to]);
            }
            return false;
        }
        let chain = match level {
            [] => caller.clone(),
            _ => Cow::Owned([function, callers].concat()),
        };
        let mut agrees = |quote: usize| {
            self.compared += callee.len() - quote;
            begins_callers(&callee, quote) && {
                let callers = &callee[quote + 1..];
                begin_alike(callers, &caller) || begin_alike(callers, &chain)
            }
        };
        // Usually the first quote outside of brackets begins the callers.
        let usual = callee.len() - others.len();
        let length = if !others.is_empty() && agrees(usual) {
            Some(usual)
        } else if self.is_last {
            let mut quotes = memchr::memchr_iter(b'\'', &callee).filter(|&quote| agrees(quote));
            let first = quotes.next().unwrap_or(callee.len());
            Some(first).filter(|_| quotes.next().is_none())
        } else {
            return false;
        };
        if self.is_over() {
            return false;
        }
        self.agreed(names, to, length);
        true
    }

    /// Takes what another search found.
    pub(super) fn absorb(&mut self, other: CallersSearch, names: &Names, ids: &[NameId]) {
        for (length, &id) in other.lengths.into_iter().zip(ids) {
            if let Some(length) = length {
                self.agreed(names, id, length);
            }
        }
    }

    /// The length of the function in a name, by one more call.
    fn agreed(&mut self, names: &Names, name: NameId, length: Option<usize>) {
        self.lengths.resize(names.len(), None);
        let found = &mut self.lengths[name.index()];
        if found.is_none() {
            self.found += names.lent(name).len();
        }
        let found = found.get_or_insert(length);
        *found = found.filter(|_| *found == length);
    }

    /// The lengths that were found. `functions` are the names of all functions.
    pub(super) fn finish(mut self, names: &Names, functions: &[NameId]) -> Lengths {
        self.lengths.resize(names.len(), None);
        let len = |name| names.lent(name).len();
        // Twice, because a level may occur before the level that calls it.
        for [from, to] in self.recursive.iter().chain(&self.recursive) {
            if let Some(Some(length)) = self.lengths[from.index()] {
                let callers = len(*from) - length;
                self.lengths[to.index()].get_or_insert(len(*to).checked_sub(callers));
            }
        }
        let has_none = |name: &NameId| {
            let length = self.lengths[name.index()].flatten();
            length.is_none_or(|length| length == len(*name))
        };
        let without: Vec<NameId> = functions.iter().copied().filter(has_none).collect();
        // A callee without cost is no function if its calls were not stored.
        let any_has = !names.ids().all(|name| has_none(&name));
        let is_over = self.is_over();
        if any_has || is_over {
            for &name in &without {
                let text = names.lent(name).text();
                let length = text.len() - pieces(&text)[2].len();
                let length = Some(length).filter(|_| !is_over);
                // Only the characters show the callers of a function that nobody calls.
                self.agreed(names, name, length);
            }
        }
        for name in without {
            self.lengths[name.index()].take_if(|length| *length == Some(len(name)));
        }
        self.lengths
    }
}

/// Whether a quote can be the one before the first caller.
fn begins_callers(name: &[u8], quote: usize) -> bool {
    quote > 0 && level(&name[quote..]) == 0 && !name[..quote].ends_with(b"::")
}

/// Whether one of two chains of callers is the beginning of the other.
fn begin_alike(a: &[u8], b: &[u8]) -> bool {
    let len = a.len().min(b.len());
    let ends = |name: &[u8]| matches!(name.get(len), None | Some(b'\''));
    len > 0 && a[..len] == b[..len] && ends(a) && ends(b)
}
