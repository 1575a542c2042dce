"""The tables: what stands in a row, and how numbers are written."""

from statistics import fmean, median

RANGES = ((0.01, 0.99), (0.0, 1.0))  # of τ: a column of ratios for each; goals are judged by the first
RECOVERY_GOAL = 100  # the smallest solve / recovery that is aimed at


def digits(value):
    """Three of them, or all of an integer part that is longer."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ratio(value):
    """Two digits, or all of an integer part that is longer."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


class Tables:
    """The rows of the four tables."""

    def __init__(self):
        self.paths, self.solves, self.memory, self.recovery = [], [], [], []

    def add_path(self, title, ends, report, limit):
        """One range of τ; the report is None if it took longer than `limit` seconds."""
        cells = [title, f"{ends[0]:g} to {ends[1]:g}"]
        if report is None:
            self.paths.append([*cells, "", "", "", "", f"> {digits(1e3 * limit)}", ""])
            return
        events, priced = report["events"], report["stats"]["priced"]
        cells += [f"{report['breakpoints']:,}", f"{events:,}", f"{priced / max(events, 1):,.0f}"]
        cells += [digits(1e3 * s) for s in (report["seconds"]["start"], min(report["all"]), median(report["all"]))]
        self.paths.append(cells)

    def add_solves(self, problem, title, tolerance, results, gaps, reports, limit):
        """One solver at one tolerance. A solve that was ended (None) counts with `limit` seconds, so that a mean is a lower bound.

        Returns the mean over τ of the best times.
        """
        done = [result for result in results if result is not None]
        ended = len(results) - len(done)
        bests = [limit if r is None else min(r["seconds"]) for r in results]
        best = fmean(bests)
        middle = fmean(limit if r is None else median(r["seconds"]) for r in results)
        more, less = (">", "<") if ended else ("", "")
        cells = [title, f"{problem.peer}, {tolerance:g}", *(more + digits(1e3 * s) for s in (best, middle, max(bests)))]
        cells.append(digits(1e3 * fmean(r["fixed"] for r in done)) if done else "")
        cells.append(f"{fmean(r['iterations'] for r in done):,.0f}" if done else "")
        cells.append(f"{sum(r['converged'] for r in done)} of {len(results)}" + f", {ended} > {limit:g} s" * (ended > 0))
        cells.append(f"{max(gaps):.1e}" if gaps else "")
        for ends in RANGES:
            report = reports.get(ends)
            cells.append(f"{less}{ratio(min(report['all']) / best)} ({ratio(median(report['all']) / middle)})" if report else "")
        cells.append(verdict(problem.goals.get(tolerance), reports.get(RANGES[0]), best, ended))
        self.solves.append(cells)
        return best

    def add_memory(self, problem, title, tolerance, results, reports):
        """Peaks, and what the solver's process held before its first fit."""
        done = [result for result in results if result is not None]
        if done:
            values = [max(r["peak"] for r in reports.values()), max(r["peak"] for r in done), max(r["before"] for r in done)]
            here, there, before = (f"{value:.0f}" for value in values)
            self.memory.append([title, here, f"{problem.peer}, {tolerance:g}", there, before])

    def add_recovery(self, problem, seconds, product, tolerance, solve):
        """One τ from a kept path in `seconds`, and w from it in `product` more, against a solve."""
        verdict = "met" if solve >= RECOVERY_GOAL * seconds else "missed"
        cells = [problem.name, f"{1e6 * seconds:.1f}", f"{1e6 * product:.1f}", f"{problem.peer}, {tolerance:g}"]
        cells += [ratio(solve / seconds), ratio(solve / (seconds + product)), f"≥ {RECOVERY_GOAL}: {verdict}"]
        self.recovery.append(cells)

    def markdown(self):
        """All tables that have a row."""
        path, solve = [f"{a:g} to {b:g} / solve" for a, b in RANGES], ["best", "median"]
        return "\n".join(
            f"**{title}**\n\n{table(columns, rows)}"
            for title, columns, rows in [
                (
                    "Whole paths, ms",
                    ["problem", "τ", "breakpoints", "events", "priced an event", "start", *(f"start + path, {s}" for s in solve)],
                    self.paths,
                ),
                (
                    "Single solves, ms (means of nine τ), and whole paths against them",
                    ["problem", "solver, tolerance", *solve, "slowest τ", "one iteration", "iterations", "converged", "largest gap"]
                    + [*path, "goal"],
                    self.solves,
                ),
                (
                    "Peak memory, MB",
                    ["problem", "pathqp", "solver, tolerance", "solver with Python", "before the first fit"],
                    self.memory,
                ),
                (
                    "One τ from a kept path",
                    ["data", "α, µs", "w from α, µs", "solver, tolerance", "solve / α", "solve / (α and w)", "goal, for α"],
                    self.recovery,
                ),
            ]
            if rows
        )


def verdict(goal, report, best, ended):
    """Whether path / solve is at most the goal."""
    if goal is None or report is None:
        return ""
    if min(report["all"]) <= goal * best:
        return f"≤ {goal}: met"
    return f"≤ {goal}: " + ("not decided" if ended else "missed")


def table(columns, rows):
    """Markdown."""
    return "".join("| " + " | ".join(cells) + " |\n" for cells in [columns, ["---"] * len(columns), *rows])
