//! Critical regions as a program in C: the solution at a point by a search tree, without this library.
//!
//! The program is one file of C99 that includes nothing but `math.h`. It consists of constant tables and one function, which uses a few numbers on the stack,
//! and no recursion. Its loops are bounded by the depth of the tree and the sides of the cells of one leaf. It computes what [`Regions::at`] computes, with the
//! same numbers in the same order (Tøndel, Johansen and Bemporad 2003, doi:10.1016/S0005-1098(02)00308-4).
//!
//! *Tables.* Each half-space is stored once, however many nodes and cells have it, and so is each law: critical regions that differ only after the first inputs
//! have the same law of these.

use pathqp::regions::{Regions, Search, SearchNode, Side};
use std::collections::HashMap;
use std::fmt::Write;

/// Rows of numbers, equal ones once.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<f64>>,
    numbers: HashMap<Vec<u64>, usize>,
}

impl Table {
    /// The number of a row.
    fn add(&mut self, row: Vec<f64>) -> usize {
        let bits = row.iter().map(|v| v.to_bits()).collect();
        let next = self.rows.len();
        let number = *self.numbers.entry(bits).or_insert(next);
        if number == next {
            self.rows.push(row);
        }
        number
    }

    fn add_side(&mut self, (normal, offset): &Side) -> usize {
        self.add([normal.as_slice(), &[*offset]].concat())
    }
}

/// A name that C takes, from any text.
fn identifier(name: &str) -> String {
    let mut name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

/// One row of an initialiser. Rust's shortest digits are read back as the same number.
fn row(values: &[impl std::fmt::LowerExp]) -> String {
    values.iter().map(|v| format!("{v:e}")).collect::<Vec<_>>().join(", ")
}

/// `static const double NAME[…][…] = { … };`
fn numbers(text: &mut String, name: &str, rows: &[Vec<f64>]) {
    let (count, width) = (rows.len(), rows.first().map_or(0, Vec::len));
    let rows: Vec<String> = rows.iter().map(|values| format!("    {{{}}}", row(values))).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "static const double {name}[{count}][{width}] = {{\n{}\n}};", rows.join(",\n"));
}

/// `static const long NAME[…][…] = { … };`
fn indices<const N: usize>(text: &mut String, name: &str, rows: &[[i64; N]]) {
    let list = |row: &[i64; N]| format!("    {{{}}}", row.map(|v| v.to_string()).join(", "));
    let lines: Vec<String> = rows.iter().map(list).collect();
    let _ = writeln!(text, "static const long {name}[{}][{N}] = {{\n{}\n}};", rows.len(), lines.join(",\n"));
}

/// The C program that computes the first `outputs` variables of the solution at a point.
///
/// Its function `int NAME_control(const double state[p], double input[outputs])` returns the number of the cell, −1 for a point outside the domain, and −2
/// where no cell is (there is no solution, or none was found because the map is not complete). If the number is negative, `input` is not changed.
pub fn controller(name: &str, regions: &Regions, outputs: usize) -> String {
    let search = regions.search(outputs);
    let (p, outputs) = (search.middle.len(), search.cells.first().map_or(0, |cell| cell.law.len()));
    let (mut planes, mut laws) = (Table::default(), Table::default());
    let (mut nodes, mut leaves, mut sides, mut cells, mut corners) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for node in &search.nodes {
        nodes.push(match node {
            SearchNode::Split(plane, [inside, outside]) => {
                [planes.add_side(plane) as i64, *inside as i64, *outside as i64]
            }
            SearchNode::Leaf(own) => {
                let first = leaves.len() as i64;
                leaves.extend(own.iter().map(|cell| [i64::from(*cell)]));
                [-1, first, own.len() as i64]
            }
        });
    }
    for cell in &search.cells {
        let first = sides.len() as i64;
        sides.extend(cell.sides.iter().map(|side| [planes.add_side(side) as i64]));
        let law = laws.add([cell.anchor.as_slice(), &cell.law.concat()].concat()) as i64;
        cells.push([first, cell.sides.len() as i64, law]);
        corners.push(cell.corners.concat());
    }
    // C has no arrays without entries.
    leaves.extend(leaves.is_empty().then_some([0]));
    planes.rows.extend(planes.rows.is_empty().then(|| vec![0.0; p + 1]));
    let mut text = head(&identifier(name), &search, (p, outputs));
    numbers(&mut text, "DOMAIN", &[search.middle, search.half]);
    numbers(&mut text, "PLANES", &planes.rows);
    numbers(&mut text, "LAWS", &laws.rows);
    numbers(&mut text, "CORNERS", &corners);
    text += "/* A plane with the nodes inside and outside of it; or -1 with the first of its leaf's cells and their number. */\n";
    indices(&mut text, "NODES", &nodes);
    indices(&mut text, "LEAVES", &leaves);
    text += "/* The first of its sides, their number, and its law. */\n";
    indices(&mut text, "CELLS", &cells);
    indices(&mut text, "SIDES", &sides);
    text += &BODY.replace("NAME", &identifier(name));
    text
}

/// What stands above the tables.
fn head(name: &str, search: &Search, (p, outputs): (usize, usize)) -> String {
    let (cells, nodes) = (search.cells.len(), search.nodes.len());
    let within = format!("{:e}", search.within);
    let wall = format!("{:e}", search.wall);
    format!(
        "/* An explicit controller made by pathqp {version}: {cells} critical regions, {nodes} nodes.

   int {name}_control(const double state[{p}], double input[{outputs}]);

   It returns the number of the region (from 0), -1 for a state outside of the domain, and -2 where there is
   no region: no solution, or none that the map has if it is not complete; then input is left as it is. C99; nothing but the tables below and the stack is used. */

#include <math.h>

#define STATES {p}
#define INPUTS {outputs}
/* A point no further outside of a side than this is inside; all lengths are in units of half the domain. */
#define WITHIN {within}
#define WALL {wall}

",
        version = env!("CARGO_PKG_VERSION"),
    )
}

/// The search, in C.
const BODY: &str = r"
static double excess(long plane, const double *xi)
{
    double sum = 0.0;
    for (int k = 0; k < STATES; k++) sum += PLANES[plane][k] * xi[k];
    return sum - PLANES[plane][STATES];
}

int NAME_control(const double state[STATES], double input[INPUTS])
{
    double xi[STATES];
    for (int k = 0; k < STATES; k++) {
        xi[k] = (state[k] - DOMAIN[0][k]) / DOMAIN[1][k];
        /* False for what is no number, too. */
        if (!(fabs(xi[k]) <= WALL)) return -1;
    }
    long node = 0;
    while (NODES[node][0] >= 0) node = NODES[node][excess(NODES[node][0], xi) <= 0.0 ? 1 : 2];
    long best = -1;
    double least = WITHIN;
    for (long leaf = NODES[node][1]; leaf < NODES[node][1] + NODES[node][2]; leaf++) {
        const long cell = LEAVES[leaf][0];
        int near = 1;
        for (int k = 0; k < STATES; k++)
            near = near && xi[k] >= CORNERS[cell][k] - WITHIN && xi[k] <= CORNERS[cell][STATES + k] + WITHIN;
        if (!near) continue;
        double most = -HUGE_VAL;
        for (long side = CELLS[cell][0]; side < CELLS[cell][0] + CELLS[cell][1]; side++)
            most = fmax(most, excess(SIDES[side][0], xi));
        if (best < 0 ? most <= least : most < least) {
            best = cell;
            least = most;
        }
    }
    if (best < 0) return -2;
    const double *law = LAWS[CELLS[best][2]];
    for (int i = 0; i < INPUTS; i++) {
        const double *own = law + STATES + i * (STATES + 1);
        double sum = 0.0;
        for (int k = 0; k < STATES; k++) sum += own[1 + k] * ((state[k] - law[k]) / DOMAIN[1][k]);
        input[i] = own[0] + sum;
    }
    return (int)best;
}
";
