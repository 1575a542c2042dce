import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import MinMaxScaler

ROOT = Path(os.environ.get("PATHQP_ROOT", Path(__file__).resolve().parents[2]))


@pytest.fixture(scope="session")
def cancer():
    """Breast cancer, scaled to [0, 1]."""
    data = load_breast_cancer()
    return MinMaxScaler().fit_transform(data.data), data.target


@pytest.fixture(scope="session")
def curve():
    """Sixty points of a sine with noise."""
    random = np.random.default_rng(3)
    x = np.sort(random.uniform(0, 6, 60))
    return x[:, None], np.sin(x) + 0.3 * random.standard_normal(60)


@pytest.fixture(scope="session")
def command():
    """Runs the command line; skipped where it is not built."""
    binary = Path(os.environ.get("PATHQP_BINARY", ROOT / "target" / "release" / "pathqp"))
    if not binary.is_file():
        pytest.skip(f"there is no {binary}: build it with cargo build --release, or set PATHQP_BINARY")

    def run(*arguments):
        done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
