"""One solve of a problem (t = 0) by other solvers, at 1e-9 where they take a tolerance. Another one: a function of a problem that returns x, y (A's rows) and the bounds' multipliers z with
Px + q - A'y = z, registered in SOLVERS; the same check as for points of lines judges it."""
import multiprocessing, time
import numpy as np
import scipy.sparse as sp
import problems


def stacked(p):
    """Rows and boxes as one matrix."""
    return sp.vstack([p.A, sp.identity(p.n)]).tocsc(), np.concatenate([p.rl, p.l]), np.concatenate([p.ru, p.u])


def one_sided(p):
    """Equalities (E, e), inequalities Gx <= g, and how to get A's multipliers back."""
    A, lo, hi = stacked(p)
    A = A.tocsr()
    eq, le, ge = np.flatnonzero(lo == hi), np.flatnonzero((lo != hi) & np.isfinite(hi)), np.flatnonzero((lo != hi) & np.isfinite(lo))
    G, g = sp.vstack([A[le], -A[ge]]).tocsc(), np.concatenate([hi[le], -lo[ge]])

    def back(of_eq, of_ineq):
        v = np.zeros(len(lo))
        v[eq] -= of_eq
        np.subtract.at(v, le, of_ineq[: len(le)])
        np.add.at(v, ge, of_ineq[len(le):])
        return v[: p.m]
    return A[eq].tocsc(), lo[eq], G, g, back


def clarabel(p):
    import clarabel as c
    E, e, G, g, back = one_sided(p)
    settings = c.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    cones = [c.ZeroConeT(len(e)), c.NonnegativeConeT(len(g))]
    s = c.DefaultSolver(sp.triu(p.P).tocsc(), p.q, sp.vstack([E, G]).tocsc(), np.concatenate([e, g]), cones, settings).solve()
    z = np.array(s.z)
    return np.array(s.x), back(z[: len(e)], z[len(e):])


def highs(p):
    import highspy
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        h.setOptionValue(name, 1e-9)
    model = highspy.HighsModel()
    lp, inf = model.lp_, highspy.kHighsInf
    finite = lambda v: np.where(np.isfinite(v), v, np.sign(v) * inf)
    lp.num_col_, lp.num_row_, lp.col_cost_ = p.n, p.m, p.q
    lp.col_lower_, lp.col_upper_, lp.row_lower_, lp.row_upper_ = map(finite, (p.l, p.u, p.rl, p.ru))
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = p.A.indptr, p.A.indices, p.A.data
    if p.P.nnz:
        lower = sp.tril(p.P).tocsc()
        model.hessian_.dim_, model.hessian_.format_ = p.n, highspy.HessianFormat.kTriangular
        model.hessian_.start_, model.hessian_.index_, model.hessian_.value_ = lower.indptr, lower.indices, lower.data
    h.passModel(model)
    h.run()
    s = h.getSolution()
    return np.array(s.col_value), np.array(s.row_dual)


def daqp(p):
    import daqp as d
    A, lo, hi = stacked(p)
    # Boxes come first there.
    rows = np.ascontiguousarray(p.A.toarray())
    lo, hi = np.concatenate([p.l, p.rl]), np.concatenate([p.u, p.ru])
    big = lambda v: np.clip(np.nan_to_num(v, posinf=1e30, neginf=-1e30), -1e30, 1e30)
    sense = np.where(lo == hi, 5, 0).astype(np.int32)
    x, _, flag, info = d.solve(np.ascontiguousarray(p.P.toarray()), p.q.copy(), rows, big(hi), big(lo), sense, primal_tol=1e-9, dual_tol=1e-9)
    if flag < 1:
        raise RuntimeError(f"exit flag {flag}")
    return np.array(x), -np.array(info["lam"])[p.n:]


def piqp(p):
    import piqp as q
    E, e, G, g, back = one_sided(p)
    solver = q.SparseSolver()
    solver.settings.verbose = False
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-9
    solver.settings.compute_timings = False
    none = np.full(len(g), -np.inf)
    try:
        solver.setup(p.P, p.q, E, e, G, none, g)
    except TypeError:
        solver.setup(p.P, p.q, E, e, G, g)
    solver.solve()
    r = solver.result
    z = r.z_u if hasattr(r, "z_u") else r.z
    return np.array(r.x), back(np.array(r.y), np.array(z))


def quadprog(p):
    import quadprog as q
    E, e, G, g, back = one_sided(p)
    x, _, _, _, multipliers, _ = q.solve_qp(p.P.toarray(), -p.q, sp.vstack([E, -G]).toarray().T, np.concatenate([e, -g]), len(e))
    return x, back(-multipliers[: len(e)], multipliers[len(e):])


def qpoases(p):
    import qpoases as q
    solver = q.PySQProblem(p.n, p.m)
    options = q.PyOptions()
    options.setToReliable()
    options.printLevel = q.PyPrintLevel.NONE
    solver.setOptions(options)
    big = lambda v: np.clip(np.nan_to_num(v, posinf=1e20, neginf=-1e20), -1e20, 1e20)
    flag = solver.init(p.P.toarray(), p.q, p.A.toarray(), big(p.l), big(p.u), big(p.rl), big(p.ru), np.array([100_000]))
    if int(flag) != 0:
        raise RuntimeError(f"status {flag}")
    x, y = np.zeros(p.n), np.zeros(p.n + p.m)
    solver.getPrimalSolution(x)
    solver.getDualSolution(y)
    return x, y[p.n:]


SOLVERS = {f.__name__: f for f in (clarabel, highs, daqp, piqp, quadprog, qpoases)}


def work(name, p, pipe):
    try:
        best = None
        # The second run, where the first is short: it does not import.
        for _ in range(2):
            begun = time.perf_counter()
            x, y = SOLVERS[name](p)
            best = time.perf_counter() - begun
            if best > 5:
                break
        zero = tuple(np.zeros(len(v)) for v in (p.q, p.rl, p.ru, p.l, p.u))
        worst = [float(v) for v in problems.check(p, zero, np.concatenate([[0.0], x, y]), False)]
        pipe.send({"seconds": best, "primal": worst[0], "dual": worst[1], "own_gap": worst[2],
                   "verdict": "complete" if max(worst) <= 1e-9 else "wrong"})
    except BaseException as error:
        pipe.send({"verdict": "declined", "error": str(error)[:200]})


def timed(name, p, seconds):
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=work, args=(name, p, there))
    process.start()
    answer = {"verdict": "declined", "error": f"more than {seconds} s"}
    if here.poll(seconds):
        try:
            answer = here.recv()
        except EOFError:
            answer = {"verdict": "declined", "error": "crashed"}
    process.kill()
    process.join()
    return answer
