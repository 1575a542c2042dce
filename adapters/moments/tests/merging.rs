//! Moments of rows: in chunks, from threads, formed or not, and what is refused.

use crate::common::{Random, assert_close, assert_same, by_hand, dense, norm, rows};
use pathqp_adapters::dataset::Features;
use pathqp_moments::minimise::{Settings, minimise};
use pathqp_moments::{Accumulator, Class, Covariance, MomentObjective, Moments, MomentsError, Objective};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn moments_are_those_by_hand_however_far_the_mean_lies_off() {
    for (n, d, offset) in [(7, 1, 0.0), (600, 7, 0.0), (600, 7, 1e7), (1100, 3, -1e9)] {
        let (features, labels) = rows(&mut Random(n as u64), n, d, offset, 1.0);
        let moments = Moments::of(&Arc::new(features.clone()), &labels).unwrap();
        for (class, sign) in [(&moments.positive, 1.0), (&moments.negative, -1.0)] {
            let (mean, covariance) = by_hand(&features, &labels, sign);
            // n roundings.
            assert_close(&class.mean, &mean, n as f64 * f64::EPSILON);
            // A rounding of the mean of ε·offset enters the scatter by its square; entries come out to the digits that the rows have.
            let rounding = 1e-13
                + 4.0 * (offset.abs() * f64::EPSILON).powi(2)
                + 40.0 * offset.abs() * f64::EPSILON / (n as f64).sqrt();
            assert_close(&class.covariance.to_dense(), &covariance, rounding);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn chunks_in_any_order_merge_to_the_same(seed in any::<u64>(), n in 8usize..700, d in 1usize..9, parts in 1usize..6, far in 0i32..7) {
        let mut random = Random(seed);
        let offset = if far == 0 { 0.0 } else { 10f64.powi(far) };
        let (features, labels) = rows(&mut random, n, d, offset, 0.7);
        let mut whole = Accumulator::new(d);
        whole.absorb(&features, &labels).unwrap();
        let mut chunks: Vec<Vec<usize>> = vec![Vec::new(); parts];
        (0..n).for_each(|i| chunks[(random.bits() % parts as u64) as usize].push(i));
        let mut merged = Accumulator::default();
        for chunk in &chunks {
            let mut part = Accumulator::default();
            let own: Vec<f64> = chunk.iter().map(|&i| labels[i]).collect();
            part.absorb(&features.select_rows(chunk), &own).unwrap();
            merged.merge(&part);
        }
        prop_assert_eq!(merged.positive.count(), whole.positive.count());
        assert_same(&merged.moments().unwrap(), &whole.moments().unwrap(), 1e-13 + 1e-15 * offset);
    }

    #[test]
    fn the_implicit_covariance_is_the_dense_one(seed in any::<u64>(), n in 8usize..80, d in 1usize..20, far in 0i32..7) {
        let mut random = Random(seed);
        let (features, labels) = rows(&mut random, n, d, if far == 0 { 0.0 } else { 10f64.powi(far) }, 0.4);
        let mut accumulator = Accumulator::new(d);
        accumulator.absorb(&features, &labels).unwrap();
        let formed = accumulator.moments().unwrap();
        for features in [features.to_sparse(), features.clone()] {
            let implicit = Moments::implicit(&Arc::new(features), &labels).unwrap();
            let formless = matches!(implicit.positive.covariance, Covariance::Implicit { .. });
            prop_assert!(formless);
            assert_same(&implicit, &formed, 1e-12);
            assert_close(&implicit.negative.covariance.diagonal(), &formed.negative.covariance.diagonal(), 1e-12);
            let w = random.normals(d);
            let [mut a, mut b] = [vec![0.0; d], vec![0.0; d]];
            implicit.positive.add_times(&w, &mut a);
            formed.positive.add_times(&w, &mut b);
            let variance = formed.positive.covariance.diagonal().iter().sum::<f64>();
            let difference: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x - y).collect();
            prop_assert!(norm(&difference) <= 1e-12 * variance * norm(&w));
        }
    }
}

#[test]
fn threads_and_wider_chunks_merge() {
    let (features, labels) = rows(&mut Random(20), 1000, 6, 1e3, 0.5);
    let parts: Vec<(Features, Vec<f64>)> = (0..4)
        .map(|k| {
            let chosen: Vec<usize> = (k * 250..(k + 1) * 250).collect();
            (features.select_rows(&chosen), labels[k * 250..(k + 1) * 250].to_vec())
        })
        .collect();
    let threads: Vec<_> = parts
        .into_iter()
        .map(|(features, labels)| {
            std::thread::spawn(move || {
                let mut own = Accumulator::default();
                own.absorb(&features, &labels).map(|()| own)
            })
        })
        .collect();
    let mut merged = Accumulator::default();
    threads.into_iter().for_each(|thread| merged.merge(&thread.join().unwrap().unwrap()));
    let whole = Moments::of(&Arc::new(features), &labels).unwrap();
    assert_same(&merged.moments().unwrap(), &whole, 1e-12);
    // The first chunk has one column, the second two: the first column of zeros is made up for.
    let mut growing = Accumulator::new(0);
    growing.absorb(&dense(4, 1, vec![1.0, 2.0, 3.0, 4.0]), &[1.0, -1.0, 1.0, -1.0]).unwrap();
    growing.absorb(&dense(2, 2, vec![0.0, 3.0, 0.0, 6.0]), &[1.0, -1.0]).unwrap();
    let wide = dense(6, 2, vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 3.0, 0.0, 6.0]);
    let expected = Moments::of(&Arc::new(wide), &[1.0, -1.0, 1.0, -1.0, 1.0, -1.0]).unwrap();
    assert_same(&growing.moments().unwrap(), &expected, 1e-15);
}

#[test]
fn bad_input_is_named() {
    let refused = |values: Vec<f64>, columns: usize, labels: &[f64]| {
        let features = Arc::new(dense(values.len() / columns, columns, values));
        let [a, b] = [Moments::of(&features, labels), Moments::implicit(&features, labels)].map(|m| m.unwrap_err());
        assert_eq!(a.to_string(), b.to_string());
        a
    };
    assert_eq!(refused(vec![1.0, 2.0], 1, &[1.0, 1.0]), MomentsError::FewRows { class: -1.0, rows: 0 });
    assert_eq!(refused(vec![1.0, 2.0, 3.0], 1, &[1.0, -1.0, -1.0]), MomentsError::FewRows { class: 1.0, rows: 1 });
    assert_eq!(refused(vec![2.0; 8], 2, &[1.0, 1.0, -1.0, -1.0]), MomentsError::Constant);
    assert!(matches!(refused(vec![1.0; 4], 1, &[1.0, 1.0, -1.0, 0.0]), MomentsError::Label { row: 3, .. }));
    assert!(matches!(refused(vec![1.0; 4], 1, &[1.0]), MomentsError::Shape { what: "labels", .. }));
    let nan = refused(vec![1.0, 0.0, f64::NAN, 1.0, 2.0, 5.0, 1.0, 1.0], 2, &[1.0, 1.0, -1.0, -1.0]);
    assert!(matches!(nan, MomentsError::NotFinite { column: 0, .. }), "{nan}");
    let class = |mean: f64, value: f64| Class {
        mean: vec![mean],
        covariance: Covariance::Dense { columns: 1, values: vec![value] },
    };
    assert!(matches!(Moments::new(0.5, class(1.0, 1.0), class(0.0, -1.0)), Err(MomentsError::Indefinite { .. })));
    assert!(matches!(Moments::new(1.0, class(1.0, 1.0), class(0.0, 1.0)), Err(MomentsError::Prior { .. })));
    let moments = Moments::new(0.5, class(1.0, 1.0), class(0.0, 1.0)).unwrap();
    for lambda in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(MomentObjective::new(&moments, Objective::Auc, lambda), Err(MomentsError::Lambda { .. })));
    }
    let objective = MomentObjective::new(&moments, Objective::Auc, 0.0).unwrap();
    assert!(matches!(minimise(&objective, vec![f64::NAN], &Settings::default()), Err(MomentsError::Start { .. })));
    assert!(matches!(minimise(&objective, vec![], &Settings::default()), Err(MomentsError::Shape { .. })));
}
