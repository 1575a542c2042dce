//! A linear classifier as a guess of the quantile SVM's solution.

use crate::bias::Bias;
use crate::kernel::KernelKind;
use crate::problem::KernelProblem;
use crate::quantile_svm::QuantileSvm;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A guess of α at τ for [`pathqp::Start::Guess`], from a linear classifier with weights `w` (d entries) and `constant`.
///
/// First the scale s ≥ 0 of f is found that minimises the primal along this direction. With margins mᵢ = yᵢ f(xᵢ) and ‖·‖² the squared norm of the weights,
///
/// ```text
/// J(s) = ½λs²‖w‖² + Σ cᵢ max(0, 1 − s mᵢ),       J′(s) = λs‖w‖² − Σ_{s mᵢ < 1} cᵢmᵢ
/// ```
///
/// is convex, and s is where J′ changes its sign. Then αᵢ = cᵢ where s mᵢ < 1 and zero elsewhere, as complementarity requires of every row off the margin.
///
/// `None` for kernels other than the linear one, and with an intercept, because such an α need not satisfy Σ yᵢαᵢ = 0.
pub fn from_direction(svm: &QuantileSvm, w: &[f64], constant: f64, tau: f64) -> Option<Vec<f64>> {
    let machine = svm.machine();
    if machine.kernel() != KernelKind::Linear
        || machine.bias() == Bias::Intercept
        || w.len() != machine.features().columns()
    {
        return None;
    }
    let last = if let Bias::Augmented(b) = machine.bias() { constant / b } else { 0.0 };
    let (size, n) = (dot(w, w) + last * last, svm.labels().len() as f64);
    let cost = |i: usize| 2.0 * machine.weights()[i] * if svm.labels()[i] > 0.0 { 1.0 - tau } else { tau } / n;
    let offset = if last == 0.0 { 0.0 } else { constant };
    let margins: Vec<f64> =
        svm.labels().iter().enumerate().map(|(i, y)| y * (machine.features().row(i).dot(w) + offset)).collect();
    let slope = |s: f64| {
        let active = margins.iter().enumerate().filter(|(_, m)| s * **m < 1.0);
        svm.lambda() * s * size - active.map(|(i, m)| cost(i) * m).sum::<f64>()
    };
    // J′ is positive beyond the sum of all positive terms over λ‖w‖².
    let most: f64 = margins.iter().enumerate().map(|(i, m)| cost(i) * m.max(0.0)).sum();
    let (mut low, mut high) = (0.0, most / (svm.lambda() * size));
    if !high.is_finite() {
        return None;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    Some(margins.iter().enumerate().map(|(i, m)| if high * m < 1.0 { cost(i) } else { 0.0 }).collect())
}
