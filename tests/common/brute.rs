//! Answers by enumeration, for problems of a few variables.

use super::Spec;
use pathqp::Scalar;

/// Solves M x = r when M (square) is invertible.
pub fn solve<S: Scalar>(mut m: Vec<Vec<S>>, mut r: Vec<S>) -> Option<Vec<S>> {
    let k = r.len();
    for i in 0..k {
        let p = (i..k).find(|&p| !m[p][i].is_zero())?;
        m.swap(i, p);
        r.swap(i, p);
        for j in 0..k {
            if j == i || m[j][i].is_zero() {
                continue;
            }
            let factor = m[j][i].clone() / &m[i][i];
            let row = m[i].clone();
            S::axpy(&-factor.clone(), &row, &mut m[j]);
            let change = factor * &r[i];
            r[j] -= change;
        }
    }
    Some((0..k).map(|i| r[i].clone() / &m[i][i]).collect())
}

/// Solves M x = r for M with at least as many rows as columns, when the columns are independent and a solution exists.
pub fn solve_tall<S: Scalar>(m: &[Vec<S>], r: &[S], columns: usize) -> Option<Vec<S>> {
    let gram = |i: usize, j: usize| m.iter().fold(S::zero(), |s, row| s + row[i].clone() * &row[j]);
    let matrix = (0..columns).map(|i| (0..columns).map(|j| gram(i, j)).collect()).collect();
    let rhs = (0..columns).map(|i| m.iter().zip(r).fold(S::zero(), |s, (row, r)| s + row[i].clone() * r)).collect();
    let x = solve(matrix, rhs)?;
    m.iter().zip(r).all(|(row, r)| S::dot(row, &x) == *r).then_some(x)
}

/// The optimal value at θ from all 3ⁿ active sets whose free part is independent; none when no such set is optimal
/// (infeasible, unbounded, or a direction without bounds along which nothing changes).
pub fn minimum<S: Scalar>(spec: &Spec<S>, theta: &S) -> Option<S> {
    let n = spec.n();
    let h = spec.matrix();
    (0..3usize.pow(n as u32)).find_map(|code| {
        let digits: Vec<usize> = (0..n).map(|i| code / 3usize.pow(i as u32) % 3).collect();
        let mut x = vec![S::zero(); n];
        for i in 0..n {
            match digits[i] {
                0 => x[i] = spec.lower(i, theta)?,
                2 => x[i] = spec.upper(i, theta)?,
                _ => {}
            }
        }
        let free: Vec<usize> = (0..n).filter(|&i| digits[i] == 1).collect();
        let with_row = free.iter().any(|&i| !spec.a(i).is_zero());
        let k = free.len() + usize::from(with_row);
        let (mut m, mut r) = (vec![vec![S::zero(); k]; k], vec![S::zero(); k]);
        for (p, &i) in free.iter().enumerate() {
            for (s, &j) in free.iter().enumerate() {
                m[p][s] = h[i][j].clone();
            }
            r[p] = -(S::dot(&h[i], &x) + spec.c(i, theta));
            if with_row {
                m[p][k - 1] = -spec.a(i);
                m[k - 1][p] = spec.a(i);
            }
        }
        if let (true, Some((a, b))) = (with_row, &spec.row) {
            r[k - 1] = Spec::at(b, theta) - S::dot(a, &x);
        }
        let solution = solve(m, r)?;
        for (&i, v) in free.iter().zip(&solution) {
            x[i] = v.clone();
        }
        let y = if with_row { Some(solution[k - 1].clone()) } else { None };
        optimal(spec, theta, &x, y).then(|| spec.objective(theta, &x))
    })
}

/// Whether x (with y, or with some y) satisfies the optimality conditions exactly.
fn optimal<S: Scalar>(spec: &Spec<S>, theta: &S, x: &[S], y: Option<S>) -> bool {
    let y = match (y, super::kkt::multiplier_interval(spec, theta, x, &S::zero())) {
        (Some(y), _) => y,
        (None, None) => S::zero(),
        (None, Some((Some(lo), Some(hi)))) if lo > hi => return false,
        (None, Some((lo, hi))) => lo.or(hi).unwrap_or_else(S::zero),
    };
    super::kkt::violations(spec, theta, x, &y).is_empty()
}

/// The vertices of {d : Hd = 0, Ad = 0, dᵢ ≥ 0 without an upper bound only, dᵢ ≤ 0 without a lower bound only, dᵢ = 0
/// with both, |dᵢ| ≤ 1}: the objective is unbounded at θ if and only if c(θ)ᵀd < 0 for one of them.
pub fn recession_vertices<S: Scalar>(spec: &Spec<S>) -> Vec<Vec<S>> {
    let n = spec.n();
    let range = |i: usize| {
        let least = if spec.lower[i].is_some() { S::zero() } else { -S::one() };
        let most = if spec.upper[i].is_some() { S::zero() } else { S::one() };
        (least, most)
    };
    let mut rows: Vec<Vec<S>> = (0..spec.z[0].len()).map(|j| spec.z.iter().map(|z| z[j].clone()).collect()).collect();
    rows.extend(spec.row.as_ref().map(|(a, _)| a.clone()));
    let mut vertices: Vec<Vec<S>> = Vec::new();
    for code in 0..3usize.pow(n as u32) {
        let digits: Vec<usize> = (0..n).map(|i| code / 3usize.pow(i as u32) % 3).collect();
        let mut d = vec![S::zero(); n];
        for i in 0..n {
            let (least, most) = range(i);
            match digits[i] {
                0 => d[i] = least,
                2 => d[i] = most,
                _ => {}
            }
        }
        let basic: Vec<usize> = (0..n).filter(|&i| digits[i] == 1).collect();
        let m: Vec<Vec<S>> = rows.iter().map(|r| basic.iter().map(|&i| r[i].clone()).collect()).collect();
        let rhs: Vec<S> = rows.iter().map(|r| -S::dot(r, &d)).collect();
        let Some(solution) = solve_tall(&m, &rhs, basic.len()) else { continue };
        for (&i, v) in basic.iter().zip(solution) {
            d[i] = v;
        }
        let inside = (0..n).all(|i| {
            let (least, most) = range(i);
            least <= d[i] && d[i] <= most
        });
        if inside && !vertices.contains(&d) {
            vertices.push(d);
        }
    }
    vertices
}

/// Whether the objective is unbounded below at θ, and just after it in direction `ahead` (±1) of θ.
pub fn unbounded<S: Scalar>(spec: &Spec<S>, theta: &S, ahead: i64) -> (bool, bool) {
    let value = |d: &[S], rate: bool| {
        let c: Vec<S> = (0..spec.n())
            .map(|i| if rate { spec.c[i][1].clone() * S::integer(ahead) } else { spec.c(i, theta) })
            .collect();
        S::dot(&c, d)
    };
    let vertices = recession_vertices(spec);
    let now = vertices.iter().any(|d| value(d, false) < S::zero());
    let later = vertices.iter().any(|d| {
        let v = value(d, false);
        v < S::zero() || (v.is_zero() && value(d, true) < S::zero())
    });
    (now, later)
}

/// Whether some d ≠ 0 on the variables without any bound has Hd = 0 and Ad = 0.
pub fn has_free_direction<S: Scalar>(spec: &Spec<S>) -> bool {
    let loose = Spec {
        lower: spec.lower.iter().zip(&spec.upper).map(|(l, u)| l.clone().or_else(|| u.clone())).collect(),
        upper: spec.lower.iter().zip(&spec.upper).map(|(l, u)| u.clone().or_else(|| l.clone())).collect(),
        ..spec.clone()
    };
    recession_vertices(&loose).iter().any(|d| d.iter().any(|v| !v.is_zero()))
}
