"""Writes mixtures.csv: two classes, one of them bimodal, as in Figure 4 of Bach, Heckerman and Horvitz (2006).

The paper shows its densities and does not print them. Here 1,000 rows of each class: the class -1 is one cloud around (0, 0); of the
class +1 three rows in four lie around (2, 0.5) and one in four around (-0.5, 3).
"""

import random

random.seed(4)
modes = {-1: [(1.0, 0.0, 0.0, 1.0)], 1: [(0.75, 2.0, 0.5, 0.8), (0.25, -0.5, 3.0, 0.5)]}
with open("mixtures.csv", "w") as file:
    file.write("x1,x2,y\n")
    for label, parts in modes.items():
        for _ in range(1000):
            _, x, y, scale = random.choices(parts, [part[0] for part in parts])[0]
            file.write(f"{random.gauss(x, scale):.6f},{random.gauss(y, scale):.6f},{label}\n")
