//! scratch
mod common;
use common::*;
use common::instances::*;
use common::random::Random;
use pathqp::*;
fn show(spec: &Spec<f64>, form: Form, back: bool) {
    let line = spec.line(form, back);
    let path = match pathqp::trace(&line, &Start::Anywhere, &Settings::default(), &mut ()) { Ok(p) => p, Err(f) => { println!("{form:?} back {back}: {f:?}"); return; } };
    println!("== {form:?} back {back}: stop {:?}", path.stop());
    for (k, s) in path.segments().iter().enumerate() {
        let next = path.segments().get(k+1).map_or(path.end().clone(), |n| n.t.clone());
        let t = (s.t + next)/2.0;
        let p = path.law_at(k, &t).unwrap();
        let theta = line.parameter(&t)[0];
        let z = kkt::prices(&spec,&theta,&p.x,&p.y);
        let place = if back { spec.to - s.t } else { s.t };
        println!("θ {:.16e} {} float {} y {:.3e} free {:?} status {:?} z {}", place, if s.breakpoint {"BP"} else {"--"}, s.floating, p.y, path.free_on(k), path.status_on(k).iter().map(|s| format!("{s:?}").chars().next().unwrap()).collect::<String>(), z.iter().map(|b|format!("{b:.1e}")).collect::<Vec<_>>().join(" "));
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
    if kind == "near" { let size = [1e-4, 1e-7, 1e-10][random.below(3)]; shake(&mut spec, size, random); }
    if kind == "units" { let mut unit = || 10f64.powi(random.below(17) as i32 - 8); let units = (unit(), unit(), unit(), unit()); println!("{units:?}"); spec = scaled(&spec, units); }
    println!("{z:?} {k:?} {spec:?}");
    show(&spec, Form::Gram, false);
    show(&spec, Form::Dense, false);
    show(&spec, Form::Gram, true);
}
