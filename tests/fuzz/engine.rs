//! What reads the inputs: [`replay`] those of the corpus, [`fuzz`] mutated ones.
//!
//! There is no instrumentation, which stable Rust lacks. What a target returns of an input
//! (which errors, how many events) stands for it: an input of which something new is
//! returned is mutated further.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::mutate::{Random, mutated};

/// How many inputs a target reads if nobody says it.
const INPUTS: u64 = 2_000;
/// How many inputs are mutated further.
const POOL: usize = 2_000;
/// The longest input that is mutated further, in bytes.
const LONGEST: usize = 2_048;
/// After how many seconds an input counts as one that hangs.
const HANGS: u64 = 60;

/// A parser of what strangers send.
pub struct Target {
    /// Its name, which is that of its folder in the corpus.
    pub name: &'static str,
    /// What it is fed with at first, beside its folder in the corpus.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of its language.
    pub words: &'static [&'static str],
    /// Reads an input, asserts what has to hold of it, and returns what tells it from
    /// others.
    pub read: fn(&[u8], &mut DefaultHasher),
}

/// The folder of the corpus.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus")
}

/// The seeds of a target, each with its name.
fn seeds(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = corpus().join(target.name);
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the target has a folder in the corpus")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    paths.sort();
    let files = paths.into_iter().map(|path| {
        let bytes = fs::read(&path).expect("a file of the corpus can be read");
        (path.display().to_string(), bytes)
    });
    let shipped = (target.seeds)().into_iter().enumerate();
    files.chain(shipped.map(|(index, seed)| (format!("seed {index}"), seed))).collect()
}

impl Target {
    /// Reads an input; returns what it is like.
    fn like(&self, input: &[u8]) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.read)(input, &mut hasher);
        hasher.finish()
    }

    fn panics(&self, input: &[u8]) -> bool {
        catch_unwind(AssertUnwindSafe(|| self.like(input))).is_err()
    }
}

/// Reads every seed of a target.
pub fn replay(target: &Target) {
    for (name, seed) in seeds(target) {
        assert!(!target.panics(&seed), "{}: {name} fails", target.name);
    }
}

fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a whole number, not {text}")))
}

/// Reads mutated inputs until there were enough.
pub fn fuzz(target: &Target) {
    let seconds = from_environment("FUZZ_SECONDS").map(Duration::from_secs);
    let most = match (from_environment("FUZZ_INPUTS"), seconds) {
        (Some(inputs), _) => inputs,
        (None, Some(_)) => u64::MAX,
        (None, None) => INPUTS,
    };
    let seed = from_environment("FUZZ_SEED").unwrap_or(1);
    println!("{}: seed {seed}", target.name);
    let mut pool: Vec<Vec<u8>> = seeds(target).into_iter().map(|(_, bytes)| bytes).collect();
    let mut known = HashSet::new();
    let mut random = Random::new(seed, target.name);
    let watch = Watch::new(target.name, seed);
    let begun = Instant::now();
    let mut slowest = (Duration::ZERO, 0);
    let mut read = 0;
    while read < most && seconds.is_none_or(|seconds| begun.elapsed() < seconds) {
        let input = mutated(&mut random, &pool, target.words);
        watch.begin(&input);
        let before = Instant::now();
        let like = catch_unwind(AssertUnwindSafe(|| target.like(&input)));
        let took = before.elapsed();
        read += 1;
        let Ok(like) = like else { fail(target, seed, read, &input) };
        slowest = slowest.max((took, input.len()));
        if known.insert(like) && input.len() <= LONGEST {
            if pool.len() >= POOL {
                let place = random.below(pool.len());
                pool.swap_remove(place);
            }
            pool.push(input);
        }
    }
    watch.end();
    println!(
        "{}: {read} inputs in {:.1} s, {} kinds of them; the slowest took {:.1} ms for {} bytes",
        target.name,
        begun.elapsed().as_secs_f64(),
        known.len(),
        slowest.0.as_secs_f64() * 1e3,
        slowest.1
    );
}

/// Makes a failing input shorter, writes it to a file and names that.
fn fail(target: &Target, seed: u64, number: u64, input: &[u8]) -> ! {
    let file = place(&format!("{}-{seed}-{number}", target.name));
    let short = shortened(input, |input| target.panics(input));
    fs::write(&file, &short).expect("the failing input can be written");
    panic!(
        "{}: input {number} of seed {seed} fails; it is in {} ({} bytes). With a copy of it in \
         tests/fuzz/corpus/{} each run reads it",
        target.name,
        file.display(),
        short.len(),
        target.name
    );
}

/// Where inputs are written.
fn place(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(folder).expect("there is a folder for what tests write");
    folder.join(format!("fuzz-{name}"))
}

/// What is left of an input after everything that does not matter was taken out.
fn shortened(input: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut short = input.to_vec();
    let mut size = short.len() / 2;
    let mut tries = 2_000;
    while size > 0 {
        let mut at = 0;
        while at < short.len() && tries > 0 {
            tries -= 1;
            let mut without = short[..at].to_vec();
            without.extend_from_slice(&short[(at + size).min(short.len())..]);
            if fails(&without) {
                short = without;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    short
}

/// Keeps the input that is being read in a file, so that it is known also after the
/// process was ended, and ends the process if it takes too long.
struct Watch {
    file: fs::File,
    path: PathBuf,
    /// The seconds since the start at which the current input began.
    since: Arc<AtomicU64>,
    start: Instant,
    done: mpsc::Sender<()>,
}

impl Watch {
    fn new(name: &str, seed: u64) -> Self {
        let path = place(&format!("{name}-{seed}-running"));
        let file = fs::File::create(&path).expect("the current input can be written");
        let (start, since) = (Instant::now(), Arc::new(AtomicU64::new(0)));
        let (done, ended) = mpsc::channel();
        let (watched, shown) = (Arc::clone(&since), path.clone());
        std::thread::spawn(move || {
            while ended.recv_timeout(Duration::from_secs(1)) == Err(mpsc::RecvTimeoutError::Timeout)
            {
                if start.elapsed().as_secs() > watched.load(Ordering::Relaxed) + HANGS {
                    eprintln!("an input takes longer than {HANGS} s: {}", shown.display());
                    std::process::abort();
                }
            }
        });
        Watch { file, path, since, start, done }
    }

    fn begin(&self, input: &[u8]) {
        self.since.store(self.start.elapsed().as_secs(), Ordering::Relaxed);
        let mut file = &self.file;
        let written = file.rewind().and_then(|()| file.write_all(input));
        let length = u64::try_from(input.len()).expect("it has a length");
        written.and_then(|()| file.set_len(length)).expect("the current input can be written");
    }

    fn end(self) {
        let _ = self.done.send(());
        fs::remove_file(&self.path).expect("the current input can be taken away");
    }
}

/// Tells counts apart by their size alone, so that not each number is something new.
pub fn about(count: usize) -> u32 {
    usize::BITS - count.leading_zeros()
}

/// Takes something in that tells an input from others.
pub fn note(hasher: &mut DefaultHasher, what: impl Hash) {
    what.hash(hasher);
}
