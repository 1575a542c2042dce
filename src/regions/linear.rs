//! Linear programs in few variables: the only module that calls a solver.
//!
//! ```text
//! maximise cᵀv    subject to   aᵢᵀv ≤ bᵢ  (or = bᵢ),   lower ≤ v ≤ upper
//! ```
//!
//! They are passed by `good_lp` to `microlp`, or with the features `lp-highs` and `lp-clarabel` to HiGHS or Clarabel. A solver's answer is accurate to about
//! 10⁻¹⁰ of the numbers it is given: callers pose their questions in units in which that is small, and check the answer themselves.

use good_lp::{Expression, ProblemVariables, ResolutionError, Solution, Solver, SolverModel, variable};

/// A linear program on its way.
pub(crate) struct Program {
    bounds: Vec<[f64; 2]>,
    objective: Vec<f64>,
    rows: Vec<Row>,
}

struct Row {
    a: Vec<f64>,
    b: f64,
    equality: bool,
}

/// What is known of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// A point where the largest value is.
    Optimal(Vec<f64>),
    /// No point.
    Infeasible,
    /// No largest value.
    Unbounded,
    /// The solver could not tell.
    Unknown,
}

impl Answer {
    /// The point, if there is one.
    pub fn point(self) -> Option<Vec<f64>> {
        match self {
            Answer::Optimal(point) => Some(point),
            _ => None,
        }
    }
}

impl Program {
    /// In variables with these bounds (infinite where there are none).
    pub fn new(bounds: Vec<[f64; 2]>) -> Self {
        Program { objective: vec![0.0; bounds.len()], bounds, rows: Vec::new() }
    }

    /// Sets c; entries that are left out are zero.
    pub fn maximise(mut self, c: &[f64]) -> Self {
        self.objective.iter_mut().zip(c).for_each(|(own, c)| *own = *c);
        self
    }

    /// aᵀv ≤ b; entries that are left out are zero.
    pub fn at_most(&mut self, a: Vec<f64>, b: f64) {
        self.rows.push(Row { a, b, equality: false });
    }

    /// aᵀv = b likewise.
    pub fn equal(&mut self, a: Vec<f64>, b: f64) {
        self.rows.push(Row { a, b, equality: true });
    }

    /// Asks the solver.
    pub fn solve(&self) -> Answer {
        #[cfg(feature = "lp-highs")]
        return self.solve_by(good_lp::solvers::highs::highs);
        #[cfg(all(feature = "lp-clarabel", not(feature = "lp-highs")))]
        return self.solve_by(good_lp::solvers::clarabel::clarabel);
        #[cfg(not(any(feature = "lp-highs", feature = "lp-clarabel")))]
        return self.solve_by(good_lp::solvers::microlp::microlp);
    }

    fn solve_by<S: Solver>(&self, solver: S) -> Answer
    where
        S::Model: SolverModel<Error = ResolutionError>,
    {
        let mut vars = ProblemVariables::new();
        let all: Vec<_> = self.bounds.iter().map(|[l, u]| vars.add(variable().min(*l).max(*u))).collect();
        let sum = |a: &[f64]| {
            let mut sum = Expression::with_capacity(a.len());
            all.iter().zip(a).filter(|(_, a)| **a != 0.0).for_each(|(v, a)| sum.add_mul(*a, *v));
            sum
        };
        let mut model = vars.maximise(sum(&self.objective)).using(solver);
        for row in &self.rows {
            let left = sum(&row.a);
            model.add_constraint(if row.equality { left.eq(row.b) } else { left.leq(row.b) });
        }
        match model.solve() {
            Ok(solution) => {
                let point: Vec<f64> = all.iter().map(|v| solution.value(*v)).collect();
                if point.iter().all(|v| v.is_finite()) { Answer::Optimal(point) } else { Answer::Unknown }
            }
            Err(ResolutionError::Infeasible) => Answer::Infeasible,
            Err(ResolutionError::Unbounded) => Answer::Unbounded,
            Err(_) => Answer::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Program};

    #[test]
    fn a_corner_a_contradiction_and_a_ray() {
        let free = [f64::NEG_INFINITY, f64::INFINITY];
        let mut program = Program::new(vec![free, [0.0, f64::INFINITY]]).maximise(&[1.0, 2.0]);
        assert_eq!(program.solve(), Answer::Unbounded);
        program.at_most(vec![1.0, 1.0], 4.0);
        program.at_most(vec![-1.0, 3.0], 0.0);
        let point = program.solve().point().expect("a bounded program");
        assert!((point[0] - 3.0).abs() < 1e-9 && (point[1] - 1.0).abs() < 1e-9, "{point:?}");
        program.equal(vec![1.0], -1.0);
        assert_eq!(program.solve(), Answer::Infeasible);
    }
}
