//! The one-tailed Wilcoxon signed-rank test.

/// Differences count as equal up to this, relative to the largest one: they come from sums of a few rounded terms.
const EQUAL: f64 = 1e-9;

/// The p-value P(W ≥ w) under the hypothesis that the sign of every difference aᵢ − bᵢ is random, with w the sum of the ranks of the positive differences:
/// small when a is larger than b. Differences of zero are left out, equal ones share the mean of their ranks, and the distribution is the exact one for these
/// ranks (Hollander and Wolfe 1999, *Nonparametric Statistical Methods*, §3.1). The value is one when all differences are zero.
///
/// a and b are compared pair by pair; entries of a longer one are ignored.
pub fn p_value(a: &[f64], b: &[f64]) -> f64 {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let tolerance = EQUAL * differences.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
    let mut sorted: Vec<f64> = differences.into_iter().filter(|d| d.abs() > tolerance).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    // Twice the ranks are whole numbers.
    let mut ranks: Vec<usize> = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| b.abs() - a.abs() <= tolerance) {
        let first = ranks.len() + 1;
        let twice = 2 * first + group.len() - 1;
        ranks.extend(std::iter::repeat_n(twice, group.len()));
    }
    let positive: usize = sorted.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, rank)| rank).sum();
    let total: usize = ranks.iter().sum();
    // probability[s]: that the ranks taken so far sum to s/2.
    let mut probability = vec![0.0; total + 1];
    probability[0] = 1.0;
    for rank in ranks {
        for s in (0..=total).rev() {
            let with = if s >= rank { probability[s - rank] } else { 0.0 };
            probability[s] = (probability[s] + with) / 2.0;
        }
    }
    probability[positive..].iter().sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 2ⁿ signs, one by one.
    fn by_counting(differences: &[f64]) -> f64 {
        let kept: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
        let rank = |d: f64| {
            let below = kept.iter().filter(|e| e.abs() < d.abs()).count() as f64;
            let equal = kept.iter().filter(|e| e.abs() == d.abs()).count() as f64;
            below + (equal + 1.0) / 2.0
        };
        let sum = |sign: &dyn Fn(usize, f64) -> bool| -> f64 {
            kept.iter().enumerate().filter(|(i, d)| sign(*i, **d)).map(|(_, d)| rank(*d)).sum()
        };
        let seen = sum(&|_, d| d > 0.0);
        let all = 1_usize << kept.len();
        let as_large = (0..all).filter(|signs| sum(&|i, _| signs >> i & 1 == 1) >= seen).count();
        as_large as f64 / all as f64
    }

    #[test]
    fn it_is_the_share_of_sign_patterns() {
        let cases: [&[f64]; 6] = [
            &[1.0, 2.0, 3.0, -4.0, 5.0],
            &[1.0, 1.0, -1.0, 2.0, 0.0, -2.0, 3.0],
            &[-1.0, -2.0, -3.0],
            &[0.5; 10],
            &[0.0, 0.0],
            &[],
        ];
        for differences in cases {
            let zeros = vec![0.0; differences.len()];
            assert!((p_value(differences, &zeros) - by_counting(differences)).abs() < 1e-15, "{differences:?}");
        }
        assert_eq!(p_value(&[0.5; 10], &[0.0; 10]), 1.0 / 1024.0);
        assert_eq!(p_value(&[1.0; 10], &[1.0; 10]), 1.0);
    }

    /// Critical values of the table in Hollander and Wolfe (n = 10): P(W ≥ 44) = 0.053, P(W ≥ 45) = 0.042.
    #[test]
    fn it_agrees_with_the_published_table() {
        let with = |negative: &[usize]| -> Vec<f64> {
            (1..=10).map(|i| if negative.contains(&i) { -(i as f64) } else { i as f64 }).collect()
        };
        let p = |negative: &[usize]| p_value(&with(negative), &[0.0; 10]);
        assert!((p(&[2, 9]) - 0.053).abs() < 5e-4);
        assert!((p(&[1, 9]) - 0.042).abs() < 5e-4);
    }
}
