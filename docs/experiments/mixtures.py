"""Writes mixtures.csv: two classes with two modes each, in the manner of Figure 4 of Bach, Heckerman and Horvitz (2006).

The paper shows its densities and does not print them. These are 1,000 rows of each class. One mode of each class lies beside one of the
other on the first axis; the second modes are clear of them, each on the other class's side of that axis.
"""

import random

random.seed(4)
# Share, centre and standard deviations of each mode.
modes = {
    -1: [(0.5, (-1.0, 0.0), (1.0, 0.3)), (0.5, (3.0, 3.0), (0.5, 0.5))],
    1: [(0.5, (1.0, 0.0), (1.0, 0.3)), (0.5, (-3.0, 2.0), (0.5, 0.5))],
}
with open("mixtures.csv", "w") as file:
    file.write("x1,x2,y\n")
    for label, parts in modes.items():
        for _ in range(1000):
            _, centre, scale = random.choices(parts, [part[0] for part in parts])[0]
            x, y = (random.gauss(c, s) for c, s in zip(centre, scale))
            file.write(f"{x:.6f},{y:.6f},{label}\n")
