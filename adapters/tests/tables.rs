//! Tables as they are: words, categories, names of rows, columns left out, ARFF. Expected values are worked out by hand.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use pathqp_adapters::dataset::{
    Categories, DataError, Dataset, Label, ReadOptions, columns, read, stream, two_classes,
};

const CARS: &str =
    "car,maker,doors,power,sold\nA1,fiat,two,70,yes\nB2,audi,four,120.5,no\nC3,\"Alfa, Romeo\",two,90,yes\n";

/// Reads a text as a file of this name.
fn load(name: &str, text: &str, options: &ReadOptions) -> Result<Dataset, DataError> {
    with(name, text, |path| read(path, options))
}

fn with<T>(name: &str, text: &str, act: impl FnOnce(&std::path::Path) -> T) -> T {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("pathqp-tables-{}-{count}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path: PathBuf = folder.join(name);
    fs::write(&path, text).unwrap();
    let done = act(&path);
    fs::remove_dir_all(folder).unwrap();
    done
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The table of cars with all that it needs.
fn cars() -> ReadOptions {
    ReadOptions {
        words: true,
        index: Some("car".into()),
        categorical: words(&["maker", "doors"]),
        ..ReadOptions::default()
    }
}

#[test]
fn categories_names_and_words_for_labels() {
    let data = load("cars.csv", CARS, &cars()).unwrap();
    let names = ["maker=Alfa, Romeo", "maker=audi", "maker=fiat", "doors=four", "doors=two", "power"];
    assert_eq!(data.feature_names, Some(words(&names)));
    assert_eq!(data.inputs, Some(words(&["maker", "doors", "power"])));
    assert_eq!(data.row_names, Some(words(&["A1", "B2", "C3"])));
    let mut row = vec![0.0; 6];
    let rows: Vec<Vec<f64>> = (0..3)
        .map(|i| {
            data.features.dense_row(i, &mut row);
            row.clone()
        })
        .collect();
    assert_eq!(rows[0], [0.0, 0.0, 1.0, 0.0, 1.0, 70.0]);
    assert_eq!(rows[1], [0.0, 1.0, 0.0, 1.0, 0.0, 120.5]);
    assert_eq!(rows[2], [1.0, 0.0, 0.0, 0.0, 1.0, 90.0]);
    assert_eq!(data.labels, Some(words(&["no", "yes"])));
    let (signs, classes) = two_classes(&data, None).unwrap();
    assert_eq!(signs, [1.0, -1.0, 1.0]);
    assert_eq!(classes.negative, Label::Word("no".into()));
    let (signs, _) = two_classes(&data, Some(&Label::Word("no".into()))).unwrap();
    assert_eq!(signs, [-1.0, 1.0, -1.0]);
    let absent = two_classes(&data, Some(&Label::Word("maybe".into()))).unwrap_err().to_string();
    assert!(absent.ends_with("no row has the label maybe; the labels are no and yes"), "{absent}");
}

#[test]
fn the_first_level_is_left_out_beside_an_intercept() {
    let data = load("cars.csv", CARS, &ReadOptions { drop_first: true, ..cars() }).unwrap();
    assert_eq!(data.feature_names, Some(words(&["maker=audi", "maker=fiat", "doors=two", "power"])));
    assert_eq!(data.categories[1], Categories { column: "doors".into(), levels: words(&["four", "two"]) });
}

/// Levels that are numbers are in the order of their size.
#[test]
fn levels_are_in_order() {
    let text = "level,y\n10,1\n9,2\nlow,3\n-1,4\n";
    let options = ReadOptions { categorical: words(&["level"]), ..ReadOptions::default() };
    let data = load("t.csv", text, &options).unwrap();
    assert_eq!(data.categories[0].levels, words(&["-1", "9", "10", "low"]));
}

/// Further rows have the levels of the training data, whatever levels and columns they have, and in whatever order.
#[test]
fn further_rows_have_the_columns_of_the_training_data() {
    let training = load("cars.csv", CARS, &cars()).unwrap();
    let options = ReadOptions {
        only: training.inputs.clone(),
        categories: training.categories.clone(),
        categorical: cars().categorical,
        unlabelled: true,
        ..ReadOptions::default()
    };
    let data = load("more.csv", "power,colour,doors,maker\n50,red,two,audi\n", &options).unwrap();
    let mut row = vec![0.0; 6];
    data.features.dense_row(0, &mut row);
    assert_eq!(row, [0.0, 1.0, 0.0, 0.0, 1.0, 50.0]);
    assert_eq!(data.response, [0.0]);
    let error = load("more.csv", "power,doors,maker\n50,two,audi\n51,two,bmw\n", &options).unwrap_err().to_string();
    let expected = "line 3, column maker: the training data have no level `bmw` (they have Alfa, Romeo, audi, fiat); correct it or leave the row out";
    assert!(error.ends_with(expected), "{error}");
    let error = load("more.csv", "power,doors\n50,two\n", &options).unwrap_err().to_string();
    assert!(
        error.ends_with("no column `maker` for a feature of the training data; the columns are power, doors"),
        "{error}"
    );
}

/// A column of categories that is not looked at has no say.
#[test]
fn only_the_columns_that_are_asked_for() {
    let only = |names: &[&str]| ReadOptions { only: Some(words(names)), ..cars() };
    let data = load("cars.csv", CARS, &ReadOptions { index: None, ..only(&["power"]) }).unwrap();
    assert_eq!(
        data.features.to_dense(),
        load("t.csv", "p,y\n70,0\n120.5,0\n90,0\n", &ReadOptions::default()).unwrap().features.to_dense()
    );
    let none = ReadOptions { features: Some(0), ..only(&[]) };
    assert_eq!(load("cars.csv", CARS, &none).unwrap().features.columns(), 0);
    // The names alone are read of a file whose rows are beyond what is looked at.
    let long = format!("a,b\n{}", "1,2\n".repeat(3_000_000));
    assert_eq!(with("long.csv", &long, |path| columns(path, false)).unwrap(), Some(words(&["a", "b"])));
    let unnamed = with("long.csv", &long, |path| columns(path, true)).unwrap();
    assert_eq!(unnamed, Some(words(&["1", "2"])));
}

#[test]
fn what_is_no_number_says_what_can_be_done() {
    let refusal = |options: &ReadOptions, text: &str| load("t.csv", text, options).unwrap_err().to_string();
    let plain = ReadOptions::default();
    let word = refusal(&plain, "a,day,y\n1,2024-05-01,3\n");
    let expected = "line 2, column day: `2024-05-01` is not a number; use --categorical for a feature a word, --exclude to leave the column out, or --index if it names the rows";
    assert!(word.ends_with(expected), "{word}");
    assert!(
        refusal(&plain, "a,y\n1,2\nNA,3\n").ends_with("line 3, column a: `NA` is missing; fill it in or drop the row")
    );
    assert!(refusal(&plain, "a,y\n1,?\n").ends_with("line 2, column y: `?` is missing; fill it in or drop the row"));
    let exclude = |name: &str| ReadOptions { exclude: words(&[name]), ..ReadOptions::default() };
    assert!(refusal(&exclude("b"), "a,y\n1,2\n").contains("no column `b` for --exclude"));
    let both = ReadOptions { response: Some("a".into()), ..exclude("a") };
    assert!(refusal(&both, "a,y\n1,2\n").contains("column a is named for two things"));
    let both = ReadOptions { categorical: words(&["y"]), ..ReadOptions::default() };
    assert!(refusal(&both, "a,y\n1,2\n").contains("column y is named for two things"));
    // Words are labels only where the first row has one, and where labels are asked for.
    let labels = ReadOptions { words: true, ..ReadOptions::default() };
    assert!(refusal(&labels, "a,y\n1,1\n2,one\n").contains("line 3, column y: `one` is not a number"));
    assert!(refusal(&plain, "a,y\n1,one\n").contains("line 2, column y: `one` is not a number"));
}

#[test]
fn columns_are_left_out() {
    let text = "id,a,b,y,note\n7,1,2,3,good\n8,4,5,6,bad\n";
    let options = ReadOptions { exclude: words(&["id", "note"]), ..ReadOptions::default() };
    let data = load("t.csv", text, &options).unwrap();
    assert_eq!((data.feature_names, data.response_name), (Some(words(&["a", "b"])), Some("y".into())));
    assert_eq!(data.response, [3.0, 6.0]);
    // By number where there are no names.
    let options =
        ReadOptions { no_header: true, exclude: words(&["1"]), categorical: words(&["3"]), ..ReadOptions::default() };
    let data = load("t.csv", "x,1,red,5\nz,2,blue,6\n", &options).unwrap();
    assert_eq!(data.features.columns(), 3);
    assert_eq!(data.categories[0].column, "3");
}

const WEATHER: &str = "% what it is\n@RELATION weather\n\n@attribute 'sky now' {sunny, rainy}\n@ATTRIBUTE temperature numeric\n@attribute play {yes,no}\n@data\n% a remark, with a comma\nsunny, 20.5, no\n\n'rainy',11,yes\n";

#[test]
fn tables_of_weka() {
    let options = ReadOptions { words: true, categorical: words(&["sky now"]), ..ReadOptions::default() };
    let data = load("weather.arff", WEATHER, &options).unwrap();
    assert_eq!(data.feature_names, Some(words(&["sky now=rainy", "sky now=sunny", "temperature"])));
    assert_eq!(
        data.features.to_dense(),
        load("t.csv", "a,b,c,y\n0,1,20.5,1\n1,0,11,2\n", &ReadOptions::default()).unwrap().features.to_dense()
    );
    assert_eq!(data.label(0), Label::Word("no".into()));
    assert_eq!(data.lines, [9, 11]);
    let names = with("weather.arff", WEATHER, |path| columns(path, false)).unwrap();
    assert_eq!(names, Some(words(&["sky now", "temperature", "play"])));
    let refusal = |text: &str| load("t.arff", text, &ReadOptions::default()).unwrap_err().to_string();
    assert!(refusal("@attribute a numeric\n@attribute y numeric\n1,2\n").contains("line 3: `1,2` is not an @relation"));
    assert!(
        refusal("@attribute a numeric\n@attribute y numeric\n@data\n{0 1, 1 2}\n")
            .contains("line 4: sparse rows in braces are not supported")
    );
    assert!(
        refusal("@attribute a numeric\n@attribute a numeric\n@data\n1,2\n")
            .contains("columns 1 and 2 are both named `a`")
    );
    assert!(refusal("@attribute a numeric\n").contains("no rows of data"));
    assert!(
        refusal("@attribute a numeric\n@attribute y numeric\n@data\n1,2\n%\n\n3\n")
            .contains("line 7: 1 fields, 2 expected")
    );
}

/// In parts a file is what it is as a whole: levels and labels that are known, and names of rows.
#[test]
fn parts_of_a_table() {
    let rows: String =
        (0..200_000).map(|i| format!("r{i},{},{i},{}\n", ["low", "high"][i % 2], ["no", "yes"][i / 3 % 2])).collect();
    let text = format!("name,level,x,y\n{rows}");
    let options = ReadOptions {
        words: true,
        index: Some("name".into()),
        categorical: words(&["level"]),
        categories: vec![Categories { column: "level".into(), levels: words(&["high", "low"]) }],
        ..ReadOptions::default()
    };
    let (mut labels, mut names, mut high) = (Vec::new(), Vec::new(), Vec::new());
    let parts = with("t.csv", &text, |path| {
        let mut parts = 0;
        stream(path, &options, |part| {
            parts += 1;
            let mut row = vec![0.0; 3];
            for i in 0..part.rows() {
                labels.push(part.label(i).to_string());
                part.features.dense_row(i, &mut row);
                high.push(row[0]);
            }
            names.extend(part.row_names.unwrap_or_default());
            Ok::<(), DataError>(())
        })
        .unwrap();
        parts
    });
    assert!(parts > 1 && labels.len() == 200_000);
    for i in 0..200_000 {
        assert_eq!((labels[i].as_str(), names[i].as_str()), (["no", "yes"][i / 3 % 2], format!("r{i}").as_str()));
        assert_eq!(high[i], (i % 2) as f64);
    }
}
