//! Watching a path: limits, Ctrl-C, and a bar on stderr when the work is long.

use crate::checkpoint::Keeper;
use crate::interrupt::Interrupt;
use indicatif::{ProgressBar, ProgressStyle};
use pathqp::observe::{Event, Observer};
use pathqp::path::Checkpoint;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// The bar counts to this.
const TICKS: u64 = 1000;

/// A bar that appears when the work turns out to be long and stderr is a terminal.
pub struct Bar {
    label: &'static str,
    started: Instant,
    terminal: bool,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A bar with a label, not shown yet.
    pub fn new(label: &'static str) -> Self {
        Bar { label, started: Instant::now(), terminal: std::io::stderr().is_terminal(), bar: None }
    }

    /// Shows that this part (0 to 1) of the work is done.
    pub fn show(&mut self, part: f64, message: impl FnOnce() -> String) {
        if !self.terminal || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        let label = self.label;
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{prefix} {bar:40} {percent:>3}% {msg}");
            let bar = ProgressBar::new(TICKS).with_prefix(label);
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        bar.set_position((part.clamp(0.0, 1.0) * TICKS as f64) as u64);
        bar.set_message(message());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar for work of several threads.
pub struct SharedBar(Mutex<Bar>);

impl SharedBar {
    /// A bar with a label, not shown yet.
    pub fn new(label: &'static str) -> Self {
        SharedBar(Mutex::new(Bar::new(label)))
    }

    /// Shows that so many of so many are done. It is not waited for where another thread shows something.
    pub fn show(&self, done: usize, of: usize) {
        if let Ok(mut bar) = self.0.try_lock() {
            bar.show(done as f64 / of as f64, || format!("{done} of {of}"));
        }
    }
}

/// What made the watch end a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Ctrl-C.
    Interrupted,
    /// The time was up.
    Late,
}

/// The observer of a path.
pub struct Watch<'a> {
    interrupt: &'a Interrupt,
    deadline: Option<Instant>,
    line: [f64; 2],
    bar: Bar,
    ended: Option<Ended>,
    keeper: Option<Keeper>,
}

impl<'a> Watch<'a> {
    /// A watch over a path from one position to another.
    pub fn new(interrupt: &'a Interrupt, line: [f64; 2], keeper: Option<Keeper>) -> Self {
        Watch { interrupt, deadline: None, line, bar: Bar::new("path"), ended: None, keeper }
    }

    /// The path itself begins: the limit counts from now.
    pub fn begin(&mut self, limit: Option<Duration>) {
        self.deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    }

    /// What keeps checkpoints, if anything does.
    pub fn keeper(&self) -> Option<&Keeper> {
        self.keeper.as_ref()
    }

    /// What made it end the path, if anything.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }
}

impl Observer<f64> for Watch<'_> {
    fn event(&mut self, event: &Event<'_, f64>) -> bool {
        let [begin, end] = self.line;
        self.bar
            .show((event.t - begin) / (end - begin), || format!("{} events, {} free", event.stats.events, event.free));
        if self.interrupt.is_set() {
            self.ended = Some(Ended::Interrupted);
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.ended = Some(Ended::Late);
        }
        self.ended.is_none()
    }

    /// Ctrl-C only: a limit of time ends a path, not the way to its beginning.
    fn start_event(&mut self, _event: &Event<'_, f64>) -> bool {
        !self.interrupt.is_set()
    }

    fn checkpoint(&mut self, make: &dyn Fn() -> Checkpoint<f64>) {
        if let Some(keeper) = &mut self.keeper {
            keeper.offer(make);
        }
    }
}
