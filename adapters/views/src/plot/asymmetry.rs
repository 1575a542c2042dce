//! Figures of `pathqp tune quantile-svm` and `tune cost-svm`: the best penalty, its loss, and the loss of every penalty.

use super::short;
use super::tuning::{Figure, Line, Panel};
use pathqp_adapters::Bias;
use pathqp_adapters::asymmetry::{HeldOut, Tuned, Varied};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;

/// The best λ for every τ, or the best c for every γ. The model is the training rows, the kernel and the bias.
pub fn figure(model: (&Features, KernelKind, Bias), tuned: &Tuned, varied: Varied, loss: HeldOut) -> Figure {
    let (title, vary, penalty) = match varied {
        Varied::Tau => ("quantile SVM tuned", "tau", "lambda"),
        Varied::Gamma => ("cost-sensitive SVM tuned", "gamma", "c"),
    };
    let loss = if loss == HeldOut::Cost { "mean cost" } else { "error rate" };
    // Both ends of every step: the lines between two steps are upright.
    let best = tuned.pieces.iter().flat_map(|piece| piece.vary.map(|v| (v, piece.penalty.log10())));
    let losses = tuned.pieces.iter().flat_map(|piece| [0, 1].map(|end| (piece.vary[end], piece.loss[end])));
    let curves = tuned.curves.iter().map(|curve| {
        let points = curve.pieces.iter().flat_map(|(vary, loss)| [0, 1].map(|end| (vary[end], loss[end])));
        (format!("{penalty} = {}", short(curve.penalty)), points.collect())
    });
    let alone = |points: Vec<(f64, f64)>| -> Vec<Line> { vec![(String::new(), points)] };
    let panels = vec![
        Panel::new(
            &format!("the best {penalty} of the grid"),
            vary,
            &format!("log10 {penalty}"),
            alone(best.collect()),
        ),
        Panel::new(&format!("{loss} of the best {penalty} on held-out rows"), vary, "loss", alone(losses.collect())),
        Panel::new(&format!("{loss} of every {penalty} on held-out rows"), vary, "loss", curves.collect()),
    ];
    Figure::new(title, model, panels)
}
