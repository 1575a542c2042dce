"""Drives the pages of `pathqp report` in headless Chromium: browser.py CHROMIUM PATHQP."""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from devtools import Browser

CHROMIUM, PROGRAM = sys.argv[1], str(Path(sys.argv[2]).resolve())
ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"
# What the page rounds to seven digits may differ by so much, relative to the size of what is compared.
CLOSE = 2e-6


CHECKS = 0


def check(what, found, expected, size=None):
    """Numbers that agree, or anything else that is equal."""
    global CHECKS
    CHECKS += 1
    if isinstance(expected, float):
        size = max(abs(expected), size or 0.0)
        good = found is not None and math.isfinite(found) and abs(found - expected) <= CLOSE * size + 1e-12
    else:
        good = found == expected
    if not good:
        raise SystemExit(f"browser test: {what}: {found!r}, expected {expected!r}")


def program(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"pathqp {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def page(name, kept, train, *more):
    program("report", kept, "--train", train, "--out", name, *more)
    size = Path(name).stat().st_size
    check(f"{name} is under 5 MB", size < 5_000_000, True)
    return size


def bars(browser):
    return browser.run("Object.fromEntries([...document.querySelectorAll('td.bar')].map((c) => [c.parentNode.cells[0].textContent, Number(c.parentNode.cells[1].dataset.value)]))")


def narrow(browser, name):
    """At 400 pixels nothing is wider than the window, and no label leaves its figure."""
    browser.call("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=False)
    browser.rest_frames()
    check(f"{name} fits in 400 pixels", browser.run("document.documentElement.scrollWidth <= 400"), True)
    browser.call("Emulation.clearDeviceMetricsOverride")
    browser.rest_frames()


def accessible(browser, name):
    names = browser.run("[...document.querySelectorAll('svg')].map((s) => !!(s.querySelector('title')?.textContent && s.querySelector('desc')?.textContent && s.getAttribute('role')))")
    check(f"{name}: every figure has a title, a description and a role", all(names) and len(names) > 0, True)
    check(f"{name}: every control has a name", browser.run("[...document.querySelectorAll('input,button')].every((c) => c.textContent || c.getAttribute('aria-label') || c.labels.length)"), True)


def speed(browser, name):
    """Milliseconds for moving the cursor and laying the page out again, at 200 places all along."""
    times = browser.run("""(() => { const t = []; for (let k = 0; k < 200; k++) {
        const s = pathqp.low + (pathqp.high - pathqp.low) * ((k * 0.618034) % 1), b = performance.now();
        pathqp.set(s); document.body.offsetHeight; t.push(performance.now() - b); } return t.sort((a, b) => a - b); })()""")
    print(f"  {name}: {times[100]:.1f} ms an update in the middle, {times[190]:.1f} ms at most in 95 of 100")
    check(f"{name}: an update takes less than a tenth of a second", times[190] < 100, True)


def path_page(browser, name, parameter, values):
    """What the page shows at some values, against `pathqp at`."""
    solutions = json.loads(program("at", f"{name}.path", "--param", ",".join(map(str, values)), "--json"))
    names = browser.run("JSON.parse(document.getElementById('data').textContent).f.names ?? null")
    # Seven digits of the largest weight on the path.
    size = max((abs(w) for at in solutions for w in at["w"] or []), default=0.0)
    for value, at in zip(values, solutions):
        browser.run(f"location.hash = '{parameter}={value}'")
        browser.rest_frames()
        where = f"{name} at {parameter} = {value}"
        check(f"{where}: the value", browser.cell("value"), float(value))
        check(f"{where}: the objective", browser.cell("objective"), at["objective"])
        check(f"{where}: free", browser.cell("free"), float(at["free"]))
        check(f"{where}: the residual passes", browser.cell("kkt") <= 1e-9, True)
        if at["w"] and names:
            for feature, weight in bars(browser).items():
                check(f"{where}: the weight of {feature}", weight, at["w"][names.index(feature)], size)
            check(f"{where}: the constant", browser.cell("constant"), at["intercept"])
    check(f"{name}: no error and no request", browser.errors(), [])


def drawn(browser, name, which):
    """How far, in pixels, the curves of a card lie off the columns that they stand for, at 500 places of the axis."""
    script = """((which) => {
        const data = DATA(), path = data.f ? new FunctionPath(data) : new Path(data);
        const chart = PANELS.find((c) => c.card.querySelector('h2').textContent === which);
        const curves = [...chart.below.querySelectorAll('path')].map((p) => [...p.getAttribute('d').matchAll(/[ML]([-0-9.]+),([-0-9.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]));
        const height = (points, x) => {
            const k = points.findIndex((p) => p[0] >= x);
            if (k <= 0) return points[Math.max(k, 0)][1];
            const [a, b] = [points[k - 1], points[k]];
            return b[0] > a[0] ? a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]) : b[1];
        };
        let worst = 0;
        for (let s = 1; s < 500; s++) {
            const at = path.at(path.scale.from(s / 500)), x = chart.X(at.v);
            for (const column of path.columns.slice(0, curves.length)) {
                const y = chart.Y(path.value(column, at));
                worst = Math.max(worst, Math.min(...curves.map((points) => Math.abs(height(points, x) - y))));
            }
        }
        return worst;
    })(%s)""" % json.dumps(which)
    worst = browser.run(script)
    check(f"{name}: the curves are where the solutions are, not {worst} pixels off", worst < 1.5, True)


def slider(browser, name):
    """The native range by keys and by mouse, and the keys for breakpoints."""
    read = "[pathqp.get(), document.getElementById('slider').getAttribute('aria-valuetext'), Number(document.getElementById('slider').value)]"
    browser.run("pathqp.set(pathqp.low); document.getElementById('slider').focus()")
    before = browser.run(read)
    browser.key("ArrowRight", 39)
    browser.rest_frames()
    after = browser.run(read)
    check(f"{name}: an arrow key moves the slider", after[0] > before[0] and after[2] == before[2] + 1, True)
    check(f"{name}: the slider says another value", after[1] != before[1] and after[1] != "", True)
    browser.key("End", 35)
    browser.rest_frames()
    check(f"{name}: End", browser.run("pathqp.get() === pathqp.high"), True)
    browser.run("pathqp.set(pathqp.values[3]); document.getElementById('slider').focus()")
    browser.key(".", 190, ".")
    check(f"{name}: the next breakpoint", browser.run("pathqp.get() === pathqp.values[4]"), True)
    browser.key(",", 188, ",")
    check(f"{name}: the one before", browser.run("pathqp.get() === pathqp.values[3]"), True)
    left, top, width, height = browser.run("(() => { const b = document.getElementById('slider').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
    y = top + height / 2
    browser.mouse("mousePressed", left + 0.2 * width, y)
    shown = []
    for k in range(20, 81, 5):
        browser.mouse("mouseMoved", left + k / 100 * width, y)
        browser.rest_frames()
        shown.append(browser.cell("value"))
    browser.mouse("mouseReleased", left + 0.8 * width, y)
    check(f"{name}: dragging moves the solution", shown == sorted(shown) and len(set(shown)) == len(shown), True)
    time.sleep(0.7)
    check(f"{name}: the live region speaks", "piece" in browser.run("document.getElementById('live').textContent"), True)


def pima(browser):
    train = ROOT / "data" / "pima.csv"
    lines = train.read_text().splitlines()
    Path("train.csv").write_text("\n".join(lines[:501]) + "\n")
    Path("test.csv").write_text("\n".join([lines[0], *lines[501:]]) + "\n")
    options = ["--lambda", "1e-3", "--bias", "augmented", "--scale", "minmax"]
    program("path", "quantile-svm", "--train", train, *options, "--out", "pima.path")
    size = page("pima.html", "pima.path", train)
    print(f"  pima: {size / 1e6:.2f} MB")
    browser.open("pima.html", "tau=0.25")
    check("the address sets the parameter", browser.cell("value"), 0.25)
    path_page(browser, "pima", "tau", [0.1, 0.3, 0.5, 0.618, 0.9])
    slider(browser, "pima")
    accessible(browser, "pima")
    narrow(browser, "pima")
    speed(browser, "pima")
    program("path", "quantile-svm", "--train", "train.csv", *options, "--out", "half.path")
    page("half.html", "half.path", "train.csv", "--test", "test.csv")
    browser.open("half.html", "tau=0.4")
    rows = [list(map(float, line.split(","))) for line in program("predict", "half.path", "--data", "test.csv", "--param", "0.4").splitlines()[1:]]
    labels = [float(line.split(",")[-1]) for line in lines[501:]]
    hits = sum(f[0] > 0 and y == 1 for f, y in zip(rows, labels)) / labels.count(1)
    alarms = sum(f[0] > 0 and y == 0 for f, y in zip(rows, labels)) / labels.count(0)
    check("test true positives", browser.cell("tpr-test"), hits)
    check("test false positives", browser.cell("fpr-test"), alarms)


def quantiles(browser):
    rows = [(k / 40, math.sin(k / 7) + 0.4 * math.sin(13.7 * k) * (1 + k / 80)) for k in range(120)]
    Path("wave.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    program("path", "kqr", "--train", "wave.csv", "--kernel", "rbf:3", "--lambda", "0.1", "--scale", "standard", "--out", "wave.path")
    page("wave.html", "wave.path", "wave.csv")
    browser.open("wave.html")
    path_page(browser, "wave", "tau", [0.05, 0.31, 0.5, 0.77])
    curve = "document.querySelector('svg path[stroke-width=\"3\"]').getAttribute('d')"
    first = browser.run(curve)
    browser.run("pathqp.set(0.2)")
    check("the curve moves", browser.run(curve) != first, True)
    program("path", "kqr", "--train", "wave.csv", "--kernel", "rbf:3", "--tau", "0.4", "--vary", "lambda", "--scale", "standard", "--out", "penalty.path")
    page("penalty.html", "penalty.path", "wave.csv")
    browser.open("penalty.html")
    low, high = browser.run("[pathqp.low, pathqp.high]")
    path_page(browser, "penalty", "lambda", [round(low * (high / low) ** s, 6) for s in (0.2, 0.5, 0.9)])
    # A column divided by the parameter is a hyperbola on every piece.
    program("path", "kqr", "--train", "wave.csv", "--kernel", "linear", "--tau", "0.4", "--vary", "lambda", "--out", "straight.path")
    page("straight.html", "straight.path", "wave.csv")
    browser.open("straight.html")
    drawn(browser, "straight", "Weights along the path")


def plane(browser):
    lines = (ROOT / "data" / "pima.csv").read_text().splitlines()
    Path("forty.csv").write_text("\n".join(lines[:41]) + "\n")
    program("map", "cost-svm", "--train", "forty.csv", "--scale", "minmax", "--bias", "intercept", "--domain", "0:3,0:3", "--out", "costs.map")
    page("costs.html", "costs.map", "forty.csv")
    browser.open("costs.html")
    names = lines[0].split(",")
    for point in [(1.2, 0.8), (0.31, 2.7), (2.9, 0.11), (0.57, 0.55)]:
        browser.run(f"location.hash = 'c-pos={point[0]}&c-neg={point[1]}'")
        browser.rest_frames()
        at = json.loads(program("locate", "costs.map", "--param", f"{point[0]},{point[1]}", "--json"))
        check(f"costs at {point}: the region", browser.cell("region"), float(at["region"]["id"]))
        check(f"costs at {point}: the objective", browser.cell("objective"), at["objective"])
        check(f"costs at {point}: free", browser.cell("free"), float(at["free"]))
        for feature, weight in bars(browser).items():
            check(f"costs at {point}: the weight of {feature}", weight, at["w"][names.index(feature)], max(1.0, *map(abs, at["w"])))
    browser.run("pathqp.set([1, 1]); document.getElementById('regions').focus()")
    browser.key("ArrowRight", 39)
    browser.key("ArrowUp", 38)
    check("arrow keys move the cursor", [round(v, 6) for v in browser.run("pathqp.get()")], [1.03, 1.03])
    box = browser.run("(() => { const b = document.getElementById('regions').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
    browser.mouse("mousePressed", box[0] + 0.6 * box[2], box[1] + 0.4 * box[3])
    browser.mouse("mouseReleased", box[0] + 0.6 * box[2], box[1] + 0.4 * box[3])
    browser.rest_frames()
    moved = browser.run("pathqp.get()")
    check("a click moves the cursor", moved[0] > 1.1 and moved[1] > 1.1, True)
    check("costs: no error and no request", browser.errors(), [])
    accessible(browser, "costs")
    narrow(browser, "costs")


def lasso(browser):
    train = ROOT / "data" / "pima.csv"
    program("path", "lasso", "--train", train, "--scale", "standard", "--bias", "intercept", "--out", "lasso.json")
    page("lasso.html", "lasso.json", train)
    browser.open("lasso.html")
    names = train.read_text().splitlines()[0].split(",")
    for alpha in [0.01, 0.05, 0.11]:
        fit = json.loads(program("path", "lasso", "--train", train, "--scale", "standard", "--bias", "intercept", "--to", alpha, "--json"))["fit"]
        browser.run(f"location.hash = 'alpha={alpha}'")
        browser.rest_frames()
        expected = dict(zip(names, fit["coefficients"]))
        check(f"lasso at {alpha}: the intercept", browser.cell("constant"), fit["intercept"])
        for name, value in bars(browser).items():
            check(f"lasso at {alpha}: {name}", value, expected[name], max(map(abs, expected.values())))
    check("lasso: no error and no request", browser.errors(), [])
    drawn(browser, "lasso", "Coefficients along the path")
    # Columns of unlike units, and alpha on a logarithmic scale: zeros are counted, not guessed from rounded numbers.
    rows = [(k % 7, 1000 * math.sin(k), math.cos(3 * k) / 100, (k * k) % 11, math.sin(k / 2)) for k in range(60)]
    text = "".join(f"{a},{b},{c},{d},{e},{30 * a - b / 50 + 900 * c - d + 5 * math.sin(7 * k)}\n" for k, (a, b, c, d, e) in enumerate(rows))
    Path("units.csv").write_text("a,b,c,d,e,y\n" + text)
    Path("constant.csv").write_text("a,b,y\n" + "".join(f"{a},{d},0.1\n" for a, _, _, d, _ in rows))
    for name, train in [("units", "units.csv"), ("Hitters", SHARED / "regression" / "Hitters.csv")]:
        if not Path(train).exists():
            print(f"  {name}: skipped, the file is not there")
            continue
        options = ["--bias", "intercept"] if name == "units" else ["--bias", "intercept", "--response", "Salary"]
        columns = json.loads(program("path", "lasso", "--train", train, *options, "--out", f"{name}.json", "--json"))["path"]
        page(f"{name}.html", f"{name}.json", train)
        browser.open(f"{name}.html")
        drawn(browser, name, "Coefficients along the path")
        values = columns["values"]
        for k in range(len(values) - 1):
            alpha = (values[k] + values[k + 1]) / 2
            fit = json.loads(program("path", "lasso", "--train", train, *options, "--to", alpha, "--json"))["fit"]
            browser.run(f"pathqp.set({alpha})")
            check(f"{name} at {alpha}: not zero", browser.cell("held"), float(sum(w != 0 for w in fit["coefficients"])))
    # No coefficient has anything to do with a constant.
    program("path", "lasso", "--train", "constant.csv", "--bias", "intercept", "--out", "constant.json")
    page("constant.html", "constant.json", "constant.csv")
    browser.open("constant.html")
    check("constant: not zero", browser.cell("held"), 0.0)
    check("constant: the intercept", browser.cell("constant"), 0.1)
    check("constant: no error and no request", browser.errors(), [])


def large(browser):
    train = SHARED / "binary" / "spambase.svm"
    if not train.exists():
        print("  spambase: skipped, the file is not there")
        return
    program("path", "quantile-svm", "--train", train, "--lambda", "1e-3", "--bias", "augmented", "--scale", "minmax", "--out", "spambase.path")
    began = time.time()
    size = page("spambase.html", "spambase.path", train)
    print(f"  spambase: {size / 1e6:.2f} MB in {time.time() - began:.1f} s")
    began = time.time()
    browser.open("spambase.html", "tau=0.3")
    print(f"  spambase: opened in {time.time() - began:.1f} s, {browser.run('pathqp.pieces')} pieces")
    path_page(browser, "spambase", "tau", [0.2, 0.55])
    speed(browser, "spambase")


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        browser = Browser(CHROMIUM, os.path.join(folder, "profile"))
        try:
            for test in [pima, quantiles, plane, lasso, large]:
                print(test.__name__, flush=True)
                test(browser)
        finally:
            browser.process.terminate()
            browser.process.wait()
            os.chdir("/")
    print(f"browser test: {CHECKS} checks passed")


main()
