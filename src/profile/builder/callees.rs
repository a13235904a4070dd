//! Finds the function that a writer means if it names a callee without its object, or names a file
//! in two ways.
//!
//! A callee may have no block in any part of the input. It then stands for the only function with a
//! block that has the same name and file. That function may be in another object, unless all calls
//! name an object other than the caller's. A relative path equals each path that ends with it, and
//! `.` in a path is ignored. If there are several such functions, or none, the callee keeps its
//! name. All blocks are known by then, so their order does not matter.

use crate::profile::{Builder, Function, NameId, Names};
use std::{
    collections::HashSet,
    iter::{once, successors},
    ops::Range,
};

/// A path can be the end of a second one, which is the end of a third, and so on. At most this many
/// are compared.
const MOST_ENDS: usize = 16;

/// The functions with blocks: the name, index in [`FileSuffixes`], object and file of each.
type Blocks = Vec<(NameId, usize, NameId, NameId)>;

impl Builder {
    /// Replaces each callee by the function that it stands for. Call it at the end of the input,
    /// when no function is current.
    pub(crate) fn find_callees(&mut self) {
        let bodies = self.bodies();
        let functions = bodies.clone().flat_map(|body| &body.functions);
        if functions.clone().all(|f| f.recorded) {
            return;
        }
        let names = &self.head.names;
        let files = FileSuffixes::new(functions.clone().map(|f| f.file).collect(), names);
        let mut blocks: Blocks = functions
            .filter(|f| f.recorded)
            .map(|f| (f.name, files.places[f.file.index()], f.object, f.file))
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        let calls = bodies.flat_map(|body| {
            body.calls
                .iter()
                .map(|((from, to, ..), ..)| [from, to].map(|id| &body.functions[id.index()]))
        });
        let in_any_object: HashSet<_> = calls
            .filter(|[from, to]| !to.recorded && from.object == to.object)
            .map(|[_, to]| *to)
            .collect();
        let same: Vec<NameId> = names.ids().collect();
        let others = self.split.iter_mut().flat_map(|bodies| &mut bodies.all);
        for body in once(&mut self.body).chain(others.map(|body| &mut **body)) {
            let mut found = false;
            for f in body
                .functions
                .iter_mut()
                .filter(|f| !f.recorded && f.name != NameId::UNKNOWN)
            {
                if let Some((object, file)) = files.meant(f, &blocks)
                    && (object == f.object || in_any_object.contains(f))
                {
                    (f.object, f.file, found) = (object, file, true);
                }
            }
            if found {
                let mut named = std::mem::take(body);
                self.over |= body.join(&mut named, &same).1;
            }
        }
    }
}

/// The files of functions. Each comes before the longer paths that end with it.
struct FileSuffixes {
    /// The index of each file name in this order.
    places: Vec<usize>,
    /// For each file, the index after the last path that ends with it.
    ends: Vec<usize>,
    /// For each file, the longest other path that it ends with.
    above: Vec<Option<usize>>,
}

impl FileSuffixes {
    fn new(mut files: Vec<NameId>, names: &Names) -> FileSuffixes {
        files.sort_unstable();
        files.dedup();
        let backwards = |file: NameId| {
            names
                .get(file)
                .rsplit(|&b| b == b'/')
                .filter(|name| *name != b".")
        };
        files.sort_by(|&a, &b| backwards(a).cmp(backwards(b)));
        let (mut places, mut above) = (vec![0; names.len()], Vec::new());
        let is_end = |of: NameId, end: NameId| {
            let mut of = backwards(of);
            backwards(end).all(|name| of.next() == Some(name))
        };
        let behind = |at: usize| at + files[at..].partition_point(|&file| is_end(file, files[at]));
        let ends: Vec<usize> = (0..files.len()).map(behind).collect();
        for (at, file) in files.iter().enumerate() {
            places[file.index()] = at;
            above
                .push(successors(at.checked_sub(1), |&end| above[end]).find(|&end| ends[end] > at));
        }
        FileSuffixes {
            places,
            ends,
            above,
        }
    }

    /// The object and file of the function that a callee stands for, if it is not the callee
    /// itself.
    fn meant(&self, callee: &Function, blocks: &Blocks) -> Option<(NameId, NameId)> {
        let place = self.places[callee.file.index()];
        if blocks
            .binary_search(&(callee.name, place, callee.object, callee.file))
            .is_ok()
        {
            return None;
        }
        let of = |files: Range<usize>| {
            let behind =
                |file| blocks.partition_point(|block| (block.0, block.1) < (callee.name, file));
            &blocks[behind(files.start)..behind(files.end)]
        };
        let shorter = successors(self.above[place], |&end| self.above[end])
            .take(MOST_ENDS)
            .map(|end| end..end + 1);
        let mut found = once(place..self.ends[place]).chain(shorter).flat_map(of);
        let &(_, _, object, file) = found.next()?;
        found.next().is_none().then_some((object, file))
    }
}
