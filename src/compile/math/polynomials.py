#!/usr/bin/env python3
"""Writes the polynomials of the device math headers to ../headers/heddle/math/polynomials.h (needs mpmath).

Each entry gives the function, the interval, the degree, the weight of the error, and what the greatest weighted error may
be; the script fails when a fit is worse. Run it again after a change here: the header is generated, never edited.
"""
import os
import sys

import mpmath as mp
from mpmath import mpf

from minimax import fit, to_double, to_float

tiny = mpf("1e-12")  # stands for 0 where the function is a limit there
entries = []
zeros = []  # of Bessel functions, by the piece that has them


def poly(name, f, a, b, degree, weight=None, bits=53, single=False, doc=""):
    entries.append((name, f, mpf(a), mpf(b), degree, weight, bits, single, doc))


def both(name, f, a, b, degrees, weight, bits, doc):
    poly(name + "_f", f, a, b, degrees[0], weight, bits[0], True, doc)
    poly(name, f, a, b, degrees[1], weight, bits[1], False, doc)


def of_square(f):
    """f as a function of z = x^2."""
    return lambda z: f(mp.sqrt(z))


ln2 = mp.log(2)
half_ln2 = mpf("0.34661")
quarter_pi = mpf("0.7854")

# Exponentials.
both("exp_tail", lambda r: (mp.exp(r) - 1 - r) / r**2, -half_ln2, half_ln2, (4, 10), lambda r: r * r, (27, 58),
     "exp(r) = 1 + r + r^2 p(r)")
both("exp2_tail", lambda r: (mp.exp(r * ln2) - 1) / r, "-0.5001", "0.5001", (6, 12), lambda r: r, (26, 56),
     "2^r = 1 + r p(r)")
both("exp10_tail", lambda r: (mp.exp(r * mp.log(10)) - 1) / r, "-0.15056", "0.15056", (5, 12), lambda r: r, (26, 54),
     "10^r = 1 + r p(r)")
poly("exp2_short", lambda r: mp.exp(r * ln2), "-0.5001", "0.5001", 7, None, 34, False, "2^r, for single precision pow")

# Logarithms.
poly("log_tail_f", lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, "-0.33334", "0.33334", 7,
     lambda f: f**3 / mp.log1p(f), 27, True, "log(1 + f) = f - f^2 / 2 + f^3 p(f)")
poly("log2_short", lambda f: mp.log1p(f) / ln2 / f, "-0.33334", "0.33334", 12, None, 35, False,
     "log2(1 + f) = f p(f), for single precision pow")
poly("log_tail", of_square(lambda s: (2 * mp.atanh(s) / s - 2) / s**2), tiny, "0.02945", 6, lambda z: z, 57, False,
     "log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2)")
poly("log_tail5", of_square(lambda s: (2 * mp.atanh(s) / s - 2 - s**2 * 2 / 3) / s**4), tiny, "0.02945", 6,
     lambda z: z * z, 60, False, "log((1 + s) / (1 - s)) = 2 s + 2/3 s^3 + s^5 p(s^2)")

# Trigonometric functions.
both("sin_tail", of_square(lambda x: (mp.sin(x) / x - 1) / x**2), tiny, "0.61691", (3, 6), lambda z: z, (32, 62),
     "sin(x) = x + x^3 p(x^2)")
both("cos_tail", of_square(lambda x: (mp.cos(x) - 1) / x**2), tiny, "0.61691", (3, 6), lambda z: z, (31, 62),
     "cos(x) = 1 + x^2 p(x^2)")
both("tan_tail", of_square(lambda x: (mp.tan(x) / x - 1) / x**2), tiny, "0.61691", (6, 14), lambda z: z, (28, 58),
     "tan(x) = x + x^3 p(x^2)")
both("sinpi_tail", of_square(lambda x: (mp.sinpi(x) / x - mp.pi) / x**2), tiny, "0.0625001", (3, 6),
     lambda z: z / mp.pi, (28, 60), "sinpi(x) = pi x + x^3 p(x^2)")
both("cospi_tail", of_square(lambda x: (mp.cospi(x) - 1) / x**2), tiny, "0.0625001", (3, 7), lambda z: z, (30, 60),
     "cospi(x) = 1 + x^2 p(x^2)")
both("asin_tail", of_square(lambda x: (mp.asin(x) / x - 1) / x**2), tiny, "0.25001", (4, 12), lambda z: z, (27, 58),
     "asin(x) = x + x^3 p(x^2)")
poly("atan_tail_f", of_square(lambda x: (mp.atan(x) / x - 1) / x**2), tiny, 1, 8, lambda z: z, 27, True,
     "atan(x) = x + x^3 p(x^2)")
poly("atan_tail", of_square(lambda x: (mp.atan(x) / x - 1) / x**2), tiny, "0.17159", 11, lambda z: z, 58, False,
     "atan(x) = x + x^3 p(x^2)")

# Hyperbolic functions.
both("sinh_tail", of_square(lambda x: (mp.sinh(x) / x - 1) / x**2), tiny, "1.0001", (3, 8), lambda z: z, (27, 60),
     "sinh(x) = x + x^3 p(x^2)")
both("tanh_tail", of_square(lambda x: (mp.tanh(x) / x - 1) / x**2), tiny, "0.3026", (4, 13), lambda z: z, (26, 57),
     "tanh(x) = x + x^3 p(x^2)")

# Error functions.
both("erf_tail", of_square(lambda x: mp.erf(x) / x - 1), tiny, "0.86", (6, 13), lambda z: 1, (27, 55),
     "erf(x) = x + x p(x^2)")
poly("erf_exponent_f", lambda x: -mp.log(mp.erfc(x)), "0.92", "3.93", 7, lambda x: mp.erfc(x) / mp.erf(x), 26, True,
     "erf(x) = 1 - exp(-p(x))")


def erfcx_mapped(k):
    def f(t):
        x = k * (1 + t) / (1 - t)
        scaled = mp.exp(x * x) * mp.erfc(x) if x < 30 else sum(
            (-1)**n * mp.fac2(2 * n - 1) / (2 * x * x)**n for n in range(40)) / (x * mp.sqrt(mp.pi))
        return scaled * (1 + 2 * x)
    return f


poly("erfcx_mapped_f", erfcx_mapped(2), -1, "0.9999", 11, None, 24, True, "(1 + 2 x) erfcx(x), with t = (x - 2) / (x + 2)")
poly("erfcx_mapped", erfcx_mapped(4), -1, "0.9999", 23, None, 52, False, "(1 + 2 x) erfcx(x), with t = (x - 4) / (x + 4)")


def erfinv_of(w):
    """erfinv(x) / x where w = -log(1 - x^2)."""
    x = mp.sqrt(-mp.expm1(-w))
    if w < 60:
        guess = mp.erfinv(x)
    else:  # erfc(y) = 1 - x = e^-w / (1 + x), by Newton's method on its logarithm
        target = -w - mp.log(1 + x)
        guess = mp.sqrt(w)
        for _ in range(60):
            value = mp.erfc(guess)
            step = (mp.log(value) - target) / (-2 / mp.sqrt(mp.pi) * mp.exp(-guess * guess) / value)
            guess -= step
            if abs(step) < mpf(10)**-60:
                break
    return guess / x


poly("erfinv_center", lambda t: erfinv_of(t + mpf("3.125")), "-3.12499999", "3.125", 24, None, 53, False,
     "erfinv(x) / x, with t = w - 3.125, w = -log(1 - x^2)")
poly("erfinv_middle", lambda t: erfinv_of((t + mpf("3.25"))**2), "-0.7501", "0.7501", 19, None, 53, False,
     "erfinv(x) / x, with t = sqrt(w) - 3.25")
poly("erfinv_far", lambda t: erfinv_of((t + mpf("6"))**2), "-2.01", "2.01", 26, None, 53, False,
     "erfinv(x) / x, with t = sqrt(w) - 6")
poly("erfinv_tail", lambda t: erfinv_of((t + mpf("17.7"))**2), "-9.72", "9.72", 32, None, 53, False,
     "erfinv(x) / x, with t = sqrt(w) - 17.7")

# Gamma functions.
poly("lgamma_one", lambda t: mp.loggamma(1 + t) / t, "-0.3001", "0.5001", 24, None, 53, False,
     "lgamma(1 + t) = t p(t)")
poly("lgamma_two", lambda t: mp.loggamma(2 + t) / t, "-0.5001", "1.0001", 23, None, 54, False, "lgamma(2 + t) = t p(t)")
poly("lgamma_five", lambda t: mp.loggamma(mpf("5.5") + t), "-2.501", "2.501", 26, None, 53, False, "lgamma(5.5 + t)")
poly("stirling", lambda z: (mp.loggamma(1 / mp.sqrt(z)) - (1 / mp.sqrt(z) - mpf(1) / 2) * mp.log(1 / mp.sqrt(z))
                            + 1 / mp.sqrt(z) - mp.log(2 * mp.pi) / 2) / mp.sqrt(z), mpf("1e-6"), "0.015626", 8,
     lambda z: 1, 52, False, "lgamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + p(1/x^2) / x")
poly("gamma_two", lambda t: mp.gamma(2 + t), "-0.5001", "0.5001", 18, None, 55, False, "tgamma(2 + t)")
poly("gamma_stirling", lambda t: mp.gamma(1 / t) * mp.exp(1 / t) * (1 / t)**(mpf(1) / 2 - 1 / t), mpf("0.0056"),
     "0.12501", 13, None, 55, False, "tgamma(x) = x^(x - 1/2) e^-x p(1/x)")

# Bessel functions. Near a zero the polynomial is of the function divided by the distance to it.


def zero_of(f, near):
    return mp.findroot(f, mpf(near))


def bessel(name, f, centre, radius, degree, zero=None, bits=51):
    z = None if zero is None else zero_of(f, zero)
    c = mpf(centre)

    def g(t):
        x = c + t
        return f(x) if z is None else f(x) / (x - z)
    text = f"{name.split('_')[0]}(x)" + ("" if z is None else f" / (x - {mp.nstr(z, 8)})")
    if z is not None:
        zeros.append((name, z))
    poly("bessel_" + name, g, -mpf(radius), mpf(radius), degree, None, bits, False, f"{text}, with t = x - {centre}")


j0, j1 = (lambda x: mp.besselj(0, x)), (lambda x: mp.besselj(1, x))
y0, y1 = (lambda x: mp.bessely(0, x)), (lambda x: mp.bessely(1, x))
bessel("j0_a", j0, "2.25", "1.5001", 20, 2.4)
bessel("j0_b", j0, "5.875", "2.1251", 22, 5.5)
bessel("j1_a", j1, "3.5", "1.5001", 19, 3.8)
bessel("j1_b", j1, "6.5", "1.5001", 20, 7.0)
bessel("y0_a", y0, "0.8", "0.3001", 27, 0.89)
bessel("y0_b", y0, "1.7", "0.6001", 32)
bessel("y0_c", y0, "3.5", "1.2001", 29, 3.95)
bessel("y0_d", y0, "6.35", "1.6501", 25, 7.08)
bessel("y1_a", y1, "1.2", "0.4001", 28)
bessel("y1_b", y1, "2.35", "0.7501", 30, 2.19)
bessel("y1_c", y1, "3.9", "0.8001", 22)
bessel("y1_d", y1, "5.55", "0.8501", 21, 5.42)
bessel("y1_e", y1, "7.2", "0.8001", 21)
poly("bessel_j0_small", of_square(lambda x: (j0(x) - 1) / x**2), tiny, "0.5626", 6, lambda z: z, 56, False,
     "j0(x) = 1 + x^2 p(x^2) below 0.75")
poly("bessel_j1_small", of_square(lambda x: j1(x) / x), tiny, "4.001", 12, None, 55, False, "j1(x) = x p(x^2) below 2")
poly("bessel_j0_log", of_square(j0), tiny, "0.2501", 6, None, 55, False, "j0(x) below 0.5, beside the logarithm in y0")
poly("bessel_y0_small", of_square(lambda x: y0(x) - 2 / mp.pi * mp.log(x) * j0(x)), mpf("1e-20"), "0.2501", 8, lambda z: 1, 56,
     False, "y0(x) = 2/pi log(x) j0(x) + p(x^2) below 0.5")
poly("bessel_y1_small",
     of_square(lambda x: (y1(x) - 2 / mp.pi * (mp.log(x) * j1(x) - 1 / x)) / x), mpf("1e-20"), "0.6401", 9, lambda z: 1, 56, False,
     "y1(x) = 2/pi (log(x) j1(x) - 1/x) + x p(x^2) below 0.8")


def modulus_phase(n):
    """P and Q of Hankel's expansion as functions of z = (8/x)^2 with x >= 8: exact ones, from J and Y."""
    chi = lambda x: x - (mpf(n) / 2 + mpf(1) / 4) * mp.pi
    scale = lambda x: mp.sqrt(mp.pi * x / 2)

    def p(z):
        x = 8 / mp.sqrt(z)
        return scale(x) * (mp.besselj(n, x) * mp.cos(chi(x)) + mp.bessely(n, x) * mp.sin(chi(x)))

    def q(z):
        x = 8 / mp.sqrt(z)
        return scale(x) * (mp.bessely(n, x) * mp.cos(chi(x)) - mp.besselj(n, x) * mp.sin(chi(x))) * x / 8
    return p, q


for order in (0, 1):
    p, q = modulus_phase(order)
    for letter, f in (("p", p), ("q", q)):
        poly(f"bessel_{letter}{order}", f, mpf("1e-4"), 1, 13, lambda z: 1, 50, False,
             f"{letter.upper()} of Hankel's expansion of order {order}, of (8/x)^2")

poly("bessel_i0_small", of_square(lambda x: mp.besseli(0, x)), tiny, "56.26", 20, None, 54, False, "i0(x), of x^2 below 7.5")
poly("bessel_i1_small", of_square(lambda x: mp.besseli(1, x) / x), tiny, "56.26", 19, None, 54, False,
     "i1(x) / x, of x^2 below 7.5")


def scaled_i(n, x):
    return mp.besseli(n, x) * mp.exp(-x) * mp.sqrt(x)


for order in (0, 1):
    poly(f"bessel_i{order}_large", lambda t, n=order: scaled_i(n, 15 / (t + 1)),
         "-0.98", "1.0001", 24, None, 52, False, f"i{order}(x) sqrt(x) exp(-x), of t = 15 / x - 1, for x above 7.5")


def literal(c, single):
    return float(c).hex() + ("f" if single else "")


def render(name, c, single, doc, error):
    kind = "float" if single else "double"
    text = [f"// {doc}: 2^{mp.nstr(mp.log(error, 2), 4)}", f"__HEDDLE_MATH__ {kind} {name}({kind} x) {{"]
    text.append(f"  {kind} p = {literal(c[-1], single)};")
    text += [f"  p = fma(p, x, {literal(a, single)});" for a in reversed(c[:-1])]
    return "\n".join(text + ["  return p;", "}"])


def render_choice(name, first, second, single):
    """A polynomial with the coefficients of `second` where `which`, else those of `first` (of the same degree)."""
    kind = "float" if single else "double"
    pick = [f"which ? {literal(b, single)} : {literal(a, single)}" for a, b in zip(first, second)]
    text = [f"__HEDDLE_MATH__ {kind} {name}({kind} x, bool which) {{", f"  {kind} p = {pick[-1]};"]
    text += [f"  p = fma(p, x, {p});" for p in reversed(pick[:-1])]
    return "\n".join(text + ["  return p;", "}"])


def main():
    only = sys.argv[1:]
    out = ["// Generated by src/compile/math/polynomials.py: do not edit. The comment before each function says what it stands",
           "// for and how far it may be off, relative to that (before rounding in the evaluation).", "#pragma once",
           "#pragma clang system_header", "", '#include "primitives.h"', "", "namespace __heddle {", "namespace poly {", ""]
    bad = []
    coefficients = {}
    for name, f, a, b, degree, weight, bits, single, doc in entries:
        if only and name not in only:
            continue
        c, error = fit(f, a, b, degree, weight, to_float if single else to_double)
        achieved = -mp.log(error, 2)
        print(f"{name}: 2^-{mp.nstr(achieved, 5)}", file=sys.stderr, flush=True)
        if achieved < bits:
            bad.append(f"{name}: 2^-{mp.nstr(achieved, 5)}, wanted 2^-{bits}")
        out += [render(name, c, single, doc, error), ""]
        coefficients[name] = c
    if not only:
        for suffix in ("_f", ""):
            out += ["// sin_tail, or cos_tail where asked.",
                    render_choice("sin_cos_tail" + suffix, coefficients["sin_tail" + suffix],
                                  coefficients["cos_tail" + suffix], suffix == "_f"), ""]
    for name, z in zeros:
        out += [f"// The distance of x from the zero in piece {name}.",
                f"__HEDDLE_MATH__ double distance_{name}(double x) {{ return (x - {literal(z, False)}) - "
                f"{literal(z - mpf(float(z)), False)}; }}", ""]
    out += ["}  // namespace poly", "}  // namespace __heddle", ""]
    for line in bad:
        print("not good enough:", line, file=sys.stderr)
    if only:
        print("\n".join(out))
    else:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../headers/heddle/math/polynomials.h")
        with open(path, "w") as file:
            file.write("\n".join(out))
    sys.exit(1 if bad else 0)


main()
