"""Minimax polynomials by Remez's second algorithm on a fixed grid, in high precision, with coefficients rounded to a format.

fit(f, a, b, degree, ...) returns mpf coefficients c such that sum(c[i] * x**i) is near f(x) on [a, b], with
max |weight(x) * (p(x) - f(x))| close to the least possible. Where 0 is not inside the interval, the coefficient of the
lowest power is rounded to the target format first and the rest is fitted again to what is left, so that rounding errors of
low coefficients are made up for by higher ones.
"""
import struct

import mpmath as mp

mp.mp.dps = 80


def to_double(x):
    """The double nearest to x, as mpf."""
    return mp.mpf(float(x))


def to_float(x):
    """The float nearest to x (ties aside), as mpf."""
    return mp.mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def _polynomial(c, x):
    r = mp.mpf(0)
    for a in reversed(c):
        r = r * x + a
    return r


def _extrema(error, count):
    """Indices of `count` alternating local extrema of the grid values, the largest ones."""
    found = []
    for i, e in enumerate(error):
        if found and (e > 0) == (error[found[-1]] > 0):
            if abs(e) > abs(error[found[-1]]):
                found[-1] = i
        else:
            found.append(i)
    while len(found) > count:
        found.pop(0 if abs(error[found[0]]) < abs(error[found[-1]]) else -1)
    return found


def remez(xs, fs, ws, degree, rounds=12):
    """Coefficients and the greatest weighted error over the grid."""
    n = degree + 2
    size = len(xs)
    nodes = [min(size - 1, max(0, int(round((1 - mp.cos(mp.pi * i / (n - 1))) / 2 * (size - 1))))) for i in range(n)]
    c, worst = None, None
    for _ in range(rounds):
        matrix, right = mp.matrix(n, n), mp.matrix(n, 1)
        for row, k in enumerate(nodes):
            power = mp.mpf(1)
            for column in range(degree + 1):
                matrix[row, column] = power
                power *= xs[k]
            matrix[row, degree + 1] = (-1) ** row / ws[k]
            right[row] = fs[k]
        solution = mp.lu_solve(matrix, right)
        c = [solution[i] for i in range(degree + 1)]
        level = abs(solution[degree + 1])
        error = [w * (_polynomial(c, x) - f) for x, f, w in zip(xs, fs, ws)]
        worst = max(abs(e) for e in error)
        if worst <= level * mp.mpf("1.01"):
            break
        found = _extrema(error, n)
        if len(found) < n:
            break
        nodes = found
    return c, worst


def grid(a, b, count):
    """Chebyshev-spaced points, dense at the ends."""
    a, b = mp.mpf(a), mp.mpf(b)
    return [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (i + mp.mpf("0.5")) / count) for i in range(count)]


def fit(f, a, b, degree, weight=None, rounding=to_double, rounded=None, points=None):
    xs = grid(a, b, points or 40 * (degree + 2))
    fs = [mp.mpf(f(x)) for x in xs]
    ws = [abs(1 / v) for v in fs] if weight is None else [abs(mp.mpf(weight(x))) + mp.mpf("1e-9") for x in xs]
    exact_f, exact_w = fs, ws
    keep = (0 if a < 0 < b else 4) if rounded is None else rounded
    done = []
    while len(done) <= degree:
        c, _ = remez(xs, fs, ws, degree - len(done))
        if len(done) >= keep:
            done += [rounding(v) for v in c]
            break
        done.append(rounding(c[0]))
        fs = [(v - done[-1]) / x for v, x in zip(fs, xs)]
        ws = [w * abs(x) for w, x in zip(ws, xs)]
    worst = max(abs(w * (_polynomial(done, x) - v)) for x, v, w in zip(xs, exact_f, exact_w))
    return done, worst
