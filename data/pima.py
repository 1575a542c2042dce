"""Makes pima.csv from the R package mlbench: see README.md.

    apt-get download r-cran-mlbench && dpkg -x r-cran-mlbench_*.deb mlbench && pip install rdata
    python3 pima.py mlbench/usr/lib/R/site-library/mlbench/data/PimaIndiansDiabetes.rda > pima.csv
"""

import sys

import rdata

LABELS = {"neg": "0", "pos": "1"}


def number(value):
    """The shortest text that reads back as the same number."""
    return str(int(value)) if value == int(value) else repr(float(value))


table = rdata.read_rda(sys.argv[1])["PimaIndiansDiabetes"]
print(",".join(table.columns))
for *features, label in table.itertuples(index=False):
    print(",".join([*map(number, features), LABELS[label]]))
