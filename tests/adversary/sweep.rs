//! Many problems, each with a limit of time.

use super::families::Family;
use super::follow::{Outcome, follow};
use super::problem::Form;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a problem may take, judging it included. It takes milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(8);

/// Threads that do not end go on: a sweep with more than so many is given up.
const HANGING: usize = 12;

/// The name of the threads whose panics are caught.
const WORKER: &str = "adversary";

/// What became of the problems of a family.
#[derive(Clone, Debug)]
pub struct Tally {
    pub family: Family,
    pub form: Form,
    pub problems: usize,
    pub complete: usize,
    /// Of these, how many `validate` complains of.
    pub complaints: usize,
    pub stopped: usize,
    pub wrong: usize,
    pub declined: usize,
    pub endless: usize,
    pub panics: usize,
    pub seconds: f64,
    /// Seeds and what happened, of whatever is neither complete nor stopped.
    pub failures: Vec<(u64, Outcome)>,
}

impl Tally {
    fn new(family: Family, form: Form) -> Self {
        let [problems, complete, complaints, stopped, wrong, declined, endless, panics] = [0; 8];
        let (seconds, failures) = (0.0, Vec::new());
        Tally {
            family,
            form,
            problems,
            complete,
            complaints,
            stopped,
            wrong,
            declined,
            endless,
            panics,
            seconds,
            failures,
        }
    }

    /// How many failed, in the order wrong, declined, endless, panics.
    pub fn failed(&self) -> [usize; 4] {
        [self.wrong, self.declined, self.endless, self.panics]
    }

    fn count(&mut self, seed: u64, outcome: Outcome) {
        self.problems += 1;
        match &outcome {
            Outcome::Complete { complaints } => {
                self.complete += 1;
                self.complaints += usize::from(*complaints);
                return;
            }
            Outcome::Stopped => {
                self.stopped += 1;
                return;
            }
            Outcome::Wrong(_) => self.wrong += 1,
            Outcome::Declined(_) => self.declined += 1,
            Outcome::Endless => self.endless += 1,
            Outcome::Panic(_) => self.panics += 1,
        }
        self.failures.push((seed, outcome));
    }

    /// The failing seeds with what happened, one a line.
    pub fn list(&self, most: usize) -> String {
        let line = |(seed, outcome): &(u64, Outcome)| {
            format!("  ({:?}, {:?}, {seed}): {outcome:?}\n", self.family.to_string(), self.form)
        };
        let rest = self.failures.len().saturating_sub(most);
        let more = if rest > 0 { format!("  and {rest} more\n") } else { String::new() };
        self.failures.iter().take(most).map(line).collect::<String>() + &more
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { problems, complete, stopped, wrong, declined, endless, panics, complaints, seconds, .. } = self;
        let name = format!("{} {:?}", self.family, self.form);
        write!(
            f,
            "{name:<20} {problems:>6} problems: {complete:>6} complete, {stopped:>5} ended early and rightly, {wrong:>4} silently wrong, \
             {declined:>4} declined, {endless:>3} without end, {panics:>2} panics ({complaints} complaints of validate; {seconds:.1} s)"
        )
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_string()
}

/// Panics of the workers are counted and need not be printed; all others are.
pub fn quiet_workers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(WORKER) {
                before(info);
            }
        }));
    });
}

fn worker(family: Family, form: Form, seeds: Range<u64>) -> Receiver<(u64, Outcome)> {
    let (sender, receiver) = channel();
    let run = move || {
        for seed in seeds {
            // Nothing outlives the panic but the message.
            let outcome = catch_unwind(AssertUnwindSafe(|| follow(family, seed, form, PATIENCE / 2)));
            let outcome = outcome.unwrap_or_else(|payload| Outcome::Panic(message(payload.as_ref())));
            if sender.send((seed, outcome)).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name(WORKER.into()).spawn(run).expect("the system has a thread to spare");
    receiver
}

/// What a piece of work returns, or the message of its panic; none where it takes longer than `patience`, and its thread is left behind.
pub fn patiently<T: Send + 'static>(
    patience: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<Result<T, String>> {
    let (sender, receiver) = channel();
    let run = move || {
        let result = catch_unwind(AssertUnwindSafe(work)).map_err(|payload| message(payload.as_ref()));
        // Nobody may be waiting any more.
        let _ = sender.send(result);
    };
    std::thread::Builder::new().name(WORKER.into()).spawn(run).expect("the system has a thread to spare");
    receiver.recv_timeout(patience).ok()
}

/// Follows and judges every seed. A problem that takes longer than [`PATIENCE`] is left behind with its thread.
pub fn sweep(family: Family, form: Form, seeds: Range<u64>) -> Tally {
    let (begin, mut tally) = (Instant::now(), Tally::new(family, form));
    let (mut next, mut hanging) = (seeds.start, 0);
    let mut results = worker(family, form, seeds.clone());
    while next < seeds.end {
        match results.recv_timeout(PATIENCE) {
            Ok((seed, outcome)) => {
                tally.count(seed, outcome);
                next = seed + 1;
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                tally.count(next, Outcome::Endless);
                next += 1;
                hanging += 1;
                if hanging > HANGING {
                    break;
                }
                results = worker(family, form, next..seeds.end);
            }
        }
    }
    tally.seconds = begin.elapsed().as_secs_f64();
    tally
}
