//! Vertices of polyhedra in few dimensions, which answer most questions of a linear program.
//!
//! They are those of the cube, cut by one half-space after the other: vertices outside go, and every edge that leads outside leaves one on the plane. An edge
//! is a pair of vertices with p − 1 planes in common that no third vertex has all of (Fukuda and Prodon 1996, "Double description method revisited").
//!
//! Nothing that is concluded depends on these being all the vertices. A point is one of the polyhedron or not whatever led to it, and a largest value is proved:
//!
//! ```text
//! d = Σ λᵢ aᵢ + r,  λ ≥ 0      dᵀξ ≤ Σ λᵢbᵢ + Σ|rₖ|   for all ξ of the cube with aᵢᵀξ ≤ bᵢ
//! ```
//!
//! with aᵢ the normals of p planes through the vertex that lies furthest along d. For one choice of them r is rounding (the theorem of duality, and that of
//! Carathéodory). Where none is found, or there are too many vertices, a linear program is asked.

use super::polyhedron::{HalfSpace, SAME, along, dot};

/// There are no more vertices than this, …
const MOST: usize = 128;

/// … and no more planes through one of those that are looked at for a proof.
const THROUGH: usize = 10;

struct Vertex {
    point: Vec<f64>,
    /// The planes through it, ascending.
    on: Vec<usize>,
}

/// Vertices, and the half-spaces that they are of: the walls of the cube and then others.
pub(super) struct Vertices {
    planes: Vec<HalfSpace>,
    all: Vec<Vertex>,
}

/// Both lists are ascending.
fn contains(all: &[usize], some: &[usize]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.any(|other| other == one))
}

impl Vertices {
    /// Of the cube; none where it has too many.
    pub fn of_cube(p: usize) -> Option<Self> {
        let count = 1_usize.checked_shl(p as u32).filter(|count| *count <= MOST)?;
        let vertex = |number: usize| {
            let below = |k: usize| number >> k & 1;
            Vertex {
                point: (0..p).map(|k| if below(k) == 1 { -1.0 } else { 1.0 }).collect(),
                on: (0..p).map(|k| 2 * k + below(k)).collect(),
            }
        };
        Some(Vertices { planes: HalfSpace::walls(p).collect(), all: (0..count).map(vertex).collect() })
    }

    /// The vertices of the part in a half-space; none where there are too many, or no such part.
    pub fn cut(mut self, plane: &HalfSpace) -> Option<Self> {
        let number = self.planes.len();
        let excess: Vec<f64> = self.all.iter().map(|vertex| plane.excess(&vertex.point)).collect();
        let mut made = Vec::new();
        for (i, inside) in self.all.iter().enumerate().filter(|(i, _)| excess[*i] < -SAME) {
            for (j, outside) in self.all.iter().enumerate().filter(|(j, _)| excess[*j] > SAME) {
                let common = inside.on.iter().copied().filter(|k| outside.on.contains(k));
                if common.clone().count() + 1 < plane.normal.len() {
                    continue;
                }
                let mut on: Vec<usize> = common.collect();
                let third = |(k, other): (usize, &Vertex)| k != i && k != j && contains(&other.on, &on);
                if self.all.iter().enumerate().any(third) {
                    continue;
                }
                let towards = along(&outside.point, -1.0, &inside.point);
                let point = along(&inside.point, excess[i] / (excess[i] - excess[j]), &towards);
                on.push(number);
                made.push(Vertex { point, on });
            }
        }
        for (vertex, _) in self.all.iter_mut().zip(&excess).filter(|(_, excess)| excess.abs() <= SAME) {
            vertex.on.push(number);
        }
        let mut kept = excess.iter().map(|excess| *excess <= SAME);
        self.all.retain(|_| kept.next().unwrap_or(false));
        self.all.extend(made);
        self.planes.push(plane.clone());
        (1..=MOST).contains(&self.all.len()).then_some(self)
    }

    /// The mean of the vertices, or of those on a plane; none where none is.
    pub fn middle(&self, on: Option<usize>) -> Option<Vec<f64>> {
        let mut all = self.all.iter().filter(|vertex| on.is_none_or(|plane| vertex.on.contains(&plane)));
        let first = all.next()?.point.clone();
        let (sum, count) = all.fold((first, 1.0), |(sum, count), v| (along(&sum, 1.0, &v.point), count + 1.0));
        Some(sum.iter().map(|v| v / count).collect())
    }

    /// A plane is of no help any more.
    pub fn forget(&mut self, plane: usize) {
        self.all.iter_mut().for_each(|vertex| vertex.on.retain(|own| *own != plane));
    }

    /// The vertex that lies furthest in a direction, and the least proven bound of what is attained there: without the help of one of the planes.
    pub fn furthest(&self, d: &[f64], without: Option<usize>) -> Option<(&[f64], f64)> {
        let values = self.all.iter().map(|vertex| (vertex, dot(d, &vertex.point)));
        let (vertex, _) = values.reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        let on: Vec<&HalfSpace> = vertex.on.iter().filter(|k| Some(**k) != without).map(|k| &self.planes[*k]).collect();
        (on.len() <= THROUGH).then(|| (vertex.point.as_slice(), bound(&on, d)))
    }
}

/// The least bound of dᵀξ that p of some planes prove.
fn bound(planes: &[&HalfSpace], d: &[f64]) -> f64 {
    let chosen = (0_u32..1 << planes.len()).filter(|set| set.count_ones() as usize == d.len());
    let proved = chosen.filter_map(|set| {
        let own: Vec<&HalfSpace> = (0..planes.len()).filter(|k| set >> k & 1 == 1).map(|k| planes[k]).collect();
        let (mut rest, mut sum) = (d.to_vec(), 0.0);
        for (plane, weight) in own.iter().zip(weights(&own, d)?) {
            rest = along(&rest, -weight.max(0.0), &plane.normal);
            sum += weight.max(0.0) * plane.offset;
        }
        Some(sum + rest.iter().map(|r| r.abs()).sum::<f64>())
    });
    proved.fold(f64::INFINITY, f64::min)
}

/// λ with Σ λᵢaᵢ = d for p planes, by elimination; none where their normals depend on each other.
fn weights(planes: &[&HalfSpace], d: &[f64]) -> Option<Vec<f64>> {
    let p = d.len();
    let row = |k: usize| planes.iter().map(|plane| plane.normal.get(k).copied().unwrap_or(0.0)).chain([d[k]]).collect();
    let mut rows: Vec<Vec<f64>> = (0..p).map(row).collect();
    for k in 0..p {
        let most = (k..p).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()))?;
        rows.swap(k, most);
        let pivot = rows[k].clone();
        if pivot[k].abs() <= SAME {
            return None;
        }
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            *row = along(row, -row[k] / pivot[k], &pivot);
        }
    }
    Some((0..p).map(|k| rows[k][p] / rows[k][k]).collect())
}

#[cfg(test)]
mod tests {
    use super::{HalfSpace, Vertices};

    #[test]
    fn a_cube_without_a_corner() {
        let third = (1.0_f64 / 3.0).sqrt();
        let plane = HalfSpace { normal: vec![third; 3], offset: 2.0 * third };
        let cut = Vertices::of_cube(3).and_then(|cube| cube.cut(&plane)).expect("vertices");
        assert_eq!(cut.all.len(), 10);
        let (point, bound) = cut.furthest(&plane.normal, None).expect("a bound");
        assert!((bound - plane.offset).abs() < 1e-15 && plane.excess(point).abs() < 1e-15, "{point:?} {bound}");
        // Without the plane nothing but the walls is known, which do not hold it.
        let (_, bound) = cut.furthest(&plane.normal, Some(6)).expect("a bound");
        assert!(bound > plane.offset + 0.1, "{bound}");
        // Through the corners where it was cut already: nothing goes.
        let again = cut.cut(&HalfSpace { normal: vec![1.0, 0.0, 0.0], offset: 1.0 }).expect("vertices");
        assert_eq!(again.all.len(), 10);
        let middle = again.middle(Some(6)).expect("a side");
        assert!(plane.excess(&middle).abs() < 1e-15);
        assert!(again.cut(&HalfSpace { normal: vec![0.0, 0.0, 1.0], offset: -1.5 }).is_none());
    }
}
