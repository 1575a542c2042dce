mod common;
use common::dense;
use pathqp::complex::{Options, RegionId, explore};
use pathqp::{Range, Settings, Start};
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::{Adapter, Bias};
use std::sync::Arc;
#[test]
fn scratch() {
    for (x, y) in
        [(vec![0.0, 1.0, -2.0, -2.0], vec![2.0, 0.0, 2.0, 2.0]), (vec![-1.0, 0.0, 0.0], vec![0.0, -2.0, -2.0])]
    {
        let rows: Vec<Vec<f64>> = x.iter().map(|x| vec![*x]).collect();
        for chart in [Chart::Penalty, Chart::Cost] {
            for kernel in ["linear", "rbf:0.5"] {
                for low in [0.0, 0.01] {
                    let svr = Svr::new(
                        Arc::new(dense(&rows)),
                        y.clone(),
                        None,
                        kernel.parse().unwrap(),
                        Bias::Intercept,
                        chart,
                    )
                    .unwrap();
                    let ranges = if chart == Chart::Cost { [[0.0, 3.0], [low, 2.5]] } else { [[0.3, 5.0], [low, 3.0]] };
                    let settings = Settings::default();
                    let qp = svr.qp(&settings).unwrap().within(ranges.map(|[a, b]| Range::new(a, b)).into()).unwrap();
                    for (k, point) in [
                        ranges.map(|[from, to]| from + 0.4 * (to - from)),
                        ranges.map(|[from, to]| from + 0.7123 * (to - from)),
                    ]
                    .into_iter()
                    .enumerate()
                    {
                        for anywhere in [false, true] {
                            let start = if anywhere { Start::Anywhere } else { svr.start(&qp, &point, &settings) };
                            let scale = ranges.map(|[from, to]| to - from);
                            match explore(
                                &qp,
                                &Options { point: Some(point), start, settings: settings.clone(), scale },
                            ) {
                                Ok(c) => {
                                    println!(
                                        "{x:?} {chart:?} {kernel} low {low} {k} {anywhere}: regions {} covered {} holes {}",
                                        c.regions().len(),
                                        c.covered(),
                                        c.holes()
                                    );
                                    if (c.covered() - 1.0).abs() > 1e-9 && !anywhere && k == 0 {
                                        for (r, region) in c.regions().iter().enumerate() {
                                            println!(
                                                "   {r} {:?} unique {} floating {} area {:?} {:?}",
                                                region.status(),
                                                region.is_unique(),
                                                region.is_floating(),
                                                c.area(RegionId(r as u32)),
                                                c.corners(RegionId(r as u32))
                                                    .unwrap()
                                                    .iter()
                                                    .map(|p| p.0)
                                                    .collect::<Vec<_>>()
                                            );
                                        }
                                    }
                                }
                                Err(e) => println!("{x:?} {chart:?} {kernel} low {low} {k} {anywhere}: {e}"),
                            }
                        }
                    }
                }
            }
        }
    }
}
