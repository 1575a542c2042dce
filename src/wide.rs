//! Loops over `f64`, compiled for the widest vectors that the processor has.
//!
//! The same loops are compiled more than once and chosen between at run time, so that no flag is needed to have them.
//! Results do not depend on the choice: every sum is made of the same partial sums, added in the same order, and a
//! product is never fused with a sum, except in [`fused_error`], which is exact either way.

/// Defines a function that runs the given one, which has to be `#[inline(always)]`, compiled for the widest vectors.
/// (Closures and functions passed on as values would not be inlined.)
macro_rules! wide {
    ($name:ident<$a:lifetime> = $work:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?) => {
        fn $name<$a>($($argument: $kind),*) $(-> $result)? {
            struct Work<$a>($($kind,)* std::marker::PhantomData<&$a ()>);
            impl<$a> pulp::WithSimd for Work<$a> {
                type Output = wide!(@output $($result)?);
                #[inline(always)]
                fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
                    let Work($($argument,)* _) = self;
                    $work($($argument),*)
                }
            }
            pulp::Arch::new().dispatch(Work($($argument,)* std::marker::PhantomData))
        }
    };
    (@output) => { () };
    (@output $result:ty) => { $result };
}
pub(crate) use wide;

/// Σ xᵢyᵢ in eight partial sums.
#[inline(always)]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let tail: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xs.zip(ys) {
        for k in 0..8 {
            sum[k] += a[k] * b[k];
        }
    }
    ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + tail
}

/// (Σ xᵢyᵢ, Σ xᵢzᵢ), each as [`dot`] has it.
#[inline(always)]
pub(crate) fn dot_two(x: &[f64], y: &[f64], z: &[f64]) -> (f64, f64) {
    let (mut a, mut b) = ([0.0; 8], [0.0; 8]);
    let (xs, ys, zs) = (x.chunks_exact(8), y.chunks_exact(8), z.chunks_exact(8));
    let tail = |v: &[f64]| xs.remainder().iter().zip(v).map(|(x, v)| x * v).sum::<f64>();
    let tails = (tail(ys.remainder()), tail(zs.remainder()));
    for ((x, y), z) in xs.zip(ys).zip(zs) {
        for k in 0..8 {
            a[k] += x[k] * y[k];
            b[k] += x[k] * z[k];
        }
    }
    let sum = |s: [f64; 8]| ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
    (sum(a) + tails.0, sum(b) + tails.1)
}

/// y += a·x.
#[inline(always)]
pub(crate) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// v += a Σⱼ hⱼ·(column j), `columns` one after the other, each as long as v: in the order of j, four at a time.
#[inline(always)]
pub(crate) fn add_columns(a: f64, h: &[f64], columns: &[f64], v: &mut [f64]) {
    let d = v.len();
    if d == 0 {
        return;
    }
    let (fours, fives) = (h.chunks_exact(4), columns.chunks_exact(4 * d));
    let (last_h, last) = (fours.remainder(), &columns[h.len() / 4 * 4 * d..]);
    for (h, block) in fours.zip(fives) {
        let (first, rest) = block.split_at(d);
        let (second, rest) = rest.split_at(d);
        let (third, fourth) = rest.split_at(d);
        let c = [a * h[0], a * h[1], a * h[2], a * h[3]];
        for ((((v, p), q), r), s) in v.iter_mut().zip(first).zip(second).zip(third).zip(fourth) {
            *v = (((*v + c[0] * p) + c[1] * q) + c[2] * r) + c[3] * s;
        }
    }
    for (h, column) in last_h.iter().zip(last.chunks_exact(d)) {
        axpy(a * h, column, v);
    }
}

/// The rounding error of a product by one fused instruction; where the processor has none this is slow.
#[inline(always)]
pub(crate) fn fused_error(a: f64, b: f64, product: f64) -> f64 {
    a.mul_add(b, -product)
}

/// The same by Veltkamp's split (Dekker 1971, doi:10.1007/BF01397083); left out where that overflows.
#[inline(always)]
pub(crate) fn split_error(a: f64, b: f64, product: f64) -> f64 {
    const SPLIT: f64 = 134_217_729.0; // 2²⁷ + 1
    let split = |v: f64| {
        let t = SPLIT * v;
        let high = t - (t - v);
        (high, v - high)
    };
    let ((ah, al), (bh, bl)) = (split(a), split(b));
    let error = ((ah * bh - product) + ah * bl + al * bh) + al * bl;
    if error.is_finite() { error } else { 0.0 }
}

/// hi + lo += a·b, with the rounding error of the product (by `error`) and of the sum (Knuth's two-sum) kept in lo.
#[inline(always)]
pub(crate) fn accumulate(error: impl Fn(f64, f64, f64) -> f64, (hi, lo): (&mut f64, &mut f64), a: f64, b: f64) {
    let product = a * b;
    let error = error(a, b, product);
    let sum = *hi + product;
    let back = sum - *hi;
    *lo += ((*hi - (sum - back)) + (product - back)) + error;
    *hi = sum;
}

/// Work that needs the errors of many products.
pub(crate) trait Products {
    /// Done with one of the two error functions, inlined.
    fn run(self, error: impl Fn(f64, f64, f64) -> f64 + Copy);
}

/// Runs it with the faster of [`fused_error`] and [`split_error`], which agree unless the split overflows.
pub(crate) fn with_errors(work: impl Products) {
    struct Chosen<P>(P);
    impl<P: Products> pulp::WithSimd for Chosen<P> {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) {
            // Vectors of four numbers come with the fused instruction.
            if S::F64_LANES >= 4 { self.0.run(fused_error) } else { self.0.run(split_error) }
        }
    }
    pulp::Arch::new().dispatch(Chosen(work));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::active_set::key;

    wide!(wide_dot<'a> = dot(x: &'a [f64], y: &'a [f64]) -> f64);
    wide!(wide_add<'a> = add_columns(a: f64, h: &'a [f64], columns: &'a [f64], v: &'a mut [f64]));

    fn number(i: u64) -> f64 {
        (key(3, i) as f64 / 2f64.powi(64) - 0.5) * 2f64.powi((key(4, i) % 40) as i32)
    }

    fn numbers(from: u64, n: usize) -> Vec<f64> {
        (0..n as u64).map(|i| number(from + i)).collect()
    }

    #[test]
    fn wide_loops_give_the_same_bits_as_plain_ones() {
        for n in 0..70 {
            let (x, y) = (numbers(0, n), numbers(100, n));
            assert_eq!(wide_dot(&x, &y).to_bits(), dot(&x, &y).to_bits());
            for k in 0..11 {
                let (h, columns) = (numbers(200, k), numbers(300, k * n));
                let (mut a, mut b) = (x.clone(), x.clone());
                wide_add(-1.0, &h, &columns, &mut a);
                for (j, h) in h.iter().enumerate() {
                    axpy(-h, &columns[j * n..(j + 1) * n], &mut b);
                }
                assert_eq!(a, b);
            }
        }
    }

    #[test]
    fn both_errors_are_exact() {
        struct Compare;
        impl Products for Compare {
            #[inline(always)]
            fn run(self, error: impl Fn(f64, f64, f64) -> f64 + Copy) {
                for i in 0..1000 {
                    let (a, b) = (number(i), number(i + 1000));
                    assert_eq!(error(a, b, a * b), split_error(a, b, a * b));
                    assert_eq!(fused_error(a, b, a * b), split_error(a, b, a * b));
                }
            }
        }
        with_errors(Compare);
    }
}
