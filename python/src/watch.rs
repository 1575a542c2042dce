//! Work on a thread of its own, while the interpreter is asked for signals and told of progress.
//!
//! The thread that works never touches the interpreter. Ctrl-C, or an error in the callback, asks it to end at its next event; where it
//! does not within [`GRACE`], because no event comes or because nothing watches that part of the work, it is left to itself.

use crate::error::PathError;
use pathqp::Line;
use pathqp::observe::{Event, Observer};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The interpreter is asked this often.
const PAUSE: Duration = Duration::from_millis(50);

/// How long an end in good order is waited for.
const GRACE: Duration = Duration::from_secs(1);

/// As much as the main thread has.
const STACK: usize = 8 << 20;

/// What both threads see.
#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    /// The part that is done, as bits of a number from 0 to 1.
    part: AtomicU64,
    events: AtomicUsize,
}

/// The observer of a path: says how far it is, and whether to go on.
pub struct Watch {
    shared: Arc<Shared>,
    line: [f64; 2],
}

impl Watch {
    /// Over a path on this line.
    pub fn over(mut self, line: &Line<f64>) -> Self {
        self.line = [line.begin, line.end.unwrap_or(f64::INFINITY)];
        self
    }

    /// Whether to go on, with this part (0 to 1) of the work done.
    pub fn look(&self, part: f64, events: usize) -> bool {
        self.shared.part.store(part.to_bits(), Ordering::Relaxed);
        self.shared.events.store(events, Ordering::Relaxed);
        !self.shared.stop.load(Ordering::Relaxed)
    }
}

impl Observer<f64> for Watch {
    fn event(&mut self, event: &Event<'_, f64>) -> bool {
        // A ray has no end: half of it lies before one.
        let [way, length] = [event.t - self.line[0], self.line[1] - self.line[0]];
        let part = if length.is_finite() { way / length } else { way / (1.0 + way) };
        self.look(part, event.stats.events)
    }

    fn start_event(&mut self, event: &Event<'_, f64>) -> bool {
        self.look(0.0, event.stats.events)
    }
}

/// Waits without the interpreter.
fn wait<T: Send>(py: Python<'_>, receiver: &mut Receiver<T>, time: Duration) -> Result<T, RecvTimeoutError> {
    py.detach(move || receiver.recv_timeout(time))
}

/// The result of `work`. `callback(part, events)` is told now and then how far it is.
pub fn apart<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(Watch) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let shared = Arc::new(Shared::default());
    let watch = Watch { shared: shared.clone(), line: [0.0, f64::INFINITY] };
    let (sender, mut receiver) = channel();
    // Nobody listens any more where the work was left to itself.
    thread::Builder::new().stack_size(STACK).spawn(move || drop(sender.send(work(watch))))?;
    loop {
        match wait(py, &mut receiver, PAUSE) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err(PathError::new_err("the work ended without a result")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let (part, events) = (shared.part.load(Ordering::Relaxed), shared.events.load(Ordering::Relaxed));
        let asked = py.check_signals().and_then(|()| {
            callback.as_ref().map(|callback| callback.call1(py, (f64::from_bits(part), events))).transpose()
        });
        if let Err(error) = asked {
            shared.stop.store(true, Ordering::Relaxed);
            // Whatever the result is, it is not wanted.
            drop(wait(py, &mut receiver, GRACE));
            return Err(error);
        }
    }
}
