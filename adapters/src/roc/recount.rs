//! The counts of classifiers on validation rows, from their stored solutions.
//!
//! The curves come from scores that are updated along the paths. Here nothing is updated: the solution (x, y) at the position of a classifier is read from the
//! path of each fold, f is evaluated as for any prediction, and the rows with f + shift > 0 are counted. Points of the curves that this does not confirm are
//! withdrawn.

use super::curve::Choice;
use super::line::Fold;
use crate::error::AdapterError;
use crate::machine::Function;
use pathqp::Path;

/// So many functions are evaluated together; their coefficients are kept meanwhile.
const TOGETHER: usize = 256;

/// The numbers of rows of one fold that are taken for positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of negative rows.
    pub false_positives: usize,
    /// The number of positive rows.
    pub true_positives: usize,
}

impl Counts {
    /// Of the classifier f + shift > 0.
    fn of(f: &[f64], shift: f64, labels: &[f64]) -> Self {
        let above = |class: f64| f.iter().zip(labels).filter(|(f, y)| **f + shift > 0.0 && **y == class).count();
        Counts { false_positives: above(-1.0), true_positives: above(1.0) }
    }
}

/// For each of some classifiers of one line its counts in each fold; `paths` are those of the folds along that line.
///
/// # Errors
/// A position that is not on the paths.
pub fn recount(folds: &[Fold], paths: &[Path<f64>], choices: &[Choice]) -> Result<Vec<Vec<Counts>>, AdapterError> {
    let mut order: Vec<usize> = (0..choices.len()).collect();
    order.sort_by(|&a, &b| choices[a].t.total_cmp(&choices[b].t));
    // Classifiers at the same position differ in their shifts only.
    let groups: Vec<&[usize]> = order.chunk_by(|&a, &b| choices[a].t == choices[b].t).collect();
    let mut found = vec![vec![Counts::default(); folds.len()]; choices.len()];
    for (k, (fold, path)) in folds.iter().zip(paths).enumerate() {
        for groups in groups.chunks(TOGETHER) {
            let positions = groups.iter().filter_map(|group| group.first()).map(|&first| choices[first].t);
            let functions =
                positions.map(|t| function(fold, path, t)).collect::<Result<Vec<Function>, AdapterError>>()?;
            let functions: Vec<&Function> = functions.iter().collect();
            for (group, f) in groups.iter().zip(fold.problem.machine().evaluate_all(&functions, &fold.rows)) {
                for &choice in *group {
                    found[choice][k] = Counts::of(&f, choices[choice].shift, &fold.labels);
                }
            }
        }
    }
    Ok(found)
}

/// f at a position.
fn function(fold: &Fold, path: &Path<f64>, t: f64) -> Result<Function, AdapterError> {
    let outside = AdapterError::Parameter { name: "the position", value: t, expected: "lie on the line" };
    let point = path.at(&t).ok_or(outside)?;
    Ok(fold.problem.function(&path.parameter(&t), &point))
}
