//! What is read in stretches, each apart from what precedes it, against what is read in order: every id, sum, warning and
//! error must be the same. Stretches of one byte are cut wherever they can be; blocks of a few bytes also put borders
//! where none would be.

use super::reading::everything;
use super::{fixtures, generate, mutate, seeds};
use crate::common::amount::some;
use cgannotate::input::{Options, Recursion};
use cgannotate::profile::{Calls, Collect, Lines};

/// The ways to collect and to read names that matter where a border falls.
fn ways() -> Vec<Options> {
    let [list, files, firsts] =
        [Lines::None, Lines::Files, Lines::Firsts].map(|lines| Collect { lines, calls: Calls::None, code: false });
    let [arcs, firsts] = [list, firsts].map(|collect| Collect { calls: Calls::Arcs, ..collect });
    let code = Collect { code: true, ..Collect::ALL };
    let all = [list, arcs, files, firsts, Collect::ALL, code].map(|collect| Options { collect, ..Options::all() });
    let folded = Options { recursion: Recursion::Folded, strip: b"/src/".to_vec(), ..Options::all() };
    all.into_iter().chain([folded]).collect()
}

/// Reads in order and apart, with these lengths of stretches and blocks.
fn same(label: &str, bytes: &[u8], way: &Options, borders: &[(usize, usize, usize)]) {
    let in_order = everything(bytes, way);
    for &(threads, stretch, block) in borders {
        // Threads cut as they do.
        let stretch = Some(stretch).filter(|_| threads == 1);
        let apart = everything(bytes, &Options { threads, stretch, block, ..way.clone() });
        let said = |read: &Result<Vec<String>, _>| read.as_ref().map_err(|fatal| format!("{fatal:?}")).cloned();
        if said(&in_order) != said(&apart) {
            let (a, b) = (said(&in_order).unwrap_or_else(|e| vec![e]), said(&apart).unwrap_or_else(|e| vec![e]));
            let only =
                |a: &[String], b: &[String]| a.iter().filter(|l| !b.contains(l)).take(9).cloned().collect::<Vec<_>>();
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(20_000)]);
            panic!(
                "{label}: {threads} threads, stretches of {stretch:?} bytes, blocks of {block}, {way:?}\n--- in order\n{:#?}\n--- apart\n{:#?}\n--- of\n{text}",
                only(&a, &b),
                only(&b, &a),
            );
        }
    }
}

#[test]
fn stretches_of_made_profiles() {
    let ways = ways();
    for seed in seeds(1500) {
        let (good, _) = generate::profile(seed / 3);
        let bytes = if seed % 3 == 0 { good } else { mutate::mutate(seed, &good) };
        let way = &ways[seed as usize / 3 % ways.len()];
        let mut borders = vec![(1, 1, 1 << 18)];
        match seed % 16 {
            0 => borders.extend([(1, 1, 1), (1, 64, 40), (3, 0, 30)]),
            1 | 2 => borders.extend([(1, 1, 100), (1, 200, 1 << 18)]),
            3 => borders.push((2, 0, 100)),
            _ => {}
        }
        same(&format!("seed {seed}"), &bytes, way, &borders);
    }
}

#[test]
fn stretches_of_fixtures() {
    for path in some(fixtures()) {
        let bytes = std::fs::read(&path).unwrap();
        for (way, block) in ways().iter().zip([1 << 18, 3000, 3000, 3000, 1 << 18, 9000, 1 << 18]) {
            if bytes.len() < 40_000 {
                let label = path.display().to_string();
                same(&label, &bytes, way, &[(1, 1, block), (1, 5000, block), (3, 0, block.min(bytes.len() / 20 + 1))]);
            }
        }
    }
}
