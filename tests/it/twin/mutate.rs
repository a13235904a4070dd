//! Spoilt profiles: a few lines, words or bytes of a good one changed. And the dice for both
//! generators.

const WORDS: [&str; 32] = [
    "fn=(1)",
    "fn=x",
    "fn=",
    "fl=(2)",
    "fl=z.c",
    "fi=(3) new.h",
    "fe=(1)",
    "ob=(9)",
    "cob=/l.so",
    "cfi=(1)",
    "cfl=q.c",
    "cfn=(2)",
    "cfn=y",
    "calls=1 5",
    "calls=",
    "calls=x 2",
    "calls=18446744073709551615 1",
    "jump=2 9",
    "jcnd=1/2 +3",
    "jcnd=0x1/fn 3",
    "summary: 7",
    "totals: 1 2",
    "events: Ir Dr",
    "events: Ir Ir",
    "events:",
    "positions: instr line",
    "positions: foo",
    "part: 2",
    "creator: callgrind-3.20",
    "event: S = Ir + 2 Dr - L : x",
    "# comment",
    "* 5",
];
const NUMBERS: [&str; 23] = [
    "+",
    "-",
    "*3",
    "++1",
    "0",
    "-1",
    "+3",
    "-99999",
    "*",
    "0x",
    "0x1F",
    "1.5",
    "1e5",
    "+2.50e1",
    "1e-3",
    "abc",
    ".",
    "010",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "99999999999999999999999999999999999999999",
];

/// A few lines or bytes of a profile changed.
pub(crate) fn mutate(seed: u64, bytes: &[u8]) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..1 + rng.below(4) {
        let (here, there) = (
            rng.below(lines.len() as u64) as usize,
            rng.below(lines.len() as u64) as usize,
        );
        match rng.below(9) {
            0 if lines.len() > 1 => drop(lines.remove(here)),
            1 => lines.insert(there, lines[here].clone()),
            2 => lines.swap(here, there),
            3 => lines.insert(here, rng.pick(&WORDS).into()),
            4 => lines.truncate(here + 1),
            5 => mutate_word(&mut rng, &mut lines[here]),
            6 => lines[here] = [&lines[here][..], &lines[there]].concat(),
            _ => mutate_byte(&mut rng, &mut lines[here]),
        }
    }
    lines.join(&b'\n')
}

fn mutate_word(rng: &mut Rng, line: &mut Vec<u8>) {
    let mut words: Vec<&[u8]> = line.split(|b| *b == b' ').collect();
    let (at, new) = (
        rng.below(words.len() as u64) as usize,
        rng.pick(&NUMBERS).as_bytes(),
    );
    match rng.below(3) {
        0 => words.insert(at, new),
        _ => words[at] = new,
    }
    *line = words.join(&b' ');
}

fn mutate_byte(rng: &mut Rng, line: &mut Vec<u8>) {
    let at = rng.below(line.len() as u64 + 1) as usize;
    let byte = rng.pick(b"0123456789+-*() \t\r\0=:#.x'afc\xff");
    match rng.below(3) {
        0 => line.insert(at, byte),
        1 if at < line.len() => drop(line.remove(at)),
        _ if at < line.len() => line[at] = byte,
        _ => {}
    }
}

/// xorshift64*
#[derive(Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Rng {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..4).for_each(|_| {
            rng.next();
        });
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    pub(crate) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize].clone()
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}
