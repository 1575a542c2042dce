//! Explicit model predictive control against an interior-point solver, Riccati's equation, and the definition.

use pathqp::complex::{self, Options as ComplexOptions};
use pathqp::regions;
use pathqp::testing::{Options, Random, check, check_exactly, check_found_regions, solve};
use pathqp::{Range, Start};
use pathqp_adapters::mpc::{Bounds, Mpc};

/// Two integrators in a row, sampled once a second.
fn double_integrator(horizon: usize) -> Mpc {
    Mpc {
        a: vec![vec![1.0, 1.0], vec![0.0, 1.0]],
        b: vec![vec![0.5], vec![1.0]],
        q: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
        r: vec![vec![0.5]],
        p: None,
        horizon,
        lower: vec![-1.0],
        upper: vec![1.0],
        ..Mpc::default()
    }
}

fn random_plant(states: usize, inputs: usize, horizon: usize, random: &mut Random) -> Mpc {
    let mut matrix = |n: usize, m: usize, size: f64| -> Vec<Vec<f64>> {
        (0..n).map(|_| (0..m).map(|_| size * random.normal()).collect()).collect()
    };
    let identity = |n: usize| (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let (a, b) = (matrix(states, states, 0.6), matrix(states, inputs, 1.0));
    let (q, r) = (identity(states), identity(inputs));
    let (lower, upper) = (vec![-0.4; inputs], vec![0.7; inputs]);
    Mpc { a, b, q, r, horizon, lower, upper, ..Mpc::default() }
}

fn square(side: f64, states: usize) -> Vec<Range<f64>> {
    vec![Range::new(-side, side); states]
}

#[test]
fn states_along_lines() {
    let mut random = Random(1);
    for (states, inputs, horizon) in [(1, 1, 1), (2, 1, 5), (3, 2, 4), (4, 3, 6)] {
        for k in 0..5 {
            let mpc = random_plant(states, inputs, horizon, &mut random);
            let qp = mpc.qp(square(10.0, states)).unwrap();
            let mut state = || (0..states).map(|_| 20.0 * random.unit() - 10.0).collect::<Vec<f64>>();
            let findings = check(&qp, &state(), &state(), &Start::Anywhere, &Options::default());
            assert_eq!(findings, [], "{states} states, {inputs} inputs, horizon {horizon}, {k}");
        }
    }
}

#[test]
fn the_double_integrator_exactly() {
    // Halves and whole numbers only.
    let qp = double_integrator(5).qp(square(16.0, 2)).unwrap();
    for [from, to] in [[[-16.0, -4.0], [16.0, 4.0]], [[-16.0, 8.0], [16.0, -8.0]], [[0.0, 16.0], [0.0, -16.0]]] {
        assert_eq!(check(&qp, &from, &to, &Start::Anywhere, &Options::default()), []);
        assert_eq!(check_exactly(&qp, &from, &to, &Options::default()), []);
    }
}

#[test]
fn the_qp_has_half_the_cost_of_the_trajectory() {
    let mut random = Random(4);
    let mpc = Mpc {
        p: Some(vec![vec![2.0, 0.5, 0.0], vec![0.5, 3.0, 0.0], vec![0.0, 0.0, 1.0]]),
        ..random_plant(3, 2, 4, &mut random)
    };
    let qp = mpc.qp(square(10.0, 3)).unwrap();
    let mut numbers = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<f64>>();
    let state = numbers(3);
    let line = qp.line(&state, &state).unwrap();
    let resting = mpc.trajectory(&state, &[0.0; 8]).unwrap().cost;
    for _ in 0..20 {
        let inputs = numbers(8);
        let found = mpc.trajectory(&state, &inputs).unwrap();
        let hx = pathqp::hessian::multiply(line.hessian.as_ref(), &inputs);
        let value: f64 = (0..8).map(|i| inputs[i] * (hx[i] / 2.0 + line.c0[i])).sum();
        assert!(
            (found.cost - resting - 2.0 * value).abs() < 1e-11 * found.cost,
            "{} {}",
            found.cost - resting,
            2.0 * value
        );
        assert_eq!((found.states.len(), found.inputs.len()), (5, 4));
        assert_eq!(found.states[0], state);
    }
}

#[test]
fn without_bounds_the_inputs_are_riccatis() {
    // P₀ from Pₖ = Q + AᵀPₖ₊₁A − AᵀPₖ₊₁B(R + BᵀPₖ₊₁B)⁻¹BᵀPₖ₊₁A is the optimal cost, for one input a division.
    let mpc = Mpc { lower: vec![f64::NEG_INFINITY], upper: vec![f64::INFINITY], ..double_integrator(10) };
    let mut p = [[1.0, 0.0], [0.0, 1.0]];
    for _ in 0..10 {
        let pa = [[p[0][0], p[0][0] + p[0][1]], [p[1][0], p[1][0] + p[1][1]]];
        let apa = [[pa[0][0], pa[0][1]], [pa[0][0] + pa[1][0], pa[0][1] + pa[1][1]]];
        let bpa = [0.5 * pa[0][0] + pa[1][0], 0.5 * pa[0][1] + pa[1][1]];
        let bpb = 0.25 * p[0][0] + p[0][1] + p[1][1];
        for i in 0..2 {
            for j in 0..2 {
                p[i][j] = f64::from(u8::from(i == j)) + apa[i][j] - bpa[i] * bpa[j] / (0.5 + bpb);
            }
        }
    }
    let qp = mpc.qp(square(10.0, 2)).unwrap();
    let line = qp.line(&[-3.0, 1.0], &[4.0, 2.0]).unwrap();
    let path = pathqp::trace(&line, &Start::Anywhere, &Default::default(), &mut ()).unwrap();
    for t in [0.0, 1.0, 5.0, 7.0] {
        let x = line.parameter(&t);
        let cost = mpc.trajectory(&x, &path.at(&t).unwrap().x).unwrap().cost;
        let expected = p[0][0] * x[0] * x[0] + 2.0 * p[0][1] * x[0] * x[1] + p[1][1] * x[1] * x[1];
        assert!((cost - expected).abs() < 1e-12 * expected, "{cost} {expected}");
    }
}

#[test]
fn the_explicit_controller_of_the_double_integrator() {
    let qp = double_integrator(10).qp(vec![Range::new(-20.0, 20.0), Range::new(-8.0, 8.0)]).unwrap();
    let complex = complex::explore(&qp, &ComplexOptions::default()).unwrap();
    assert_eq!(complex.validate(), []);
    assert_eq!(complex.holes(), 0);
    assert!((complex.covered() - 1.0).abs() < 1e-9, "{}", complex.covered());
    println!("{} regions", complex.regions().len());
    let mut random = Random(2);
    for _ in 0..50 {
        let state = [40.0 * random.unit() - 20.0, 16.0 * random.unit() - 8.0];
        let point = complex.at(&qp, &state).unwrap();
        let line = qp.line(&state, &state).unwrap();
        let hx = pathqp::hessian::multiply(line.hessian.as_ref(), &point.x);
        let value: f64 = (0..10).map(|i| point.x[i] * (hx[i] / 2.0 + line.c0[i])).sum();
        let [dual, primal] = solve(&line, 0.0).unwrap();
        let size = value.abs();
        assert!(value <= primal + 1e-8 * size && value >= dual - 1e-8 * size, "{state:?}: {value} {dual} {primal}");
        assert!(point.x.iter().all(|u| u.abs() <= 1.0 + 1e-12));
    }
    // The regions are symmetric: x₀ → −x₀ turns the inputs round.
    let at = |x: f64, v: f64| complex.at(&qp, &[x, v]).unwrap().x;
    assert!(at(5.0, -2.0).iter().zip(at(-5.0, 2.0)).all(|(a, b)| (a + b).abs() < 1e-12));
}

#[test]
fn what_is_wrong_is_named() {
    let error = |change: fn(&mut Mpc)| {
        let mut mpc = double_integrator(3);
        change(&mut mpc);
        mpc.qp(square(1.0, 2)).err().unwrap().to_string()
    };
    assert_eq!(error(|m| m.horizon = 0), "the problem has 0 variables and 2 parameters: both must be at least one");
    for horizon in [usize::MAX, 1 << 40] {
        let mpc = Mpc { horizon, ..double_integrator(3) };
        let refused = mpc.qp(square(1.0, 2)).err().unwrap().to_string();
        assert!(refused.starts_with("horizon = ") && refused.contains("fits into memory"), "{refused}");
    }
    assert_eq!(error(|m| m.b = vec![vec![1.0]]), "B has 1 entries: it must have 2");
    assert_eq!(error(|m| m.q[1] = vec![1.0]), "Q has 1 entries: it must have 2");
    assert!(error(|m| m.a[1][0] = f64::NAN).starts_with("A[2] is NaN"));
    assert!(error(|m| m.r[0][0] = -100.0).contains("positive semidefinite"));
    assert!(error(|m| m.lower = vec![2.0]).contains("the bounds of variable 0 cross"));
    assert!(error(|m| m.upper = vec![]).contains("u has 0 entries: it must have 3"));
    let mpc = double_integrator(3);
    assert!(mpc.trajectory(&[1.0], &[0.0; 3]).is_err() && mpc.trajectory(&[1.0, 0.0], &[0.0; 2]).is_err());
    assert!(mpc.qp(square(1.0, 1)).is_err());
}

/// The double integrator with bounds on its states. PPOPT 1.6.12 (`mpqp_algorithm.graph`, `geometric` and `combinatorial`) finds 29 critical regions: benches/peers/regions.py.
#[test]
fn state_bounds_of_the_double_integrator() {
    let (x_min, x_max) = (Some(vec![-5.0, -2.0]), Some(vec![5.0, 2.0]));
    let bounds = Bounds { x_min, x_max, ..Bounds::default() };
    let plant = Mpc { bounds, ..double_integrator(5) };
    let qp = plant.qp(vec![Range::new(-10.0, 10.0), Range::new(-5.0, 5.0)]).unwrap();
    let found = regions::explore(&qp, &regions::Options::default()).unwrap();
    assert_eq!(found.regions(), 29);
    assert_eq!(check_found_regions(&qp, &found, &Options { points: 500, ..Options::default() }), []);
    for number in 0..200 {
        let state = found.random_point(7, number);
        let Ok(point) = found.at(&qp, &state) else { continue };
        let states = plant.trajectory(&state, &point.x).unwrap().states;
        let within = |x: &Vec<f64>| x[0].abs() <= 5.0 + 1e-9 && x[1].abs() <= 2.0 + 1e-9;
        assert!(states[1..].iter().all(within), "{state:?} {states:?}");
    }
}

#[test]
fn outputs_and_changes_of_inputs_are_bounded() {
    let mut random = Random(11);
    for (states, inputs, horizon) in [(3, 1, 4), (3, 2, 2), (4, 1, 3), (5, 1, 3)] {
        let bounds = Bounds {
            c: Some(vec![(0..states).map(|_| random.normal()).collect()]),
            y_min: Some(vec![-1.0]),
            y_max: Some(vec![1e20]),
            x_max: Some((0..states).map(|_| 1.5).collect()),
            du_max: Some(vec![0.5; inputs]),
            ..Bounds::default()
        };
        let plant = Mpc { bounds, ..random_plant(states, inputs, horizon, &mut random) };
        let qp = plant.qp(vec![Range::new(-1.0, 1.0); states]).unwrap();
        let found = regions::explore(&qp, &regions::Options::default()).unwrap();
        assert_eq!(check_found_regions(&qp, &found, &Options { points: 300, ..Options::default() }), []);
        for number in 0..100 {
            let state = found.random_point(3, number);
            let Ok(point) = found.at(&qp, &state) else { continue };
            let trajectory = plant.trajectory(&state, &point.x).unwrap();
            let c = &plant.bounds.c.as_ref().unwrap()[0];
            let fine = |x: &Vec<f64>| {
                x.iter().all(|v| *v <= 1.5 + 1e-9) && x.iter().zip(c).map(|(x, c)| x * c).sum::<f64>() >= -1.0 - 1e-9
            };
            assert!(trajectory.states[1..].iter().all(fine), "{state:?}");
            let slow = |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).all(|(a, b)| (a - b).abs() <= 0.5 + 1e-9);
            assert!(trajectory.inputs.windows(2).all(slow), "{state:?}");
        }
    }
    let bounds = Bounds { x_max: Some(vec![1.0; 3]), ..Bounds::default() };
    let wrong = Mpc { bounds, ..double_integrator(2) };
    assert!(
        wrong
            .qp(vec![Range::new(-1.0, 1.0); 2])
            .err()
            .unwrap()
            .to_string()
            .contains("x_max has 3 entries: it must have 2")
    );
}

/// The double integrator that ends in |x₁ + x₂| ≤ ½, |x₂| ≤ ¼, with bounds on its states.
fn bounded_integrator(soft: Option<f64>) -> Mpc {
    let terminal = Some(vec![vec![1.0, 1.0], vec![-1.0, -1.0], vec![0.0, 1.0], vec![0.0, -1.0]]);
    let terminal_max = Some(vec![0.5, 0.5, 0.25, 0.25]);
    let (x_min, x_max) = (Some(vec![-5.0, -2.0]), Some(vec![5.0, 2.0]));
    let bounds = Bounds { x_min, x_max, terminal, terminal_max, soft, ..Bounds::default() };
    Mpc { bounds, ..double_integrator(5) }
}

/// By how much the states of a trajectory exceed these bounds.
fn excess(states: &[Vec<f64>]) -> f64 {
    let over = states[1..].iter().map(|x| (x[0].abs() - 5.0).max(x[1].abs() - 2.0)).fold(0.0, f64::max);
    let last = &states[states.len() - 1];
    over.max((last[0] + last[1]).abs() - 0.5).max(last[1].abs() - 0.25)
}

#[test]
fn the_last_state_lies_in_its_set() {
    let plant = bounded_integrator(None);
    let qp = plant.qp(vec![Range::new(-6.0, 6.0), Range::new(-3.0, 3.0)]).unwrap();
    let found = regions::explore(&qp, &regions::Options::default()).unwrap();
    assert_eq!(check_found_regions(&qp, &found, &Options { points: 500, ..Options::default() }), []);
    let inputs = (0..300).filter_map(|number| {
        let state = found.random_point(5, number);
        Some((state.clone(), found.at(&qp, &state).ok()?.x))
    });
    let worst = inputs.map(|(state, x)| excess(&plant.trajectory(&state, &x).unwrap().states)).fold(0.0, f64::max);
    assert!(worst < 1e-12, "{worst}");
    let wrong = |bounds: Bounds| {
        let plant = Mpc { bounds, ..double_integrator(2) };
        plant.qp(vec![Range::new(-1.0, 1.0); 2]).err().unwrap().to_string()
    };
    let terminal = Some(vec![vec![1.0, 1.0]]);
    let short = Bounds { terminal: terminal.clone(), terminal_max: Some(vec![1.0; 2]), ..Bounds::default() };
    assert!(wrong(short).contains("terminal_max has 2 entries: it must have 1"));
    let ragged = Bounds { terminal: Some(vec![vec![1.0]]), ..Bounds::default() };
    assert!(wrong(ragged).contains("terminal has 1 entries: it must have 2"));
    for soft in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = wrong(Bounds { terminal: terminal.clone(), soft: Some(soft), ..Bounds::default() });
        assert!(refused.starts_with("soft = "), "{refused}");
    }
}

/// Soft bounds: everywhere a solution, that of the hard bounds where these can be met and the penalty is large, and otherwise one whose slack is what its trajectory exceeds the bounds by.
#[test]
fn soft_bounds_are_exact() {
    let (hard, soft) = (bounded_integrator(None), bounded_integrator(Some(1e4)));
    let domain = vec![Range::new(-6.0, 6.0), Range::new(-3.0, 3.0)];
    let (hard_qp, qp) = (hard.qp(domain.clone()).unwrap(), soft.qp(domain).unwrap());
    let found = regions::explore(&qp, &regions::Options::default()).unwrap();
    assert_eq!(check_found_regions(&qp, &found, &Options { points: 300, ..Options::default() }), []);
    let hard_found = regions::explore(&hard_qp, &regions::Options::default()).unwrap();
    let (mut met, mut exceeded) = (0, 0);
    for number in 0..500 {
        let state = found.random_point(9, number);
        let x = found.at(&qp, &state).unwrap().x;
        let over = excess(&soft.trajectory(&state, &x[..5]).unwrap().states);
        assert!((over.max(0.0) - x[5]).abs() < 1e-9, "{state:?}: {over} {}", x[5]);
        match hard_found.at(&hard_qp, &state) {
            Ok(point) => {
                met += 1;
                let off = point.x.iter().zip(&x).map(|(a, b)| (a - b).abs()).fold(x[5], f64::max);
                assert!(off < 1e-9, "{state:?}: {off}");
            }
            Err(_) => {
                exceeded += 1;
                assert!(x[5] > 0.0, "{state:?}");
            }
        }
    }
    assert!(met > 50 && exceeded > 50, "{met} {exceeded}");
}
