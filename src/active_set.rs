//! Which bound holds each variable.

/// The status of a variable: at its lower bound, free, or at its upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Status {
    /// xᵢ = lᵢ, so zᵢ ≥ 0.
    Lower,
    /// zᵢ = 0.
    Free,
    /// xᵢ = uᵢ, so zᵢ ≤ 0.
    Upper,
}

impl Status {
    /// The sign that zᵢ may have: +1 at the lower bound, −1 at the upper, 0 if free. It is also the direction from the bound into the box.
    pub fn sign(self) -> i64 {
        match self {
            Status::Lower => 1,
            Status::Free => 0,
            Status::Upper => -1,
        }
    }

    /// The opposite bound; `Free` stays `Free`.
    pub fn opposite(self) -> Status {
        match self {
            Status::Lower => Status::Upper,
            Status::Free => Status::Free,
            Status::Upper => Status::Lower,
        }
    }
}

/// A set of indices below n with insertion, removal and membership in O(1).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct IndexSet {
    members: Vec<usize>,
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl IndexSet {
    pub fn new(n: usize) -> Self {
        IndexSet { members: Vec::new(), place: vec![ABSENT; n] }
    }

    /// Whether its parts (read from somewhere) are those of a set of indices below n.
    pub fn is_sound(&self, n: usize) -> bool {
        let in_place = |(k, &i): (usize, &usize)| self.place.get(i) == Some(&(k as u32));
        let present = self.place.iter().filter(|p| **p != ABSENT).count();
        self.place.len() == n && present == self.members.len() && self.members.iter().enumerate().all(in_place)
    }

    pub fn contains(&self, i: usize) -> bool {
        self.place[i] != ABSENT
    }

    pub fn members(&self) -> &[usize] {
        &self.members
    }

    pub fn insert(&mut self, i: usize) {
        if !self.contains(i) {
            self.place[i] = self.members.len() as u32;
            self.members.push(i);
        }
    }

    pub fn remove(&mut self, i: usize) {
        let place = self.place[i];
        if place == ABSENT {
            return;
        }
        self.place[i] = ABSENT;
        self.members.swap_remove(place as usize);
        if let Some(&moved) = self.members.get(place as usize) {
            self.place[moved] = place;
        }
    }
}

/// A 64-bit key of (index, code), for fingerprints that are updated by exclusive or (Zobrist 1970; the mixing function
/// is Stafford's variant 13 of MurmurHash3's finaliser).
pub(crate) fn key(index: usize, code: u64) -> u64 {
    let mut z = (index as u64).wrapping_mul(4).wrapping_add(code).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_set_agrees_with_a_plain_list() {
        let mut set = IndexSet::new(50);
        let mut list: Vec<usize> = Vec::new();
        for k in 0..2000usize {
            let i = (key(k, 0) % 50) as usize;
            if key(k, 1).is_multiple_of(2) {
                set.insert(i);
                if !list.contains(&i) {
                    list.push(i);
                }
            } else {
                set.remove(i);
                list.retain(|&j| j != i);
            }
            let mut a = set.members().to_vec();
            a.sort_unstable();
            list.sort_unstable();
            assert_eq!(a, list);
        }
    }
}
