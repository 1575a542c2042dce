"""Critical regions of controllers and programs, and controllers at work."""

import pickle
import shutil
import subprocess

import numpy as np
import pytest
from scipy.optimize import minimize

from pathqp import CriticalRegions, InputError, ModelPredictiveControl, ParametricQP, PathError

PLANT = {
    "A": [[1, 1], [0, 1]],
    "B": [[0.5], [1]],
    "Q": np.eye(2),
    "R": [[0.5]],
    "horizon": 4,
    "lower": [-1],
    "upper": [1],
}
BOUNDED = {**PLANT, "x_min": [-5, -2], "x_max": [5, 2], "C": [[1, 1]], "y_max": [5], "du_max": [1.5]}


def inputs_of_slsqp(plant, state):
    """The inputs that SLSQP finds, from the definition."""
    A, B, Q, R = (np.array(plant[name], dtype=float) for name in "ABQR")

    def states(u):
        x, found = np.array(state, dtype=float), []
        for v in u.reshape(-1, B.shape[1]):
            x = A @ x + B @ v
            found.append(x)
        return np.array(found)

    def cost(u):
        return sum(x @ Q @ x for x in states(u)) + sum(v @ R @ v for v in u.reshape(-1, B.shape[1]))

    def room(u):
        x = states(u)
        du = np.diff(u)
        return np.concatenate([(x + [5, 2]).ravel(), ([5, 2] - x).ravel(), 5 - x.sum(axis=1), 1.5 - du, 1.5 + du])

    options = {"ftol": 1e-14, "maxiter": 500}
    rows = {"type": "ineq", "fun": room}
    n = plant["horizon"] * B.shape[1]
    return minimize(cost, np.zeros(n), bounds=[(-1, 1)] * n, constraints=rows, method="SLSQP", options=options)


def test_regions_are_those_of_single_problems():
    control = ModelPredictiveControl(**BOUNDED)
    regions = control.regions([[-6, 6], [-3, 3]])
    assert isinstance(regions, CriticalRegions) and regions.complete and len(regions) > 10
    coverage = regions.coverage(2000)
    assert coverage.uncovered == 0 and coverage.infeasible > 0 and sum(coverage) == 2000
    assert regions.certificate().holds
    generator = np.random.default_rng(0)
    compared = 0
    for state in generator.uniform([-4, -2], [4, 2], (40, 2)):
        if regions.locate(state) is None:
            with pytest.raises(InputError, match="no solution"):
                regions.at(state)
            with pytest.raises(PathError):
                control.control(state)
            continue
        found, other = regions.at(state), inputs_of_slsqp(BOUNDED, state)
        if other.success:
            compared += 1
            np.testing.assert_allclose(found.inputs.ravel(), other.x, atol=1e-5)
        np.testing.assert_allclose(found.inputs, control.control(state).inputs, atol=1e-12)
        (cell,) = {number for number, G, g in regions.cells if (G @ state <= g + 1e-9).all()} & {found.region}
        assert cell == regions.locate(state)
    assert compared > 20
    again = pickle.loads(pickle.dumps(regions))
    assert again.at([1.0, 0.5]).cost == regions.at([1.0, 0.5]).cost and repr(again) == repr(regions)
    assert "x1" in regions._repr_html_()


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler of C")
def test_the_program_in_c(tmp_path):
    regions = ModelPredictiveControl(**BOUNDED).regions([[-6, 6], [-3, 3]])
    (tmp_path / "controller.c").write_text(regions.c_source("plant"))
    library = tmp_path / "controller.so"
    subprocess.run(["cc", "-std=c99", "-O2", "-shared", "-fPIC", tmp_path / "controller.c", "-lm", "-o", library], check=True)
    ctypes = pytest.importorskip("ctypes")
    control = ctypes.CDLL(str(library)).plant_control
    for state in np.random.default_rng(1).uniform([-6, -3], [6, 3], (300, 2)):
        given, found = (ctypes.c_double * 2)(*state), (ctypes.c_double * 1)()
        if control(given, found) >= 0:
            assert abs(found[0] - regions.at(state).inputs[0, 0]) <= 1e-12
        else:
            assert regions.locate(state) is None


def test_soft_bounds_and_a_terminal_set():
    ends = {"terminal": [[1, 1], [-1, -1]], "terminal_max": [0.5, 0.5]}
    hard, soft = (ModelPredictiveControl(**BOUNDED, **ends, soft=soft) for soft in (None, 1e4))
    state = [2.0, -0.5]
    found = hard.control(state)
    assert abs(found.states[-1].sum()) <= 0.5 + 1e-12
    np.testing.assert_allclose(soft.control(state).inputs, found.inputs, atol=1e-9)
    assert soft.control(state).slack == 0
    with pytest.raises(PathError):
        hard.control([5.0, 2.0])
    assert soft.control([5.0, 2.0]).slack > 0.1


def test_a_simulation_is_the_plant_under_its_controller():
    control = ModelPredictiveControl(**BOUNDED)
    disturbance = np.random.default_rng(2).uniform(-0.1, 0.1, (20, 2))
    run = control.simulate([3.0, 0.5], 20, disturbance)
    assert run.states.shape == (21, 2) and run.inputs.shape == (20, 1) and run.costs.shape == (20,)
    A, B = np.array(PLANT["A"]), np.array(PLANT["B"])
    for k in range(20):
        best = control.control(run.states[k])
        assert run.inputs[k] == best.inputs[0] and run.costs[k] == best.cost
        np.testing.assert_array_equal(run.states[k + 1], A @ run.states[k] + B @ run.inputs[k] + disturbance[k])
    calm = control.simulate([3.0, 0.5], 60)
    assert np.abs(calm.states[-1]).max() < 1e-6 and (np.diff(calm.costs) <= 1e-12).all()
    assert control.simulate([3.0, 0.5], 0).inputs.shape == (0, 1)
    with pytest.raises(InputError, match="disturbance"):
        control.simulate([3.0, 0.5], 3, disturbance)


def test_programs_in_two_parameters():
    # The point of the triangle x >= 0, x1 + x2 <= 1 nearest to theta.
    c = ([0, 0], [-1, 0], [0, -1])
    triangle = ParametricQP(np.eye(2), c, A=[[1, 1]], row_upper=1, lower=0)
    regions = triangle.regions([[-2, 2], [-2, 2]])
    assert len(regions) == 7 and regions.coverage().uncovered == 0
    for theta in np.random.default_rng(3).uniform(-2, 2, (100, 2)):
        x = regions.at(theta).x
        shifted = theta - max(0.0, (np.maximum(theta, 0).sum() - 1) / 2)
        expected = np.maximum(theta, 0) if np.maximum(theta, 0).sum() <= 1 else np.clip(shifted, 0, 1)
        np.testing.assert_allclose(x, expected, atol=1e-12)
    with pytest.raises(InputError, match="2 parameters"):
        triangle.path()
    with pytest.raises(InputError, match="2 rates"):
        ParametricQP(np.eye(2), c, lower=(0, 1))
    single = ParametricQP(np.eye(2), ([0, 0], [-1, -2]), lower=0, upper=1)
    assert np.allclose(single.regions([[-1, 1]]).at([0.25]).x, single.path(-1, 1).at(0.25).x)


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ([[-1, 1]], "1 ranges; give 2"),
        ([[-1, 1], [1, -1]], "x2 from 1 to -1"),
        ([[-1, 1], [0, np.inf]], "the range of x2 needs both ends"),
        ([1, 2, 3], "domain has the shape"),
        ("abc", "domain must be"),
    ],
)
def test_domains_that_are_none(domain, message):
    with pytest.raises(InputError, match=message):
        ModelPredictiveControl(**PLANT).regions(domain)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"x_max": [1, 2, 3]}, "x_max has 3 entries: it must have 2"),
        ({"y_min": [0]}, "give C"),
        ({"terminal": [[1, 0]]}, "give terminal_max"),
        ({"terminal_max": [1]}, "give terminal"),
        ({"soft": 0.0, "x_max": [1, 1]}, "soft = 0.0"),
        ({"du_max": [np.nan]}, "du_max"),
    ],
)
def test_bounds_that_are_none(given, message):
    with pytest.raises(InputError, match=message):
        ModelPredictiveControl(**PLANT, **given).control([1.0, 0.0])


def test_bounds_that_are_infinite_are_none():
    free = {"lower": [-np.inf], "upper": [np.inf]}
    bounds = {"x_min": [-np.inf, -2], "x_max": [np.inf, 2], "du_max": [np.inf]}
    found = ModelPredictiveControl(**{**PLANT, **free}, **bounds).control([3.0, -1.5])
    # The same by bounds that are far away.
    far = {"lower": [-1e3], "upper": [1e3]}
    other = ModelPredictiveControl(**{**PLANT, **far}, x_min=[-1e3, -2], x_max=[1e3, 2]).control([3.0, -1.5])
    np.testing.assert_allclose(found.inputs, other.inputs, atol=1e-12)
    assert np.abs(found.states[1:, 1]).max() <= 2 + 1e-12 and found.kkt_residual < 1e-9
