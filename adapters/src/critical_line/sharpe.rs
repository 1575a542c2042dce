//! The largest Sharpe ratio S(w) = (μᵀw − r)/√(wᵀΣw) of all portfolios that satisfy the bounds.
//!
//! Let e = μᵀw − r, a linear function on weights that sum to one, and σ = √(wᵀΣw), a convex function.
//!
//! *Some portfolio has e > 0.* At equal risk a larger return means a larger S. So the largest S is that of an efficient portfolio, and on each segment of the
//! path it is at the root of a linear function (see [`super`]). A portfolio without risk has S = ∞. If the path goes on to infinity with a growing return, S
//! may tend to √m′ without reaching it.
//!
//! *No portfolio has e > 0.* Then more risk makes S larger, and the best portfolio need not be efficient. Let w = Σ λₖVₖ be a mixture of corners of the
//! feasible set, and all e < 0. Then σ(w)/|e(w)| ≤ Σ λₖσ(Vₖ) / Σ λₖ|e(Vₖ)| ≤ maxₖ σ(Vₖ)/|e(Vₖ)|: S is largest at a corner. (If the largest e is zero, S = 0 is
//! the largest ratio, unless that portfolio has no risk and hence no ratio; towards it S is constant along straight lines, so that the corners with a ratio
//! decide again.) At a corner of 1ᵀw = 1, l ≤ w ≤ u all assets but one are at a bound. For long-only weights whose upper bounds are not active the corners are
//! the single assets; in general their number grows exponentially with n, as does the work of any exact method, because a convex function is maximised. They
//! are enumerated as long as they are few (`corners.rs`). Otherwise, and where there are rows, the answer is that the ratio is not known.

use super::corners::{Search, TooMany};
use super::{CriticalLine, Portfolio};
use pathqp::{Path, Stop};

/// The kind of answer to the question for the largest Sharpe ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharpeCase {
    /// An efficient portfolio has the largest ratio.
    Efficient,
    /// A portfolio has a larger return than the risk-free one and no risk: its ratio is infinite.
    Riskless,
    /// No portfolio has a larger return than the risk-free one, and the ratio is largest at a corner of the feasible set.
    Corner,
    /// The return grows without bound, and the ratio tends to a limit that no portfolio attains.
    Limit,
    /// No portfolio has a larger return than the risk-free one, and there are too many corners to enumerate.
    TooManyCorners,
    /// No portfolio has a larger return than the risk-free one, and there are rows, whose corners are not enumerated.
    CornerOfRows,
    /// No portfolio has a larger return than the risk-free one, and some weights have no bound, so that any risk is possible.
    Unbounded,
    /// No portfolio has a ratio: none has excess return or risk.
    Undefined,
}

impl SharpeCase {
    /// The name of the case in JSON: the words of the variant in lower case, joined by hyphens.
    pub fn name(self) -> &'static str {
        match self {
            SharpeCase::Efficient => "efficient",
            SharpeCase::Riskless => "riskless",
            SharpeCase::Corner => "corner",
            SharpeCase::Limit => "limit",
            SharpeCase::TooManyCorners => "too-many-corners",
            SharpeCase::CornerOfRows => "corner-of-rows",
            SharpeCase::Unbounded => "unbounded",
            SharpeCase::Undefined => "undefined",
        }
    }
}

/// The answer to the question for the largest Sharpe ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct MaxSharpe {
    /// The kind of answer.
    pub case: SharpeCase,
    /// The portfolio, if there is one; its t is NaN for a corner that is not efficient.
    pub portfolio: Option<Portfolio>,
    /// The ratio of the portfolio, or the limit that the ratio tends to.
    pub ratio: Option<f64>,
    /// The largest return of all portfolios (of those on the path, if weights have no bounds or there are rows); it may be infinite.
    pub largest_return: f64,
}

impl MaxSharpe {
    /// A sentence of warning for the user, unless the answer is an efficient portfolio with a positive excess return.
    pub fn caution(&self, risk_free: f64) -> Option<String> {
        let none_more = |then: &str| {
            format!(
                "no portfolio returns more than the risk-free {risk_free} (the largest return is {}): {then}; is the risk-free return one of a single period, like the returns?",
                self.largest_return
            )
        };
        let ratio = self.ratio.unwrap_or(f64::NAN);
        match self.case {
            SharpeCase::Efficient if self.largest_return - risk_free > 0.0 && ratio > 0.0 => None,
            SharpeCase::Efficient => Some(none_more("the largest Sharpe ratio is zero")),
            SharpeCase::Corner => Some(none_more(&format!(
                "the largest Sharpe ratio, {ratio}, is at a corner of the feasible set, because more risk makes a negative ratio larger"
            ))),
            SharpeCase::TooManyCorners => Some(none_more(
                "the Sharpe ratio is then largest at a corner of the feasible set, and there are too many corners to compare",
            )),
            SharpeCase::CornerOfRows => Some(none_more(
                "the Sharpe ratio is then largest at a corner of the feasible set, and with linear constraints the corners are not compared",
            )),
            SharpeCase::Unbounded => Some(none_more(
                "because weights have no bounds, the Sharpe ratio then grows with the risk without limit",
            )),
            SharpeCase::Riskless => Some(
                "a portfolio without risk returns more than the risk-free return: its Sharpe ratio is infinite".into(),
            ),
            SharpeCase::Limit => Some(format!(
                "the Sharpe ratio grows towards {ratio} with the return, which has no largest value: no portfolio has the largest ratio; give bounds, or a smaller risk-free return"
            )),
            SharpeCase::Undefined => {
                Some("no portfolio has a Sharpe ratio, because none has an excess return or a risk".into())
            }
        }
    }
}

impl Portfolio {
    /// The Sharpe ratio (μᵀw − r)/√(wᵀΣw) with the risk-free return r; infinite or NaN where the variance is zero.
    pub fn sharpe(&self, risk_free: f64) -> f64 {
        (self.mean - risk_free) / self.variance.max(0.0).sqrt()
    }
}

impl CriticalLine {
    /// The portfolio with the largest Sharpe ratio. It is searched for on the whole given path and, where no portfolio has a larger return than `risk_free`,
    /// among the corners of the feasible set.
    pub fn max_sharpe(&self, path: &Path<f64>, risk_free: f64) -> MaxSharpe {
        let none = |case, largest_return| MaxSharpe { case, portfolio: None, ratio: None, largest_return };
        if matches!(path.stop(), Some(Stop::Unbounded { .. })) {
            return MaxSharpe { ratio: Some(f64::INFINITY), ..none(SharpeCase::Limit, f64::INFINITY) };
        }
        let Ok((first, last)) = self.ends(path) else { return none(SharpeCase::Undefined, f64::NAN) };
        let tight = self.tightened();
        let top = match &tight {
            Some([lower, upper]) => Some(self.portfolio(f64::NAN, self.largest(lower, upper))),
            None => last,
        };
        let largest_return = top.as_ref().map_or(f64::INFINITY, |top| top.mean);
        let answer = |case, portfolio: Portfolio| {
            let ratio = self.ratio(&portfolio, risk_free);
            MaxSharpe { case, portfolio: Some(portfolio), ratio, largest_return }
        };
        let excess = top.as_ref().map_or(f64::INFINITY, |top| self.excess(top, risk_free));
        if excess > 0.0 {
            if self.excess(&first, risk_free) > 0.0 && first.variance == 0.0 {
                return answer(SharpeCase::Riskless, first);
            }
            if let Some(ratio) = self.limit(path, risk_free) {
                return MaxSharpe { ratio: Some(ratio), ..none(SharpeCase::Limit, largest_return) };
            }
        }
        let efficient = self.best_on_path(path, risk_free);
        match (efficient, tight) {
            (Some(best), _) if excess > 0.0 || (excess == 0.0 && self.excess(&best, risk_free) == 0.0) => {
                answer(SharpeCase::Efficient, best)
            }
            (efficient, Some([lower, upper])) => match Search::new(self, &lower, &upper, risk_free).run() {
                Err(TooMany) => none(SharpeCase::TooManyCorners, largest_return),
                Ok(None) => none(SharpeCase::Undefined, largest_return),
                Ok(Some(corner)) => {
                    let corner = self.portfolio(f64::NAN, corner);
                    let same = efficient.filter(|e| self.ratio(e, risk_free) >= self.ratio(&corner, risk_free));
                    answer(SharpeCase::Corner, same.unwrap_or(corner))
                }
            },
            (_, None) if self.rows.is_some() => none(SharpeCase::CornerOfRows, largest_return),
            (_, None) => none(SharpeCase::Unbounded, largest_return),
        }
    }

    /// μᵀw − r; zero where it is no more than rounding.
    fn excess(&self, portfolio: &Portfolio, risk_free: f64) -> f64 {
        let excess = portfolio.mean - risk_free;
        if excess.abs() > self.rounding_of_return(portfolio) { excess } else { 0.0 }
    }

    /// S; none where neither excess return nor risk can be told from zero.
    fn ratio(&self, portfolio: &Portfolio, risk_free: f64) -> Option<f64> {
        let determined = portfolio.variance > 0.0 || self.excess(portfolio, risk_free) != 0.0;
        determined.then(|| portfolio.sharpe(risk_free))
    }

    /// The best of the segments of a path.
    fn best_on_path(&self, path: &Path<f64>, risk_free: f64) -> Option<Portfolio> {
        let on_segment = |k: usize| {
            let (a, slope, end) = self.segment(path, k)?;
            // v − t(m − r) = v(a) − m′a² − t(m(a) − m′a − r).
            let root = (a.variance - slope * a.t * a.t) / (a.mean - slope * a.t - risk_free);
            let inner = Some(root).filter(|root| slope > 0.0 && *root > a.t && *root < end);
            // Levered to any extent, the same ratio: the portfolio at t = 1 grows fastest.
            let beyond = if end.is_finite() { end } else { a.t.max(1.0) };
            Some([a.t, inner.unwrap_or(a.t), beyond])
        };
        let all = (0..path.segments().len()).filter_map(on_segment).flatten().filter_map(|t| self.at(path, t));
        let rated = all.filter_map(|p| Some((self.ratio(&p, risk_free)?, p)));
        rated.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, portfolio)| portfolio)
    }

    /// √m′, where S grows for ever on the last segment: m(a) − m′a ≤ r, and the minimum of the parabola has a risk.
    fn limit(&self, path: &Path<f64>, risk_free: f64) -> Option<f64> {
        if !matches!(path.stop(), Some(Stop::Diverges { .. })) {
            return None;
        }
        let (a, slope, _) = self.segment(path, path.segments().len().checked_sub(1)?)?;
        let (vertex, risk) = (a.mean - slope * a.t - risk_free, a.variance - slope * a.t * a.t);
        let grows = slope > 0.0 && vertex <= self.rounding_of_return(&a);
        (grows && risk > self.rounding_of_variance(&a.weights)).then(|| slope.sqrt())
    }

    /// What the budget and the bounds of the others leave of each asset's bounds; none where that is still infinite, and where rows leave less.
    fn tightened(&self) -> Option<[Vec<f64>; 2]> {
        if self.rows.is_some() {
            return None;
        }
        let n = self.mean.len();
        let others = |bounds: &[f64], i: usize| (0..n).filter(|&j| j != i).map(|j| bounds[j]).sum::<f64>();
        let lower: Vec<f64> = (0..n).map(|i| self.lower[i].max(1.0 - others(&self.upper, i))).collect();
        let upper: Vec<f64> = (0..n).map(|i| self.upper[i].min(1.0 - others(&self.lower, i))).collect();
        lower.iter().chain(&upper).all(|b| b.is_finite()).then_some([lower, upper])
    }

    /// The weights with the largest return: what the lower bounds leave goes to the assets with the largest means.
    fn largest(&self, lower: &[f64], upper: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..lower.len()).collect();
        order.sort_by(|&i, &j| self.mean[j].total_cmp(&self.mean[i]));
        let (mut weights, mut left) = (lower.to_vec(), 1.0 - lower.iter().sum::<f64>());
        for i in order {
            if left >= upper[i] - lower[i] {
                weights[i] = upper[i];
                left -= upper[i] - lower[i];
            } else {
                weights[i] += left.max(0.0);
                break;
            }
        }
        weights
    }
}
