//! What is made of inputs: [`mutated`].

/// Bytes that end, escape or hide something in some language.
const BYTES: &[u8] = b"\0\t\n\r \"#%&'()*,-./0123456789:;<=>?@AZ[\\]^_`az{|}~\x7f\x80\xc3\xe2\xff";

/// Characters of several bytes, and what stands beside them in numbers.
const WORDS: &[&str] = &[
    "\u{feff}",
    "\u{e9}",
    "\u{202e}",
    "\u{2028}",
    "\u{85}",
    "\u{a0}",
    "\u{10ffff}",
    "\r\n",
    "\n\n",
    "\x1b[31m",
    "-1",
    "1e308",
    "9223372036854775807",
    "18446744073709551616",
];

/// The longest input, in bytes, in which something is repeated.
const REPEATED: usize = 32 * 1024;

/// Numbers that look random: SplitMix64, by Sebastiano Vigna, in the public domain.
pub struct Random(u64);

impl Random {
    /// The numbers of this seed and name.
    pub fn new(seed: u64, name: &str) -> Self {
        let add = |state: u64, byte: u8| state.wrapping_mul(31).wrapping_add(u64::from(byte));
        Random(name.bytes().fold(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), add))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    fn word<'a>(&mut self, words: &[&'a str]) -> &'a [u8] {
        let words = if words.is_empty() || self.below(4) == 0 { WORDS } else { words };
        self.one(words).as_bytes()
    }

    /// A part of something this long, most often a short one.
    fn part(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let longest = if self.below(4) == 0 { length } else { 16 };
        start..(start + self.below(longest + 1)).min(length)
    }
}

/// One of the `pool`, changed in a few places.
pub fn mutated(random: &mut Random, pool: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let mut input = pool[random.below(pool.len())].clone();
    for _ in 0..=random.below(5) {
        change(random, &mut input, pool, words);
    }
    if random.below(512) == 0 {
        repeat(random, &mut input, words);
    }
    input
}

fn change(random: &mut Random, input: &mut Vec<u8>, pool: &[Vec<u8>], words: &[&str]) {
    let part = random.part(input.len());
    match random.below(14) {
        0 => {
            if let Some(byte) = input.get_mut(part.start) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => input.insert(part.start, BYTES[random.below(BYTES.len())]),
        2 => {
            if let Some(byte) = input.get_mut(part.start) {
                *byte = BYTES[random.below(BYTES.len())];
            }
        }
        3 | 4 => {
            let word = random.word(words);
            input.splice(part.start..part.start, word.iter().copied());
        }
        5 => {
            let word = random.word(words);
            input.splice(part, word.iter().copied());
        }
        6 => drop(input.drain(part)),
        7 => {
            let copy = input[part.clone()].repeat(1 + random.below(3));
            input.splice(part.end..part.end, copy);
        }
        8 => {
            let other = &pool[random.below(pool.len())];
            let copy = other[random.part(other.len())].to_vec();
            input.splice(part, copy);
        }
        9 => {
            let other = &pool[random.below(pool.len())];
            input.truncate(part.start);
            input.extend_from_slice(&other[random.below(other.len() + 1)..]);
        }
        10 => input.truncate(part.end),
        11 => number(random, input, part.start),
        _ => lines(random, input),
    }
    // An input that grew in each of many generations is no faster found to be wrong.
    input.truncate(8 * 1024);
}

/// Puts another number in the place of one behind `from`.
fn number(random: &mut Random, input: &mut Vec<u8>, from: usize) {
    let Some(start) = (from..input.len()).find(|&at| input[at].is_ascii_digit()) else { return };
    let digits = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let numbers = ["0", "1", "00", "-1", "0.0", "1e9999", "4294967296", "9223372036854775808"];
    let other = random.one(&numbers).bytes();
    input.splice(start..start + digits, other);
}

/// Moves, doubles, drops or indents a line, or ends all of them differently.
fn lines(random: &mut Random, input: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> = input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    let mut end = "\n";
    match random.below(8) {
        0 | 1 => lines.swap(one, other),
        2 | 3 => lines.insert(other, lines[one].clone()),
        4 => drop(lines.remove(one)),
        5 => lines[one].insert(0, b' '),
        6 => lines.insert(one, Vec::new()),
        _ => end = random.one(&["\r\n", "\r", " \n", "\n\n"]),
    }
    *input = lines.join(end.as_bytes());
}

/// Writes something very often in one place.
fn repeat(random: &mut Random, input: &mut Vec<u8>, words: &[&str]) {
    let mut what = Vec::new();
    for _ in 0..=random.below(3) {
        match random.below(2) {
            0 => what.push(BYTES[random.below(BYTES.len())]),
            _ => what.extend_from_slice(random.word(words)),
        }
    }
    let at = random.below(input.len() + 1);
    let often = REPEATED / what.len().max(1);
    input.splice(at..at, what.repeat(often));
}
