//! The error and the AUC of scores, exactly.

/// The share of misclassified rows: a score f > 0 is classified as +1, any other as −1, as along a path ([`pathqp_adapters::rates`]). NaN without rows, or when
/// a score is NaN.
///
/// Ghanbari, Li and Scheinberg (2019, eq. 2.2) count f = 0 as correct for both classes, by which w = 0 makes no errors; this function does not.
pub fn error(scores: &[f64], labels: &[f64]) -> f64 {
    if scores.iter().any(|f| f.is_nan()) {
        return f64::NAN;
    }
    let wrong = scores.iter().zip(labels).filter(|(f, y)| (**f > 0.0) != (**y > 0.0)).count();
    wrong as f64 / scores.len().min(labels.len()) as f64
}

/// The share of pairs of a positive and a negative row in which the positive one has the larger score, ties counted as half (Hanley and McNeil 1982,
/// doi:10.1148/radiology.143.1.7063747). NaN when a class is missing or a score is NaN. Pairs are counted in integers, in O(n log n).
pub fn auc(scores: &[f64], labels: &[f64]) -> f64 {
    let mut order: Vec<(f64, bool)> = scores.iter().zip(labels).map(|(f, y)| (*f, *y > 0.0)).collect();
    if order.iter().any(|(f, _)| f.is_nan()) {
        return f64::NAN;
    }
    order.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
    let (mut below, mut half_wins, mut positives) = (0u128, 0u128, 0u128);
    for tied in order.chunk_by(|a, b| a.0 == b.0) {
        let positive = tied.iter().filter(|(_, y)| *y).count() as u128;
        let negative = tied.len() as u128 - positive;
        half_wins += positive * (2 * below + negative);
        below += negative;
        positives += positive;
    }
    half_wins as f64 / (2 * positives * below) as f64
}
