//! The multiplier of the equality row at an inexact solution.

/// A gap Σ max(below·z, −above·z) with z = g − ay, as a function of y.
pub(super) struct Terms<'a> {
    /// g = Hx + c.
    pub g: &'a [f64],
    /// x − l.
    pub below: &'a [f64],
    /// u − x.
    pub above: &'a [f64],
}

/// The y with the least gap. The gap is convex and piecewise linear in y: at y = gᵢ/aᵢ its slope grows by |aᵢ|(uᵢ − lᵢ), and far down it is Σ −aᵢ(xᵢ − lᵢ) over aᵢ > 0 plus Σ aᵢ(uᵢ − xᵢ)
/// over aᵢ < 0. The least is where it changes its sign; `y` where it is level everywhere.
pub(super) fn multiplier(a: &[f64], terms: &Terms<'_>, y: f64) -> f64 {
    let (mut slope, mut kinks) = (0.0, Vec::new());
    for (i, &a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
        let (below, above) = (terms.below[i], terms.above[i]);
        slope -= if a > 0.0 { a * below } else { -a * above };
        if below + above > 0.0 {
            kinks.push((terms.g[i] / a, a.abs() * (below + above)));
        }
    }
    kinks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let found = kinks.iter().find(|(_, jump)| {
        slope += jump;
        slope >= 0.0
    });
    found.or(kinks.last()).map_or(y, |(kink, _)| *kink)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multiplier_has_the_least_gap() {
        let mut seed = 7_u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 40) % 9) as f64 - 4.0
        };
        for _ in 0..500 {
            let n = 6;
            let mut list = |f: fn(f64) -> f64| -> Vec<f64> { (0..n).map(|_| f(draw())).collect() };
            let (a, g, below, above) = (list(|v| v), list(|v| v), list(f64::abs), list(f64::abs));
            let terms = Terms { g: &g, below: &below, above: &above };
            let gap = |y: f64| -> f64 {
                (0..n).map(|i| g[i] - a[i] * y).enumerate().map(|(i, z)| (below[i] * z).max(-above[i] * z)).sum()
            };
            let found = gap(multiplier(&a, &terms, 0.0));
            let kinks = (0..n).filter(|&i| a[i] != 0.0).map(|i| g[i] / a[i]);
            let least = kinks.map(gap).fold(f64::INFINITY, f64::min).min(gap(0.0));
            assert!(found <= least + 1e-12 * (1.0 + least), "{found} above {least}");
        }
    }
}
