//! scratch
mod common;
use common::instances::*;
use common::random::Random;
use common::*;
use pathqp::*;
fn show(spec: &Spec<f64>, form: Form, back: bool) {
    let line = spec.line(form, back);
    let path = match pathqp::trace(&line, &Start::Anywhere, &Settings::default(), &mut ()) {
        Ok(p) => p,
        Err(f) => {
            println!("{form:?} back {back}: {f:?}");
            return;
        }
    };
    println!("== {form:?} back {back}: stop {:?}", path.stop());
    for (k, s) in path.segments().iter().enumerate() {
        let next = path.segments().get(k + 1).map_or(path.end().clone(), |n| n.t.clone());
        let t = (s.t + next) / 2.0;
        let p = path.law_at(k, &t).unwrap();
        let theta = line.parameter(&t)[0];
        let z = kkt::prices(&spec, &theta, &p.x, &p.y);
        let place = if back { spec.to - s.t } else { s.t };
        println!(
            "θ {:.16e} {} float {} y {:.3e} free {:?} status {:?} z {}",
            place,
            if s.breakpoint { "BP" } else { "--" },
            s.floating,
            p.y,
            path.free_on(k),
            path.status_on(k).iter().map(|s| format!("{s:?}").chars().next().unwrap()).collect::<String>(),
            z.iter().map(|b| format!("{b:.1e}")).collect::<Vec<_>>().join(" ")
        );
    }
}
#[test]
fn dbg() {
    let seed: u64 = std::env::var("SEED").unwrap().parse().unwrap();
    let kind = std::env::var("KIND").unwrap_or_default();
    let max: usize = std::env::var("MAX").map_or(8, |m| m.parse().unwrap());
    let random = &mut Random(seed);
    let z = ROWS[random.below(ROWS.len())];
    let k = KINDS[random.below(KINDS.len())];
    let n = 1 + random.below(max);
    let mut spec = instance(z, k, n, random);
    if kind == "near" {
        let size = [1e-4, 1e-7, 1e-10][random.below(3)];
        shake(&mut spec, size, random);
    }
    if kind == "units" {
        let mut unit = || 10f64.powi(random.below(17) as i32 - 8);
        let units = (unit(), unit(), unit(), unit());
        println!("{units:?}");
        spec = scaled(&spec, units);
    }
    println!("{z:?} {k:?} {spec:?}");
    show(&spec, Form::Gram, false);
    show(&spec, Form::Dense, false);
    show(&spec, Form::Gram, true);
}
#[test]
fn scan() {
    let mut best: Option<(usize, String)> = None;
    for seed in 0..20000u64 {
        let random = &mut Random(seed);
        let z = ROWS[random.below(ROWS.len())];
        let n = 2 + random.below(4);
        let mut spec = instance(z, Kind::Costs, n, random);
        if random.chance(0.5) {
            shake(&mut spec, 1e-4, random);
        }
        if best.as_ref().is_some_and(|b| b.0 <= n) {
            continue;
        }
        for (form, back) in [(Form::Gram, false), (Form::Dense, false), (Form::Gram, true), (Form::Dense, true)] {
            let line = spec.line(form, back);
            let Ok(path) = follow(&line) else { continue };
            for (k, s) in path.segments().iter().enumerate() {
                let next = path.segments().get(k + 1).map_or(path.end().clone(), |n| n.t.clone());
                if next - s.t < 1e-3 || s.t < 1e-6 {
                    continue;
                }
                for &i in path.free_on(k) {
                    let i = i as usize;
                    let idle = [0.25, 0.75].iter().all(|p| {
                        let t = s.t + p * (next - s.t);
                        let x = path.law_at(k, &t).unwrap().x[i];
                        let th = line.parameter(&t)[0];
                        x.abs() < 1e-12 * spec.upper(i, &th).unwrap()
                            || (x - spec.upper(i, &th).unwrap()).abs() < 1e-12 * spec.upper(i, &th).unwrap()
                    });
                    if idle && best.as_ref().is_none_or(|b| n < b.0) {
                        best = Some((
                            n,
                            format!(
                                "seed {seed} {z:?} {form:?} back {back} index {i} segment {k} from {} to {next}\n{spec:?}",
                                s.t
                            ),
                        ));
                        println!("{:?}", best);
                        show(&spec, form, back);
                    }
                }
            }
        }
    }
}
