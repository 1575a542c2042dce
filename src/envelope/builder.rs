//! An envelope that grows with a stream of branches.

use super::branch::Branch;
use super::lower::Envelope;
use crate::scalar::Scalar;
use crate::settings::Settings;

/// An envelope that grows branch by branch, in any order.
///
/// It keeps a few envelopes, each with more than twice as many pieces as the next one, and merges two of them as soon as that no longer holds (the logarithmic
/// method of Bentley and Saxe 1980, Journal of Algorithms 1, 301–358). So the pieces that it holds number less than twice those of the first envelope, which is
/// that of a part of the branches. Branches that lie above that envelope take no memory. During a merge both envelopes and their result are held.
#[derive(Clone, Debug)]
pub struct EnvelopeBuilder<S: Scalar> {
    levels: Vec<Envelope<S>>,
    settings: Settings,
}

impl<S: Scalar> EnvelopeBuilder<S> {
    /// A builder without branches. It uses [`Settings::coincident`] and [`Settings::sliver`].
    pub fn new(settings: &Settings) -> Self {
        EnvelopeBuilder { levels: Vec::new(), settings: settings.clone() }
    }

    /// Adds a branch with its number. Numbers should be distinct: where branches coincide, the one with the smallest number is kept.
    pub fn add(&mut self, id: u64, branch: Branch<S>) {
        self.add_envelope(Envelope::from((id, branch)));
    }

    /// Adds all pieces and isolated branches of another envelope.
    pub fn add_envelope(&mut self, envelope: Envelope<S>) {
        let mut last = envelope;
        while let Some(before) = self.levels.pop_if(|before| before.size() <= 2 * last.size()) {
            last = before.merge(last, &self.settings);
        }
        self.levels.push(last);
    }

    /// The number of pieces held now, to which the memory is proportional.
    pub fn size(&self) -> usize {
        self.levels.iter().map(Envelope::size).sum()
    }

    /// The envelope of all branches so far.
    pub fn finish(self) -> Envelope<S> {
        let merged = self.levels.into_iter().rev().reduce(|small, large| large.merge(small, &self.settings));
        merged.unwrap_or_default()
    }
}
