//! Pages.

use crate::common::{Data, Explored, Followed};
use pathqp_adapters::lasso;
use pathqp_views::{ViewError, page};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Nobody is told how far it is.
fn page_of(followed: &Followed) -> page::Made {
    page::of_path(followed.view(), None, &|_, _| {}).unwrap()
}

#[test]
fn a_page_says_what_it_was_given() {
    let made = page_of(&Followed::quantile_svm());
    for text in ["<title>quantile-svm on rows.csv</title>", "a program", "\"late\"", "height", "lambda = 0.05"] {
        assert!(made.text.contains(text), "{text}");
    }
    assert!(made.worst.iter().all(|size| (0.0..1e-9).contains(size)), "{:?}", made.worst);
    let made = page_of(&Followed::lasso());
    assert!(made.text.contains("lasso on rows.csv") && made.text.contains("\\u003cwidth>"));
}

#[test]
fn who_waits_for_a_page_is_told_how_far_it_is() {
    let (most, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let followed = Followed::quantile_svm();
    let watch = |begun: usize, of: usize| {
        most.fetch_max(begun, Ordering::Relaxed);
        all.store(of, Ordering::Relaxed);
    };
    page::of_path(followed.view(), None, &watch).unwrap();
    let (most, all) = (most.into_inner(), all.into_inner());
    assert!(0 < all && most <= all, "{most} of {all}");
}

#[test]
fn further_rows_are_shown_beside_the_training_rows() {
    let followed = Followed::quantile_svm();
    let rows = &followed.data.spec.rows;
    let test = Some((rows.features.as_ref().clone(), rows.response.clone()));
    let made = page::of_path(followed.view(), test.clone(), &|_, _| {}).unwrap();
    assert!(made.text.contains("\"test\":{") && page_of(&followed).text.contains("\"test\":null"));
    let map = Explored::costs();
    let made = page::of_map(map.view(), test).unwrap();
    assert!(made.text.contains("\"test\":{") && made.text.contains("cost-svm on rows.csv"));
    assert!(made.worst.iter().all(|size| *size < 1e-9));
}

#[test]
fn a_path_that_ends_where_it_begins_has_no_page() {
    let mut data = Data::classes(&pathqp_adapters::quantile_svm::ENTRY);
    data.spec.fixed.insert("lambda".into(), 0.05);
    let point = Followed::new(&pathqp_adapters::quantile_svm::ENTRY, data, "tau", [Some(0.5); 2]);
    let error = page::of_path(point.view(), None, &|_, _| {}).err();
    assert!(matches!(error, Some(ViewError::Nothing)));
    // A table may have one row.
    let point = Followed::new(&lasso::ENTRY, Data::lasso(), "alpha", [Some(0.1); 2]);
    assert!(page_of(&point).text.contains("<title>"));
}
