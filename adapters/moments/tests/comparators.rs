//! What the moments are compared with, and the error and the AUC themselves.

use crate::common::{Random, assert_close, dense, dot, rows};
use pathqp_adapters::dataset::Features;
use pathqp_moments::Moments;
use pathqp_moments::comparators::{Logistic, PairwiseHinge, lda};
use pathqp_moments::empirical::{auc, error};
use pathqp_moments::minimise::Smooth;
use std::sync::Arc;

#[test]
fn auc_and_error_are_those_of_all_pairs() {
    let mut random = Random(5);
    for n in 2..40 {
        let labels: Vec<f64> = (0..n).map(|i| if i % 3 == 1 { 1.0 } else { -1.0 }).collect();
        // Few different values: many ties, zeros of both signs among them.
        let scores: Vec<f64> = (0..n).map(|_| (random.bits() % 5) as f64 * -0.5 + 1.0).collect();
        let mut wins = 0.0;
        let (mut pairs, mut wrong) = (0.0, 0.0);
        for i in 0..n {
            wrong += f64::from(u8::from((scores[i] > 0.0) != (labels[i] > 0.0)));
            for j in (0..n).filter(|&j| labels[i] > labels[j]) {
                pairs += 1.0;
                wins += if scores[i] > scores[j] {
                    1.0
                } else if scores[i] == scores[j] {
                    0.5
                } else {
                    0.0
                };
            }
        }
        assert_eq!(auc(&scores, &labels), wins / pairs);
        assert_eq!(error(&scores, &labels), wrong / n as f64);
    }
    assert_eq!(auc(&[0.0, -0.0], &[1.0, -1.0]), 0.5);
    assert!(auc(&[1.0, 2.0], &[1.0, 1.0]).is_nan());
    assert!(error(&[f64::NAN], &[1.0]).is_nan() && auc(&[f64::NAN, 1.0], &[1.0, -1.0]).is_nan());
}

#[test]
fn the_hinge_loss_is_that_of_all_pairs() {
    let mut random = Random(11);
    for n in [3usize, 10, 60] {
        let (features, labels) = rows(&mut random, n, 4, 0.0, 0.8);
        let hinge = PairwiseHinge::new(&features, &labels, 0.25).unwrap();
        for w in [vec![0.0; 4], random.normals(4), vec![0.5, 0.0, -0.25, 1.0]] {
            let f = |i: usize| features.row(i).dot(&w);
            let (mut value, mut pairs, mut slope) = (0.0, 0.0, vec![0.0; 4]);
            for i in (0..n).filter(|&i| labels[i] > 0.0) {
                for j in (0..n).filter(|&j| labels[j] < 0.0) {
                    pairs += 1.0;
                    let loss = 1.0 - (f(i) - f(j));
                    if loss > 0.0 {
                        value += loss;
                        features.row(i).for_each(|k, x| slope[k] -= x);
                        features.row(j).for_each(|k, x| slope[k] += x);
                    }
                }
            }
            let mut gradient = vec![0.0; 4];
            let found = hinge.evaluate(&w, &mut gradient);
            let expected: Vec<f64> = slope.iter().zip(&w).map(|(s, w)| s / pairs + 0.5 * w).collect();
            assert!((found - value / pairs - 0.25 * dot(&w, &w)).abs() < 1e-13 * found, "{found}");
            assert_close(&gradient, &expected, 1e-12);
        }
    }
}

#[test]
fn the_logistic_loss_has_its_gradient_and_does_not_overflow() {
    let mut random = Random(12);
    let (features, labels) = rows(&mut random, 50, 3, 0.0, 1.0);
    let loss = Logistic::new(&features, &labels, 0.02).unwrap();
    let (w, v) = (random.normals(3), random.normals(3));
    let at = |t: f64| {
        let moved: Vec<f64> = w.iter().zip(&v).map(|(w, v)| w + t * v).collect();
        let mut gradient = vec![0.0; 3];
        (loss.evaluate(&moved, &mut gradient), gradient)
    };
    let difference = (at(1e-5).0 - at(-1e-5).0) / 2e-5;
    assert!((dot(&at(0.0).1, &v) - difference).abs() < 1e-9);
    let huge = dense(2, 1, vec![1e3, -1e3]);
    let loss = Logistic::new(&huge, &[1.0, 1.0], 0.0).unwrap();
    let mut gradient = [0.0];
    assert_eq!(loss.evaluate(&[10.0], &mut gradient), 5e3);
    assert_eq!(gradient, [500.0]);
}

#[test]
fn lda_solves_its_equations_and_takes_the_least_norm() {
    let mut random = Random(8);
    let (features, labels) = rows(&mut random, 90, 4, 2.0, 1.0);
    let moments = Moments::of(&Arc::new(features.clone()), &labels).unwrap();
    let (w, b) = lda(&moments, [30, 60]).unwrap();
    let mut product = vec![0.0; 4];
    for (class, share) in [(&moments.positive, 29.0 / 88.0), (&moments.negative, 59.0 / 88.0)] {
        let mut part = vec![0.0; 4];
        class.add_times(&w, &mut part);
        product.iter_mut().zip(&part).for_each(|(p, v)| *p += share * v);
    }
    let delta: Vec<f64> = moments.positive.mean.iter().zip(&moments.negative.mean).map(|(a, b)| a - b).collect();
    assert_close(&product, &delta, 1e-12);
    let at = |mean: &[f64]| dot(&w, mean) + b;
    let prior = (30.0f64 / 60.0).ln();
    assert!((at(&moments.positive.mean) + at(&moments.negative.mean) - 2.0 * prior).abs() < 1e-10);
    // A column twice: the weights share what the single column had.
    let twice = Features::Dense {
        rows: 90,
        columns: 5,
        values: (0..90)
            .flat_map(|i| {
                let mut row = vec![0.0; 4];
                features.dense_row(i, &mut row);
                row.push(row[3]);
                row
            })
            .collect(),
    };
    let doubled = Moments::of(&Arc::new(twice), &labels).unwrap();
    let (v, c) = lda(&doubled, [30, 60]).unwrap();
    assert_close(&[v[0], v[1], v[2], v[3], v[4], c], &[w[0], w[1], w[2], w[3] / 2.0, w[3] / 2.0, b], 1e-9);
}
