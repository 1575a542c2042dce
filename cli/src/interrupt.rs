//! Ctrl-C: the first asks for an orderly end, the second ends the program at once.

use crate::errors::Exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C was pressed.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes over Ctrl-C for the rest of the program.
    pub fn install() -> Self {
        let interrupt = Interrupt::default();
        let flag = interrupt.clone();
        let handler = move || {
            if flag.0.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(Exit::Interrupted.code()));
            }
        };
        // Without a handler Ctrl-C ends the program as it does any other.
        let _ = ctrlc::set_handler(handler);
        interrupt
    }

    /// Whether it was pressed.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
