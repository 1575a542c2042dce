//! Ctrl-C and progress while the interpreter is let go.

use pathqp::observe::{Event, Observer};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The interpreter is asked this often.
const PAUSE: Duration = Duration::from_millis(50);

/// Asks the interpreter now and then whether to go on, and tells a callback `(part, events)` how far the work is.
pub struct Watch {
    callback: Option<Py<PyAny>>,
    length: f64,
    last: Instant,
    /// What ended the work, if anything did.
    pub error: Option<PyErr>,
}

impl Watch {
    /// Over a path of this length.
    pub fn new(callback: Option<Py<PyAny>>, length: Option<f64>) -> Self {
        Watch { callback, length: length.unwrap_or(f64::INFINITY), last: Instant::now(), error: None }
    }

    /// Whether to go on, with this part (0 to 1) of the work done.
    pub fn look(&mut self, part: f64, events: usize) -> bool {
        if self.last.elapsed() < PAUSE {
            return true;
        }
        self.last = Instant::now();
        let asked = Python::attach(|py| {
            py.check_signals()?;
            self.callback.as_ref().map(|callback| callback.call1(py, (part, events))).transpose()
        });
        self.error = asked.err();
        self.error.is_none()
    }
}

impl Observer<f64> for Watch {
    fn event(&mut self, event: &Event<'_, f64>) -> bool {
        // A ray has no end: half of it lies before one.
        let part = if self.length.is_finite() { event.t / self.length } else { event.t / (1.0 + event.t) };
        self.look(part, event.stats.events)
    }

    fn start_event(&mut self, event: &Event<'_, f64>) -> bool {
        self.look(0.0, event.stats.events)
    }
}

/// Work that nothing can stop, on a thread of its own. After Ctrl-C it is left to itself.
pub fn apart<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send + 'static) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    // Nobody listens any more after Ctrl-C.
    let worker = thread::spawn(move || drop(sender.send(work())));
    loop {
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(PAUSE)) {
            Ok(result) => {
                drop(worker.join());
                return result;
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(crate::error::PathError::new_err("the work ended without a result"));
            }
        }
    }
}
