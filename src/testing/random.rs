//! Random numbers from a seed, so that a failure can be reproduced.

/// A generator of random numbers: SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2714064.2660195). The field is its state, at first the seed.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number uniform on [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number uniform on [from, to).
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// An integer uniform on 0, …, n − 1; zero for n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }

    /// An integer uniform on −k, …, k.
    pub fn integer(&mut self, k: usize) -> f64 {
        self.below(2 * k + 1) as f64 - k as f64
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A number that is approximately standard normal: the sum of twelve uniform ones, less six.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// The numbers 0, …, n − 1 in random order.
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_splitmix64() {
        // The first two outputs of the published generator for the seed 1234567.
        let mut random = Random(1_234_567);
        assert_eq!([random.bits(), random.bits()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn numbers_lie_where_they_should() {
        let mut random = Random(1);
        let (mut sum, mut square) = (0.0, 0.0);
        for _ in 0..10_000 {
            let value = random.normal();
            (sum, square) = (sum + value, square + value * value);
            assert!((-2.0..3.0).contains(&random.between(-2.0, 3.0)));
            assert!(random.integer(2).abs() <= 2.0);
        }
        assert!((sum / 1e4).abs() < 0.05 && (square / 1e4 - 1.0).abs() < 0.06, "{sum} {square}");
        let mut order = random.order(20);
        order.sort_unstable();
        assert_eq!(order, (0..20).collect::<Vec<_>>());
        assert_eq!([random.below(1), random.below(0)], [0, 0]);
    }
}
