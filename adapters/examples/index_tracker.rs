//! The portfolio that follows an index and is ahead of it on average, for every lead asked of it: the example with rows of `docs/adapters.md`.

use pathqp::hessian::{Gram, Rows};
use pathqp::{Affine, ParametricQp, ProblemError, Range};
use std::sync::Arc;

/// Returns of d assets and of an index in n periods.
pub struct IndexTracker {
    /// The assets' returns, asset by asset: n × d.
    assets: Vec<Vec<f64>>,
    /// The index's, n of them.
    index: Vec<f64>,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

impl IndexTracker {
    /// From the returns of each asset and those of the index, all of the same n > 0 periods.
    ///
    /// # Errors
    /// An asset with more or fewer periods, and none at all.
    pub fn new(assets: Vec<Vec<f64>>, index: Vec<f64>) -> Result<Self, ProblemError> {
        let expected = index.len().max(1);
        let wrong = assets.iter().chain([&index]).map(Vec::len).find(|found| *found != expected);
        match wrong {
            Some(found) => Err(ProblemError::Shape { what: "the returns of an asset", expected, found }),
            None => Ok(IndexTracker { assets, index }),
        }
    }

    /// The largest lead that there is: the best asset's.
    pub fn most(&self) -> f64 {
        let best = self.assets.iter().map(|asset| mean(asset)).fold(f64::NEG_INFINITY, f64::max);
        best - mean(&self.index)
    }

    /// ½‖Xw − r‖²/n over w ≥ 0 with Σw = 1 and x̄ᵀw ≥ r̄ + θ. Column j of X is row j of Z.
    ///
    /// # Errors
    /// Returns that are not finite.
    pub fn qp(&self) -> Result<ParametricQp<f64>, ProblemError> {
        let (d, periods) = (self.assets.len(), self.index.len());
        let scale = 1.0 / periods as f64;
        let hessian = Gram::new(d, Rows::Dense { columns: periods, values: self.assets.concat() }, scale)?;
        let product = |asset: &Vec<f64>| -asset.iter().zip(&self.index).map(|(x, r)| x * r).sum::<f64>() * scale;
        let cost = Affine::constant(self.assets.iter().map(product).collect(), 1);
        let means = self.assets.iter().map(|asset| mean(asset));
        let rows = Rows::Dense { columns: d, values: vec![1.0; d].into_iter().chain(means).collect() };
        let least = Affine::line(vec![1.0, mean(&self.index)], vec![0.0, 1.0]);
        ParametricQp::new(Arc::new(hessian), vec![Range::at_least(0.0)], cost)?
            .lower(Affine::constant(vec![0.0; d], 1))?
            .rows(rows, least, Affine::constant(vec![1.0, f64::INFINITY], 1))
    }

    /// ‖Xw − r‖²/n, the mean square by which w misses the index.
    pub fn error(&self, w: &[f64]) -> f64 {
        let missed = |t: usize| self.assets.iter().zip(w).map(|(asset, w)| asset[t] * w).sum::<f64>() - self.index[t];
        mean(&(0..self.index.len()).map(|t| missed(t).powi(2)).collect::<Vec<_>>())
    }
}

/// Six assets and an index of half the first and half the second, over twelve periods, in per cent.
pub fn market() -> IndexTracker {
    let asset = |j: usize| (0..12).map(|t| ((t * (j + 2) + j * j) as f64).sin() + 0.1 * j as f64).collect();
    let assets: Vec<Vec<f64>> = (0..6).map(asset).collect();
    let index = assets[0].iter().zip(&assets[1]).map(|(a, b)| 0.5 * a + 0.5 * b).collect();
    IndexTracker { assets, index }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tracker = market();
    let line = tracker.qp()?.line(&[0.0], &[tracker.most()])?;
    let path =
        pathqp::trace(&line, &pathqp::Start::Anywhere, &pathqp::Settings::default(), &mut ()).map_err(|f| f.0)?;
    for share in [0.0, 0.5, 1.0] {
        let lead = share * tracker.most();
        let Some(point) = path.at_parameter(&[lead]) else { continue };
        println!("lead {lead:.5}: misses by {:.5}, price {:.5}", tracker.error(&point.x).sqrt(), point.rows[1]);
    }
    Ok(())
}
