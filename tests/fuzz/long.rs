//! Long inputs: whatever is repeated, and however deep it nests, the time that a target
//! takes is about proportional to the length.

use std::hash::DefaultHasher;
use std::time::Duration;

use crate::engine::Target;

/// How long the inputs are, in bytes.
const LENGTH: usize = 100 * 1024;

/// The processor time that one of them may take: many times what it does take, and far less
/// than what is quadratic would.
const MOST: Duration = Duration::from_secs(3);

/// The processor time of this thread.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

/// Reads inputs in which one word, or a pair of them, is repeated.
pub fn lengthen(target: &Target) {
    let mut slowest = (Duration::ZERO, String::new());
    let mut read = |input: Vec<u8>, what: String| {
        let before = processor_time();
        (target.read)(&input, &mut DefaultHasher::new());
        let took = processor_time() - before;
        assert!(took < MOST, "{}: {what}: {took:?} for {} bytes", target.name, input.len());
        if took > slowest.0 {
            slowest = (took, what);
        }
    };
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let words: Vec<Vec<u8>> = target.words.iter().map(|word| word.as_bytes().to_vec()).collect();
    for word in bytes.chain(words.iter().cloned()) {
        let shown = String::from_utf8_lossy(&word).into_owned();
        read(word.repeat(LENGTH / word.len()), format!("{shown:?} repeated"));
    }
    // Nested, and in a place where it may count.
    for (one, other) in ["[]", "{}", "()", "<>", "\"\"", "\\\"", "**"].map(|two| two.split_at(1)) {
        let half = LENGTH / 2;
        read(
            (one.repeat(half) + other.repeat(half).as_str()).into_bytes(),
            format!("{one}…{other}"),
        );
    }
    for (index, word) in words.iter().enumerate() {
        for other in [&words[(index + 1) % words.len()], &b" ".to_vec(), &b"\n".to_vec()] {
            let two = [word.as_slice(), other].concat();
            let shown = String::from_utf8_lossy(&two).into_owned();
            read(two.repeat(LENGTH / two.len()), format!("{shown:?} repeated"));
        }
        for seed in (target.seeds)().iter().take(1) {
            let shown = String::from_utf8_lossy(word).into_owned();
            let word = word.repeat(LENGTH / word.len());
            read([seed.as_slice(), &word].concat(), format!("a seed and {shown:?}"));
            read([word.as_slice(), seed].concat(), format!("{shown:?} and a seed"));
        }
    }
    let (took, what) = slowest;
    println!("{}: at most {:.1} ms, for {what}", target.name, took.as_secs_f64() * 1e3);
}
