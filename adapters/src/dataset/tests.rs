//! Storage, scaling, classes and round trips of data sets. Expected values are worked out by hand.

use super::labels::Label;
use super::{
    DataError, Dataset, Features, FeaturesViolation, ReadOptions, Row, Scaler, Scaling, csv, libsvm, two_classes,
};

/// The data set of a text in the format of its name.
fn load_columns(name: &str, text: &str, features: Option<usize>) -> Dataset {
    let options = ReadOptions { features, ..ReadOptions::default() };
    if name.ends_with(".csv") {
        csv::parse(name, text, b',', &options).unwrap()
    } else {
        libsvm::parse(name, text, &options).unwrap()
    }
}

fn load(name: &str, text: &str) -> Dataset {
    load_columns(name, text, None)
}

fn dense(rows: usize, columns: usize, values: &[f64]) -> Features {
    Features::Dense { rows, columns, values: values.to_vec() }
}

/// 3 × 4 with 4 of 12 entries nonzero, which is exactly a third.
fn third() -> (Features, Features) {
    let values = [0.0, 2.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.5];
    let sparse = Features::Sparse {
        rows: 3,
        columns: 4,
        starts: vec![0, 2, 2, 4],
        indices: vec![1, 3, 0, 3],
        values: vec![2.0, -1.0, 3.0, 0.5],
    };
    (dense(3, 4, &values), sparse)
}

#[test]
fn storage_can_be_changed() {
    let (full, sparse) = third();
    assert_eq!(full.to_sparse(), sparse);
    assert_eq!(sparse.to_dense(), full);
    assert_eq!((full.nonzeros(), sparse.nonzeros()), (4, 4));
    assert_eq!(full.density(), 1.0 / 3.0);
    assert_eq!(full.clone().compact(), sparse);
    assert_eq!(sparse.clone().compact(), sparse);
    // 4 of 8 entries are more than a third.
    let denser = sparse.select_rows(&[2, 0]);
    let expected = [3.0, 0.0, 0.0, 0.5, 0.0, 2.0, 0.0, -1.0];
    assert_eq!(denser.clone().compact(), dense(2, 4, &expected));
    assert_eq!(full.select_rows(&[2, 0]), denser.to_dense());
    assert_eq!(full.select_rows(&[]), dense(0, 4, &[]));
    let stored_zero =
        Features::Sparse { rows: 1, columns: 4, starts: vec![0, 2], indices: vec![0, 2], values: vec![0.0, 1.0] };
    assert_eq!(stored_zero.nonzeros(), 1);
    assert_eq!(stored_zero.compact(), dense(1, 4, &[0.0, 0.0, 1.0, 0.0]).to_sparse());
    let extended = full.append_constant_column(2.5);
    assert_eq!(extended, sparse.append_constant_column(2.5).to_dense());
    assert_eq!(extended.row(1), Row::Dense(&[0.0, 0.0, 0.0, 0.0, 2.5]));
    assert_eq!(dense(0, 0, &[]).density(), 0.0);
}

#[test]
fn rows_have_inner_products() {
    let (full, sparse) = third();
    let vector = [1.0, 10.0, 100.0, 1000.0];
    for features in [&full, &sparse] {
        // 2 * 10 - 1000, 0 and 3 + 500.
        let products: Vec<f64> = (0..3).map(|i| features.row(i).dot(&vector)).collect();
        assert_eq!(products, [-980.0, 0.0, 503.0]);
        let norms: Vec<f64> = (0..3).map(|i| features.row(i).norm_squared()).collect();
        assert_eq!(norms, [5.0, 0.0, 9.25]);
        let mut row = [9.0; 4];
        features.dense_row(2, &mut row);
        assert_eq!(row, [3.0, 0.0, 0.0, 0.5]);
    }
    // 1^2 + ... + 19^2 = 19 * 20 * 39 / 6.
    let long: Vec<f64> = (1..20).map(f64::from).collect();
    assert_eq!(Row::Dense(&long).norm_squared(), 2470.0);
    assert_eq!(sparse.row(1), Row::Sparse(&[], &[]));
}

#[test]
fn violations_are_listed() {
    let (full, sparse) = third();
    assert!(full.violations().is_empty() && sparse.violations().is_empty());
    let short = dense(2, 2, &[1.0, f64::NAN, 1e200]);
    let expected = [
        FeaturesViolation::NotFinite { position: 1 },
        FeaturesViolation::NotFinite { position: 2 },
        FeaturesViolation::ValueCount { rows: 2, columns: 2, found: 3 },
    ];
    assert_eq!(short.violations(), expected);
    let broken =
        Features::Sparse { rows: 3, columns: 2, starts: vec![0, 2, 1], indices: vec![1, 1], values: vec![1.0; 3] };
    let expected = [
        FeaturesViolation::StartCount { rows: 3, found: 3 },
        FeaturesViolation::EntryCount { end: 1, indices: 2, values: 3 },
        FeaturesViolation::IndexOrder { row: 0, column: 1 },
        FeaturesViolation::StartOrder { row: 2 },
    ];
    assert_eq!(broken.violations(), expected);
}

/// Columns 1, 2, 3, 4; constant 7; −1, 1, −1, 1.
fn training() -> Features {
    let values = [1.0, 7.0, -1.0, 2.0, 7.0, 1.0, 3.0, 7.0, -1.0, 4.0, 7.0, 1.0];
    dense(4, 3, &values)
}

#[test]
fn minmax_maps_the_training_range_to_the_unit_interval() {
    let scaler = Scaler::fit(&training(), Scaling::MinMax);
    assert_eq!(scaler.shift_and_scale(0), Some((1.0, 3.0)));
    assert_eq!(scaler.shift_and_scale(1), Some((7.0, 1.0)));
    assert_eq!(scaler.shift_and_scale(3), None);
    let scaled = scaler.apply(&training()).unwrap();
    let third = 1.0 / 3.0;
    let expected = [0.0, 0.0, 0.0, third, 0.0, 1.0, 2.0 * third, 0.0, 0.0, 1.0, 0.0, 1.0];
    assert_eq!(scaled, dense(4, 3, &expected));
    // (5 - 1) / 3, (9 - 7) / 1 and (0 + 1) / 2.
    let other = scaler.apply(&dense(1, 3, &[5.0, 9.0, 0.0])).unwrap();
    assert_eq!(other, dense(1, 3, &[4.0 / 3.0, 2.0, 0.5]));
}

#[test]
fn standard_maps_to_mean_zero_and_deviation_one() {
    let scaler = Scaler::fit(&training(), Scaling::Standard);
    // Mean 2.5 and variance (2.25 + 0.25 + 0.25 + 2.25) / 4 = 1.25.
    let (shift, scale) = scaler.shift_and_scale(0).unwrap();
    assert_eq!(shift, 2.5);
    assert!((scale - 1.25f64.sqrt()).abs() <= 2.0 * f64::EPSILON);
    assert_eq!(scaler.shift_and_scale(1), Some((7.0, 1.0)));
    assert_eq!(scaler.shift_and_scale(2), Some((0.0, 1.0)));
    assert_eq!((scaler.scaling(), scaler.columns()), (Scaling::Standard, 3));
}

#[test]
fn standard_survives_rounding_and_range() {
    let root = 1.5f64.sqrt();
    for (column, expected) in [
        // The mean of a constant column is not representable.
        ([0.1, 0.1, 0.1], [0.0, 0.0, 0.0]),
        // Variance 2/3.
        ([1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0], [-root, 0.0, root]),
        ([-1e154, 0.0, 1e154], [-root, 0.0, root]),
        ([-1e-200, 0.0, 1e-200], [-root, 0.0, root]),
    ] {
        let features = dense(3, 1, &column);
        let scaler = Scaler::fit(&features, Scaling::Standard);
        let scaled = scaler.apply(&features).unwrap().to_dense();
        for (i, value) in expected.iter().enumerate() {
            let mut found = [0.0];
            scaled.dense_row(i, &mut found);
            assert!((found[0] - value).abs() < 4e-15, "{column:?}");
        }
    }
}

#[test]
fn scaling_keeps_sparsity_where_zero_stays_zero() {
    // Column 2 holds 4 and 2, column 5 holds -2 and 2; the other six are zero.
    let sparse = Features::Sparse {
        rows: 4,
        columns: 8,
        starts: vec![0, 1, 2, 4, 4],
        indices: vec![2, 5, 2, 5],
        values: vec![4.0, -2.0, 2.0, 2.0],
    };
    let minmax = Scaler::fit(&sparse, Scaling::MinMax);
    assert_eq!(minmax.shift_and_scale(2), Some((0.0, 4.0)));
    assert_eq!(minmax.shift_and_scale(5), Some((-2.0, 4.0)));
    let expected = Features::Sparse {
        rows: 4,
        columns: 8,
        starts: vec![0, 2, 2, 4, 5],
        indices: vec![2, 5, 2, 5, 5],
        values: vec![1.0, 0.5, 0.5, 1.0, 0.5],
    };
    assert_eq!(minmax.apply(&sparse).unwrap(), expected);
    // Column 2: mean 1.5, variance (16 + 4) / 4 - 2.25 = 2.75. Column 5: mean 0, variance 2.
    let standard = Scaler::fit(&sparse, Scaling::Standard);
    let (shift, scale) = standard.shift_and_scale(2).unwrap();
    assert_eq!(shift, 1.5);
    assert!((scale - 2.75f64.sqrt()).abs() <= 4.0 * f64::EPSILON);
    assert_eq!(standard.shift_and_scale(5).unwrap().0, 0.0);
    for scaling in [Scaling::Standard, Scaling::MinMax] {
        let full = Scaler::fit(&sparse.to_dense(), scaling);
        let from_full = full.apply(&sparse.to_dense()).unwrap();
        let fitted = Scaler::fit(&sparse, scaling);
        assert_eq!(fitted, full);
        assert_eq!(fitted.apply(&sparse).unwrap(), from_full);
    }
    let none = Scaler::fit(&sparse, Scaling::None);
    assert_eq!(none.apply(&sparse).unwrap(), sparse);
}

#[test]
fn scaling_refuses_what_it_cannot_map() {
    let scaler = Scaler::fit(&training(), Scaling::None);
    let columns = scaler.apply(&dense(1, 2, &[1.0, 2.0])).unwrap_err();
    let expected = "2 feature columns, and the scaling was fitted on 3; use --features 3";
    assert!(columns.to_string().starts_with(expected));
    let tiny = Scaler::fit(&dense(2, 1, &[0.0, 1e-200]), Scaling::MinMax);
    let error = tiny.apply(&dense(2, 1, &[1e-200, 3.0])).unwrap_err();
    assert!(matches!(error, DataError::ScaledOverflow { row: 2, column: 1, value: 3.0 }));
    let empty = Scaler::fit(&dense(0, 2, &[]), Scaling::Standard);
    assert_eq!(empty.shift_and_scale(1), Some((0.0, 1.0)));
}

#[test]
fn scalings_have_names() {
    for scaling in [Scaling::None, Scaling::Standard, Scaling::MinMax] {
        assert_eq!(scaling.to_string().parse::<Scaling>().unwrap(), scaling);
    }
    let unknown = "Standard".parse::<Scaling>().unwrap_err().to_string();
    assert_eq!(unknown, "no scaling `Standard`; use none, standard or minmax");
}

#[test]
fn one_label_or_more_than_two_are_refused() {
    let two = two_classes(&load("two", "2\n2\n"), None).unwrap_err();
    assert!(two.to_string().contains("only one class (2) in 2 rows"));
    let text = "1 1:1\n# none\n2 1:1\n1 1:1\n0.5 1:1\n2 1:1\n-3 1:1\n-0 1:1\n0 1:1\n";
    let many = two_classes(&load("many", text), None).unwrap_err();
    let message = many.to_string();
    assert!(message.contains("many, line 5: 0.5 is a third label after +1 and 2 (5 labels in 8 rows)"), "{message}");
}

#[test]
fn the_positive_label_can_be_chosen() {
    let data = load("labels", "3\n-2\n-2\n3\n");
    let (signs, classes) = two_classes(&data, None).unwrap();
    assert_eq!(signs, [1.0, -1.0, -1.0, 1.0]);
    assert_eq!([&classes.negative, &classes.positive].map(Label::clone), [-2.0, 3.0].map(Label::Number));
    let (signs, classes) = two_classes(&data, Some(&Label::Number(-2.0))).unwrap();
    assert_eq!(signs, [-1.0, 1.0, 1.0, -1.0]);
    assert_eq!([&classes.negative, &classes.positive].map(Label::clone), [3.0, -2.0].map(Label::Number));
    assert_eq!(two_classes(&data, Some(&Label::Number(3.0))).unwrap().0, [1.0, -1.0, -1.0, 1.0]);
    let absent = two_classes(&data, Some(&Label::Number(1.0))).unwrap_err().to_string();
    assert!(absent.ends_with("labels: no row has the label +1; the labels are -2 and 3"));
    assert!(two_classes(&data, Some(&Label::Number(f64::NAN))).is_err());
    // Other rows take the signs of the classes found, also when they are all of one class.
    assert_eq!(classes.signs(&load("test", "3\n3\n")).unwrap(), [-1.0, -1.0]);
    let other = classes.signs(&load("test", "3\n\n4\n")).unwrap_err().to_string();
    assert!(other.contains("test, line 3: the label 4 is neither 3 nor -2"));
}

/// Pseudorandom numbers: the minimal standard generator of Park and Miller (1988).
fn next_random(state: &mut u64) -> u64 {
    *state = *state * 48271 % 2147483647;
    *state
}

#[test]
fn written_numbers_come_back_exactly() {
    let mut state = 20;
    for (rows, columns, keep) in [(40, 7, 1), (25, 30, 2), (30, 20, 8), (5, 400, 90)] {
        let mut entry = || {
            let kept = next_random(&mut state).is_multiple_of(keep);
            let value = next_random(&mut state) as f64 - 1e9;
            let scale = 10f64.powi((next_random(&mut state) % 60) as i32 - 30);
            if kept { value * scale } else { 0.0 }
        };
        let values: Vec<f64> = (0..rows * columns).map(|_| entry()).collect();
        let full = dense(rows, columns, &values);
        let mut table: String = (0..columns).map(|j| format!("x{j},")).collect();
        table += "y\n";
        let mut sparse = String::new();
        for (i, row) in values.chunks(columns).enumerate() {
            sparse += &format!("{i}");
            for (j, value) in row.iter().enumerate() {
                table += &format!("{value:?},");
                if *value != 0.0 {
                    sparse += &format!(" {}:{value:e}", j + 1);
                }
            }
            table += &format!("{i}\n");
            sparse += "\n";
        }
        let from_table = load("t.csv", &table);
        let from_sparse = load_columns("t.svm", &sparse, Some(columns));
        assert_eq!(from_table.features, full.clone().compact());
        assert_eq!(from_sparse.features, from_table.features);
        assert_eq!(from_sparse.response, from_table.response);
        assert_eq!(full.to_sparse().to_dense(), full);
        assert!(from_sparse.features.violations().is_empty());
    }
}
