//! The plane of all costs: draws of two clouds of points that once left holes, units of the data, the events of edges and vertices, and paths to points that are stopped.

use pathqp::complex::{self, Complex, ComplexError, Options, RegionId};
use pathqp::hessian::{Gram, Rows};
use pathqp::observe::{Event, Watch};
use pathqp::testing::Random;
use pathqp::{Affine, Certificate, ParametricQp, PathError, Range, Settings, Status};
use std::sync::Arc;

/// The second experiment of Wesierski, "Exploring the entire regularization path for the asymmetric cost linear support vector machine", §4, as examples/plane_draws.rs draws
/// it: n points, those of the classes one apart in both coordinates, and a constant feature 0.01; all coordinates times `unit`, and each point `times` times.
fn clouds(seed: u64, n: usize, unit: f64, times: usize) -> ParametricQp<f64> {
    let mut random = Random(seed);
    let labels: Vec<f64> = (0..n).map(|i| if i < n / 2 { 1.0 } else { -1.0 }).collect();
    let points: Vec<[f64; 2]> = labels.iter().map(|y| [0, 1].map(|_| random.normal() + y * 0.5)).collect();
    let (labels, points) = (labels.repeat(times), points.repeat(times));
    let row = |(x, y): (&[f64; 2], &f64)| [x[0], x[1], 0.01].map(|v| unit * y * v);
    let values = points.iter().zip(&labels).flat_map(row).collect();
    let n = labels.len();
    let h = Arc::new(Gram::new(n, Rows::Dense { columns: 3, values }, 1.0).unwrap());
    let of = |sign: f64| labels.iter().map(|y| f64::from(u8::from(*y == sign))).collect::<Vec<f64>>();
    let qp = ParametricQp::new(h, vec![Range::at_least(0.0); 2], Affine::constant(vec![-1.0; n], 2)).unwrap();
    let qp = qp.lower(Affine::constant(vec![0.0; n], 2)).unwrap();
    qp.upper(Affine { constant: vec![0.0; n], slopes: vec![of(1.0), of(-1.0)] }).unwrap()
}

fn counts(complex: &Complex<f64>) -> [usize; 3] {
    let t = complex.topology();
    [t.regions(), t.edges(), t.vertices()]
}

/// Of each of these a side lay farther out, or lines met at a smaller angle, than corners were known.
#[test]
fn draws_that_left_holes() {
    for seed in [16, 24, 46, 51, 53, 56, 58, 67, 68, 85, 89, 99, 105, 116, 142, 180] {
        let qp = clouds(seed, 100, 1.0, 1);
        let complex = complex::explore(&qp, &Options::default()).unwrap();
        assert!(complex.validate().is_empty(), "seed {seed}: {:?}", complex.validate());
        let mut random = Random(seed);
        for _ in 0..20 {
            let theta = [0, 1].map(|_| 10f64.powf(random.between(-2.0, 8.0)));
            let point = complex.at(&qp, &theta).unwrap();
            let line = qp.line(&theta, &theta).unwrap();
            let found = Certificate::of(&line, &point.as_point());
            assert!(found.holds(&1e-9), "seed {seed} at {theta:?}: {found:?}");
        }
    }
}

/// With every point twice: lines that bound a strip came out parallel up to less than rounding, and others that are parallel to it turned its corner at infinity.
#[test]
fn draws_of_points_that_come_twice() {
    for (seed, regions) in [(12, 3481), (13, 4704)] {
        let complex = complex::explore(&clouds(seed, 100, 1.0, 2), &Options::default()).unwrap();
        assert!(complex.validate().is_empty(), "seed {seed}: {:?}", complex.validate());
        assert_eq!(complex.regions().len(), regions);
    }
}

/// Costs are counted in units of the problem: features in other units give the same map.
#[test]
fn features_in_other_units() {
    let [one, small, large] = [1.0, 9.765625e-4, 1024.0].map(|unit| {
        let complex = complex::explore(&clouds(3, 30, unit, 1), &Options::default()).unwrap();
        assert!(complex.validate().is_empty(), "{unit}: {:?}", complex.validate());
        counts(&complex)
    });
    assert_eq!((one, one), (small, large));
}

/// Crossing an edge does one event: an index moves between free and a bound. Where two edges run through a vertex the four regions around it have the four
/// combinations of their two events (the vertex loop property of the paper, eq. 19).
#[test]
fn edges_and_vertices_have_their_events() {
    let qp = clouds(3, 30, 1.0, 1);
    let complex = complex::explore(&qp, &Options::default()).unwrap();
    let edges = complex.edges();
    let vertices = complex.vertices(&edges);
    assert_eq!([complex.regions().len(), edges.len(), vertices.len()], counts(&complex));
    // Far out along an axis x is not unique, and many indices change at once.
    let unique = |region: RegionId| complex.regions()[region.0 as usize].is_unique();
    for edge in edges.iter().filter(|edge| edge.regions.1.is_some_and(|r| unique(r) && unique(edge.regions.0))) {
        let [event] = edge.events[..] else { panic!("{edge:?}") };
        assert!((event.from == Status::Free) != (event.to == Status::Free), "{edge:?}");
        for vertex in edge.ends {
            assert!(vertices[vertex.0 as usize].events.contains(&event.index), "{edge:?}");
        }
    }
    let mut joint = 0;
    for (id, vertex) in vertices.iter().enumerate() {
        for edge in &vertex.edges {
            assert!(edges[edge.0 as usize].ends.iter().any(|end| end.0 as usize == id));
        }
        for region in vertex.regions.iter().filter(|_| vertex.finite) {
            let corners = complex.corners(*region).unwrap();
            let size = 1e-6 * (1e-3 + vertex.place[0].abs().max(vertex.place[1].abs()));
            let near = |c: &([f64; 2], bool)| (0..2).all(|a| (c.0[a] - vertex.place[a]).abs() <= size);
            assert!(corners.iter().any(near), "{vertex:?} {corners:?}");
        }
        let [a, b, c, d] = vertex.regions[..] else { continue };
        if vertex.edges.len() == 4 && [a, b, c, d].into_iter().all(unique) {
            joint += 1;
            assert_eq!(vertex.events.len(), 2, "{vertex:?}");
            let at = |region: RegionId, i: usize| complex.regions()[region.0 as usize].status()[vertex.events[i]];
            let signs = |i: usize| [a, b, c, d].map(|region| at(region, i) == Status::Free);
            for i in 0..2 {
                let [p, q, r, s] = signs(i);
                // Opposite edges have the same event: it happens once on each half of the turn.
                assert!((p == q && r == s && q != r) || (q == r && s == p && p != q), "{vertex:?}");
            }
        }
    }
    assert!(joint > vertices.len() / 2, "{joint} of {}", vertices.len());
}

/// Where x is not unique a path goes to the point: it ends where the settings or the observer say.
#[test]
fn the_path_to_a_point_is_the_callers() {
    let qp = clouds(5, 12, 1.0, 2);
    let complex = complex::explore(&qp, &Options::default()).unwrap();
    let region = (0..complex.regions().len()).find(|&r| {
        let corners = complex.corners(RegionId(r as u32)).unwrap();
        let steps = |theta: &[f64; 2]| {
            let mut steps = 0;
            let mut watch = Watch(|_: &Event<'_, f64>| {
                steps += 1;
                true
            });
            complex.at_watched(&qp, theta, &Settings::default(), &mut watch).unwrap();
            steps
        };
        !complex.regions()[r].is_unique() && corners[0].1 && steps(&inner(&complex, r)) > 1
    });
    let theta = inner(&complex, region.expect("a region with choices of x"));
    let stopped = |found: Result<_, ComplexError>| matches!(found, Err(ComplexError::Stopped { .. }));
    let few = Settings { max_events: Some(1), ..Settings::default() };
    assert!(stopped(complex.at_watched(&qp, &theta, &few, &mut ())));
    assert!(stopped(complex.at_watched(&qp, &theta, &Settings::default(), &mut Watch(|_: &Event<'_, f64>| false))));
    assert!(complex.at(&qp, &theta).is_ok());
}

/// Whoever waits may end the way to the first region: the path that tells the units, and the one from the start.
#[test]
fn the_way_to_the_first_region_is_the_callers() {
    let qp = clouds(5, 30, 1.0, 1);
    for (scale, most) in [(None, 1), (Some([1.0, 1.0]), 4)] {
        let options = Options { point: Some([3.0, 2.0]), scale, ..Options::default() };
        let mut asked = 0;
        let found = complex::explore_while(&qp, &options, &mut |stats| {
            asked += 1;
            assert_eq!(stats.layers, 0);
            asked < most
        });
        let stopped = matches!(found, Err(ComplexError::Path(PathError::StartStopped { .. })));
        assert!(stopped && asked == most, "asked {asked} times: {:?}", found.map(|found| found.1));
    }
}

/// Near the first corner of a region.
fn inner(complex: &Complex<f64>, region: usize) -> [f64; 2] {
    let id = RegionId(region as u32);
    let (corners, centre) = (complex.corners(id).unwrap(), complex.centre(id).unwrap());
    [0, 1].map(|a: usize| corners[0].0[a] + 0.01 * (centre[a] - corners[0].0[a]))
}
