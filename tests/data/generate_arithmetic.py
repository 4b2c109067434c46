#!/usr/bin/env python3
"""Writes tests/data/run/arithmetic/*.ptx: one kernel and one case for each instruction that works on registers alone.

The kernels and inputs come from here; the expected values are recorded by tests/tools/ptx_record (the ones checked in: by an
NVIDIA GPU) and are kept when this script runs again, as long as kernel and inputs of a case stay the same.

usage: generate_arithmetic.py [folder [values [seed]]]
  With another folder, number of values (at most 1024) and seed it makes a sweep to compare two devices with.
"""
import os
import re
import sys

LANES = 48
SEED = 0  # added to every seed

# How a value of a type is held, loaded and stored: register class, memory type.
REGISTER = {
    "pred": "pred", "u8": "b16", "s8": "b16", "b8": "b16", "u16": "b16", "s16": "b16", "b16": "b16", "f16": "b16", "bf16": "b16",
    "u32": "b32", "s32": "b32", "b32": "b32", "f16x2": "b32", "bf16x2": "b32", "u16x2": "b32", "s16x2": "b32", "tf32": "b32",
    "u64": "b64", "s64": "b64", "b64": "b64", "f32": "f32", "f64": "f64", "e4m3x2": "b16", "e5m2x2": "b16"}
MEMORY = {
    "u8": "u8", "s8": "s8", "b8": "u8", "u16": "u16", "s16": "u16", "b16": "u16", "f16": "b16", "bf16": "b16", "u32": "u32", "s32": "u32",
    "b32": "u32", "f16x2": "b32", "bf16x2": "b32", "u16x2": "b32", "s16x2": "b32", "tf32": "b32", "u64": "u64", "s64": "u64",
    "b64": "u64", "f32": "f32", "f64": "f64", "e4m3x2": "b16", "e5m2x2": "b16", "pred": "u32"}
SIZE = {"u8": 1, "s8": 1, "b8": 1}
for t in REGISTER:
    SIZE.setdefault(t, {"b16": 2, "b32": 4, "b64": 8, "f32": 4, "f64": 8, "pred": 4}[REGISTER[t]])
CASE_TYPE = {"pred": "u32", "e4m3x2": "b16", "e5m2x2": "b16", "tf32": "b32", "b8": "u8", "b16": "u16", "b32": "u32", "b64": "u64"}

INTEGERS = ["u16", "u32", "u64", "s16", "s32", "s64"]
ROUND = ["rn", "rz", "rm", "rp"]
WHOLE = ["rni", "rzi", "rmi", "rpi"]


class File:
    def __init__(self, name, title, version="8.3", target="sm_90"):
        self.name, self.title, self.version, self.target = name, title, version, target
        self.parts, self.names = [], set()

    def add(self, text, result, sources, tolerance="", inputs=None, carry=None, results=1, name=None, pre="", on=None):
        """`text` is the instruction with {d} {a} {b} {c} ...; sources are types, or ('const', n) for immediates."""
        name = name or re.sub(r"[^a-z0-9]+", "_", text.split("{")[0].split(" ")[0].lower()).strip("_")
        text = pre + text
        if carry:
            name = "chain_" + name
        stem, n = name, 1
        while name in self.names:
            n += 1
            name = f"{stem}_{n}"
        self.names.add(name)
        inputs = inputs or {}
        case = [f"//: launch {name} block {LANES}"] + ([f"//: on {on}"] if on else []) + [f"//: arg out {CASE_TYPE.get(result, result)}[{LANES * results}]"]
        regs, loads = [], []
        letters = "abcdef"
        for i, t in enumerate(sources):
            letter = letters[i]
            listing = inputs.get(letter, f"special {i + 1}")
            kind = CASE_TYPE.get(t, t)
            listing = re.sub(r"^(special|bits|random) (\d+)", lambda m: f"{m[1]} {int(m[2]) + SEED}", listing)
            listing = stretch(listing)
            case.append(f"//: arg {letter} {kind}[{LANES}] = {listing}")
            loads.append(f"  ld.param.u64 %rd1, [{letter}];")
            loads.append(f"  mad.wide.u32 %rd2, %r1, {SIZE[t]}, %rd1;")
            if t == "pred":
                regs.append(f"  .reg .pred %{letter};")
                loads += ["  ld.global.u32 %r2, [%rd2];", "  and.b32 %r2, %r2, 1;", f"  setp.ne.u32 %{letter}, %r2, 0;"]
            else:
                regs.append(f"  .reg .{REGISTER[t]} %{letter};")
                loads.append(f"  ld.global.{MEMORY[t]} %{letter}, [%rd2];")
        targets = ["d", "e"][:results]
        for target in targets:
            regs.append(f"  .reg .{REGISTER[result]} %{target};")
        body = []
        for line in text.split("\n"):
            body.append("  " + re.sub(r"\{(\w+)\}", r"%\1", line) + ";")
        stores = ["  ld.param.u64 %rd1, [out];", f"  mad.wide.u32 %rd2, %r1, {SIZE[result]}, %rd1;"]
        for k, target in enumerate(targets):
            offset = f"+{k * LANES * SIZE[result]}" if k else ""
            if result == "pred":
                stores += [f"  selp.u32 %r2, 1, 0, %{target};", f"  st.global.u32 [%rd2{offset}], %r2;"]
            else:
                stores.append(f"  st.global.{MEMORY[result]} [%rd2{offset}], %{target};")
        params = ", ".join([".param .u64 out"] + [f".param .u64 {letters[i]}" for i in range(len(sources))])
        case.append(f"//: record out{' ' + tolerance if tolerance else ''}")
        kernel = [f".visible .entry {name}({params})", "{", "  .reg .b32 %r<3>;", "  .reg .b64 %rd<3>;"] + regs + ["  mov.u32 %r1, %tid.x;"]
        kernel += loads + body + stores + ["  ret;", "}"]
        self.parts.append((case, kernel))

    def write(self, folder):
        path = os.path.join(folder, self.name + ".ptx")
        recorded = read_recorded(path)
        lines = [f"// {self.title}", "// Generated by generate_arithmetic.py.", f".version {self.version}", f".target {self.target}",
                 ".address_size 64", ""]
        for case, kernel in self.parts:
            key = "\n".join(case + kernel)
            lines += case + recorded.get(key, []) + kernel + [""]
        with open(path, "w") as out:
            out.write("\n".join(lines[:-1]) + "\n")


def stretch(listing):
    """Lists of values, made for 48, for another number of them."""
    if LANES == 48 or not re.match(r"^[0-9]", listing):
        return listing
    values = []
    for word in listing.split():
        value, _, times = word.partition("*")
        values += [value] * int(times or 1)
    return " ".join(values[i % len(values)] for i in range(LANES))


def read_recorded(path):
    """The expect lines of each case that is there already, by the rest of the case."""
    result = {}
    if not os.path.exists(path):
        return result
    with open(path) as text:
        blocks = text.read().split("//: launch ")
    for block in blocks[1:]:
        lines = ("//: launch " + block).rstrip("\n").split("\n")
        while lines and lines[-1] != "}":
            lines.pop()
        expected = [l for l in lines if l.startswith("//: expect") or l.startswith("//: +")]
        rest = [l for l in lines if l not in expected]
        if expected:
            result["\n".join(rest)] = expected
    return result


def integer_arithmetic():
    f = File("integer", "Integer arithmetic.")
    for t in INTEGERS:
        f.add(f"add.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
        f.add(f"sub.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
        for half in ["lo", "hi"]:
            f.add(f"mul.{half}.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
            f.add(f"mad.{half}.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, [t, t, t])
        f.add(f"div.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
        f.add(f"rem.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
        f.add(f"sad.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, [t, t, t])
        f.add(f"min.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
        f.add(f"max.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
    for t, w in [("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")]:
        f.add(f"mul.wide.{t} {{d}}, {{a}}, {{b}}", w, [t, t])
        f.add(f"mad.wide.{t} {{d}}, {{a}}, {{b}}, {{c}}", w, [t, t, w])
    for t in ["s16", "s32", "s64"]:
        f.add(f"abs.{t} {{d}}, {{a}}", t, [t])
        f.add(f"neg.{t} {{d}}, {{a}}", t, [t])
    f.add("add.sat.s32 {d}, {a}, {b}", "s32", ["s32", "s32"])
    f.add("sub.sat.s32 {d}, {a}, {b}", "s32", ["s32", "s32"])
    f.add("mad.hi.sat.s32 {d}, {a}, {b}, {c}", "s32", ["s32"] * 3)
    for t in ["u32", "s32"]:
        for half in ["lo", "hi"]:
            f.add(f"mul24.{half}.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
            f.add(f"mad24.{half}.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, [t, t, t])
    f.add("mad24.hi.sat.s32 {d}, {a}, {b}, {c}", "s32", ["s32"] * 3)
    for t in ["u16x2", "s16x2"]:
        for op in ["add", "min", "max"]:
            f.add(f"{op}.{t} {{d}}, {{a}}, {{b}}", t, [t, t], inputs={"a": "bits 1", "b": "bits 2"})
    for op in ["min", "max"]:
        f.add(f"{op}.relu.s32 {{d}}, {{a}}, {{b}}", "s32", ["s32", "s32"])
        f.add(f"{op}.relu.s16x2 {{d}}, {{a}}, {{b}}", "s16x2", ["s16x2"] * 2, inputs={"a": "bits 1", "b": "bits 2"})
    for a in ["u32", "s32"]:
        for b in ["u32", "s32"]:
            c = "s32" if "s32" in (a, b) else "u32"
            f.add(f"dp4a.{a}.{b} {{d}}, {{a}}, {{b}}, {{c}}", c, ["b32", "b32", c], inputs={"a": "bits 1", "b": "bits 2"})
            for half in ["lo", "hi"]:
                f.add(f"dp2a.{half}.{a}.{b} {{d}}, {{a}}, {{b}}, {{c}}", c, ["b32", "b32", c], inputs={"a": "bits 1", "b": "bits 2"})
    for t in ["u32", "s32", "u64", "s64"]:
        f.add(f"add.cc.{t} {{d}}, {{a}}, {{b}}\naddc.{t} {{e}}, {{a}}, {{b}}", t, [t, t], carry=True, results=2)
        f.add(f"sub.cc.{t} {{d}}, {{a}}, {{b}}\nsubc.{t} {{e}}, {{a}}, {{b}}", t, [t, t], carry=True, results=2)
        f.add(f"add.cc.{t} {{d}}, {{a}}, {{b}}\naddc.cc.{t} {{d}}, {{b}}, {{c}}\naddc.{t} {{e}}, {{a}}, {{c}}", t, [t] * 3, carry=True, results=2)
        f.add(f"sub.cc.{t} {{d}}, {{a}}, {{b}}\nsubc.cc.{t} {{d}}, {{b}}, {{c}}\nsubc.{t} {{e}}, {{a}}, {{c}}", t, [t] * 3, carry=True, results=2)
        f.add(f"sub.cc.{t} {{d}}, {{a}}, {{b}}\naddc.{t} {{e}}, {{a}}, 0", t, [t, t], carry=True, results=2)
        f.add(f"add.cc.{t} {{d}}, {{a}}, {{b}}\nsubc.{t} {{e}}, {{a}}, 0", t, [t, t], carry=True, results=2)
        f.add(f"sub.cc.{t} {{d}}, {{a}}, {{b}}\nsubc.cc.{t} {{d}}, {{b}}, {{a}}\nmadc.lo.{t} {{e}}, {{a}}, 3, 1", t, [t, t], carry=True, results=2)
        for half in ["lo", "hi"]:
            f.add(f"mad.{half}.cc.{t} {{d}}, {{a}}, {{b}}, {{c}}\nmadc.{half}.{t} {{e}}, {{a}}, {{c}}, {{b}}", t, [t] * 3, carry=True, results=2)
            f.add(f"mad.{half}.cc.{t} {{d}}, {{a}}, {{b}}, {{c}}\nmadc.{half}.cc.{t} {{d}}, {{b}}, {{c}}, {{a}}\naddc.{t} {{e}}, 0, 0", t, [t] * 3, carry=True, results=2)
    return f


def bit_operations():
    f = File("bits", "Logic, shifts and bit fields.")
    small = "random 5 0 70"
    for t in ["pred", "b16", "b32", "b64"]:
        for op in ["and", "or", "xor"]:
            f.add(f"{op}.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
        f.add(f"not.{t} {{d}}, {{a}}", t, [t])
    for t in ["b16", "b32", "b64"]:
        f.add(f"cnot.{t} {{d}}, {{a}}", t, [t])
        f.add(f"shl.{t} {{d}}, {{a}}, {{b}}", t, [t, "u32"], inputs={"b": small})
    for t in ["b16", "b32", "b64"] + INTEGERS:
        f.add(f"shr.{t} {{d}}, {{a}}, {{b}}", t, [t, "u32"], inputs={"b": small})
    for table in [0x00, 0x01, 0x1b, 0x80, 0x96, 0xca, 0xe8, 0xfe, 0xff]:
        f.add(f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table:#x}", "b32", ["b32"] * 3, inputs={"a": "bits 1", "b": "bits 2", "c": "bits 3"})
    for op in ["and", "or"]:
        f.add(f"lop3.{op}.b32 _|{{d}}, {{a}}, {{b}}, 3, 0xc0, {{c}}", "pred", ["b32", "b32", "pred"], inputs={"a": "random 1 0 4", "b": "random 2 0 4"})
    for way in ["l", "r"]:
        for mode in ["clamp", "wrap"]:
            f.add(f"shf.{way}.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}}", "b32", ["b32", "b32", "u32"], inputs={"a": "bits 1", "b": "bits 2", "c": small})
    for t in ["b32", "b64"]:
        f.add(f"popc.{t} {{d}}, {{a}}", "u32", [t])
        f.add(f"clz.{t} {{d}}, {{a}}", "u32", [t])
        f.add(f"brev.{t} {{d}}, {{a}}", t, [t])
        f.add(f"bfi.{t} {{d}}, {{a}}, {{b}}, {{c}}, 7", t, [t, t, "u32"], inputs={"c": small})
        f.add(f"bfi.{t} {{d}}, {{a}}, {{b}}, 5, {{c}}", t, [t, t, "u32"], inputs={"c": small})
    for t in ["u32", "s32", "u64", "s64"]:
        f.add(f"bfe.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, [t, "u32", "u32"], inputs={"b": small, "c": "random 6 0 70"})
        f.add(f"bfind.{t} {{d}}, {{a}}", "u32", [t])
        f.add(f"bfind.shiftamt.{t} {{d}}, {{a}}", "u32", [t])
    f.add("fns.b32 {d}, {a}, {b}, {c}", "b32", ["b32", "b32", "s32"], inputs={"a": "bits 1", "b": "random 2 0 31", "c": "random 3 -8 8"})
    for mode in ["clamp", "wrap"]:
        f.add(f"bmsk.{mode}.b32 {{d}}, {{a}}, {{b}}", "b32", ["b32", "b32"], inputs={"a": "random 1 0 40", "b": "random 2 0 40"})
        for t in ["u32", "s32"]:
            f.add(f"szext.{mode}.{t} {{d}}, {{a}}, {{b}}", t, [t, "u32"], inputs={"b": "random 2 0 40"})
    f.add("prmt.b32 {d}, {a}, {b}, {c}", "b32", ["b32"] * 3, inputs={"a": "bits 1", "b": "bits 2", "c": "bits 3"})
    for mode in ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]:
        f.add(f"prmt.b32.{mode} {{d}}, {{a}}, {{b}}, {{c}}", "b32", ["b32"] * 3, inputs={"a": "bits 1", "b": "bits 2", "c": "random 3 0 3"})
    return f


def float_arithmetic():
    f = File("float", "f32 and f64 arithmetic, every rounding.")
    for t in ["f32", "f64"]:
        ftzs = ["", ".ftz"] if t == "f32" else [""]
        for r in ROUND:
            for z in ftzs:
                for op in ["add", "sub", "mul"]:
                    f.add(f"{op}.{r}{z}.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
                f.add(f"fma.{r}{z}.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, [t, t, t])
                f.add(f"div.{r}{z}.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
                f.add(f"rcp.{r}{z}.{t} {{d}}, {{a}}", t, [t])
                f.add(f"sqrt.{r}{z}.{t} {{d}}, {{a}}", t, [t])
        for op in ["min", "max"]:
            for z in ftzs:
                f.add(f"{op}{z}.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
        for z in ftzs:
            f.add(f"abs{z}.{t} {{d}}, {{a}}", t, [t])
            f.add(f"neg{z}.{t} {{d}}, {{a}}", t, [t])
        f.add(f"copysign.{t} {{d}}, {{a}}, {{b}}", t, [t, t])
        for kind in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"]:
            f.add(f"testp.{kind}.{t} {{d}}, {{a}}", "pred", [t])
    for op, count in [("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)]:
        r = ".rn" if op == "fma" else ""
        args = ", ".join("{%s}" % c for c in "abc"[:count])
        f.add(f"{op}{r}.sat.f32 {{d}}, {args}", "f32", ["f32"] * count)
        f.add(f"{op}{r}.ftz.sat.f32 {{d}}, {args}", "f32", ["f32"] * count)
    # Products just below the least normal number: whether they are flushed before or after rounding.
    edge = {"a": "0x3f7fffff*24 0x3f7ffffe*24", "b": "0x00800000*16 0x00800001*16 0x80800000*16", "c": "0*24 0x80000000*24"}
    for r in ROUND:
        f.add(f"mul.{r}.ftz.f32 {{d}}, {{a}}, {{b}}", "f32", ["f32"] * 2, inputs=edge)
        f.add(f"mul.{r}.f32 {{d}}, {{a}}, {{b}}", "f32", ["f32"] * 2, inputs=edge)
        f.add(f"fma.{r}.ftz.f32 {{d}}, {{a}}, {{b}}, {{c}}", "f32", ["f32"] * 3, inputs=edge)
        f.add(f"div.{r}.ftz.f32 {{d}}, {{b}}, {{c}}", "f32", ["f32"] * 3, inputs={**edge, "c": "0x3f800001*20 0x3f800002*28"})
    half_edge = {"a": "0x3bff*24 0x3bfe*24", "b": "0x0400*16 0x0401*16 0x8400*16"}
    f.add("mul.rn.ftz.f16 {d}, {a}, {b}", "f16", ["f16"] * 2, inputs=half_edge)
    f.add("cvt.rn.ftz.f32.f64 {d}, {a}", "f32", ["f64"], inputs={"a": "0x380fffffe0000000*12 0x380fffffefffffff*12 0x380ffffff0000000*12 0xb80ffffff8000000*12"})
    for op in ["min", "max"]:
        for m in [".NaN", ".xorsign.abs", ".NaN.xorsign.abs", ".ftz.NaN"]:
            f.add(f"{op}{m}.f32 {{d}}, {{a}}, {{b}}", "f32", ["f32", "f32"])
    return f


def nans():
    f = File("nan", "Which NaN comes out: signs and payloads. GPUs give one NaN in f32 and narrower, and keep payloads in f64.")
    f64 = {"a": "0x7ff0000000000001*8 0xfff8000000000022*8 0x7ff8000000000333*8 0x3ff0000000000000*8 0x7ff0000000000000*8 0x8000000000000000*8",
           "b": "0xfff0000000000004*4 0x7ff8000000000055*4 0x4000000000000000*4 0xfff0000000000000*4 0x7ff8000000000055*8 "
                "0xfff0000000000004*8 0xfff0000000000000*8 0x7ff0000000000000*4 0*4",
           "c": "0x7ffabcdef0000000*2 0x3ff0000000000000*2 0x7ffabcdef0000000*2 0x3ff0000000000000*2 0x7ffabcdef0000000*2 "
                "0x3ff0000000000000*2 0x7ffabcdef0000000*2 0x3ff0000000000000*2 0x7ffabcdef0000000*16 0x3ff0000000000000*16"}
    f32 = {"a": "0x7f800001*8 0xffc00022*8 0x7fc00333*8 0x3f800000*8 0x7f800000*8 0x80000000*8",
           "b": "0xff800004*4 0x7fc00055*4 0x40000000*4 0xff800000*4 0x7fc00055*8 0xff800004*8 0xff800000*8 0x7f800000*4 0*4", "c": "0x7fd00005*24 0x3f800000*24"}
    for t, inputs, tag in [("f64", f64, "b64"), ("f32", f32, "b32")]:
        for op, n in [("add.rn", 2), ("sub.rn", 2), ("mul.rn", 2), ("div.rn", 2), ("fma.rn", 3), ("min", 2), ("max", 2), ("sqrt.rn", 1), ("rcp.rn", 1), ("abs", 1), ("neg", 1)]:
            moves = "".join(f"mov.b{t[1:]} %x{c}, {{{c}}}\n" for c in "abc"[:n])
            regs = "\n".join(f".reg .{t} %x{c}" for c in "abc"[:n]) + f"\n.reg .{t} %y\n"
            text = regs + moves + f"{op}.{t} %y, " + ", ".join(f"%x{c}" for c in "abc"[:n]) + f"\nmov.b{t[1:]} {{d}}, %y"
            # Which of several NaN operands: the CPU device leaves that to the host.
            on = "interp" if t == "f64" and op in ("add.rn", "sub.rn", "mul.rn", "fma.rn") else None
            f.add(text, tag, [tag] * n, inputs=inputs, name=f"{op}_{t}".replace(".", "_"), on=on)
    for text, to, source in [("cvt.f64.f32", "b64", "b32"), ("cvt.ftz.f64.f32", "b64", "b32"), ("cvt.rn.f32.f64", "b32", "b64"), ("cvt.rz.f32.f64", "b32", "b64"),
                             ("cvt.rni.f64.f64", "b64", "b64"), ("cvt.rni.f32.f32", "b32", "b32"), ("cvt.f32.f32", "b32", "b32"), ("cvt.f64.f64", "b64", "b64")]:
        regs = f".reg .f{source[1:]} %x\n.reg .f{to[1:]} %y\n"
        body = f"mov.{source} %x, {{a}}\n{text} %y, %x\nmov.{to} {{d}}, %y"
        f.add(regs + body, to, [source], inputs={"a": (f64 if source == "b64" else f32)["a"]}, name=text.replace(".", "_"))
    half = {"a": "0x7c01*8 0xfe22*8 0x7e33*8 0x3c00*8 0x7c00*8 0x8000*8", "b": "0xfc04*4 0x7e55*4 0x4000*4 0xfc00*4 0x7e55*8 0xfc04*8 0xfc00*8 0x7c00*4 0*4"}
    brain = {"a": "0x7f81*8 0xffc2*8 0x7fc3*8 0x3f80*8 0x7f80*8 0x8000*8", "b": "0xff84*4 0x7fc5*4 0x4000*4 0xff80*4 0x7fc5*8 0xff84*8 0xff80*8 0x7f80*4 0*4"}
    for t, inputs in [("f16", half), ("bf16", brain)]:
        for op, n in [("add.rn", 2), ("sub.rn", 2), ("mul.rn", 2), ("min", 2), ("max.NaN", 2), ("abs", 1), ("neg", 1)]:
            args = ", ".join("{%s}" % c for c in "ab"[:n])
            f.add(f"{op}.{t} {{d}}, {args}", "b16", ["b16"] * n, inputs=inputs)
        f.add(f"cvt.f32.{t} %y, {{a}}\nmov.b32 {{d}}, %y", "b32", ["b16"], inputs=inputs, pre=".reg .f32 %y\n")
        if t == "f16":
            f.add(f"cvt.f64.{t} %y, {{a}}\nmov.b64 {{d}}, %y", "b64", ["b16"], inputs=inputs, pre=".reg .f64 %y\n")
    f32only = {"a": f32["a"]}
    for text, to in [("cvt.rn.f16.f32", "b16"), ("cvt.rn.bf16.f32", "b16"), ("cvt.rz.bf16.f32", "b16"), ("cvt.rna.tf32.f32", "b32"), ("cvt.rn.tf32.f32", "b32")]:
        f.add(f"mov.b32 %x, {{a}}\n{text} {{d}}, %x", to, ["b32"], inputs=f32only, pre=".reg .f32 %x\n", name=text.replace(".", "_"))
    f.add("mov.b64 %x, {a}\ncvt.rn.f16.f64 {d}, %x", "b16", ["b64"], inputs={"a": f64["a"]}, pre=".reg .f64 %x\n", name="cvt_rn_f16_f64")
    for op in ["rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"]:
        f.add(f"mov.b32 %x, {{a}}\n{op}.approx.f32 %y, %x\nsetp.num.f32 %p, %y, %y\n@%p mov.f32 %y, 0f00000000\nmov.b32 {{d}}, %y", "b32", ["b32"], inputs=f32only,
              pre=".reg .f32 %x\n.reg .f32 %y\n.reg .pred %p\n", name=f"{op}_approx")
    return f


def half_arithmetic():
    f = File("half", "f16 and bf16 arithmetic, scalar and packed.")
    for t in ["f16", "f16x2", "bf16", "bf16x2"]:
        brain = t.startswith("b")
        packed = {"a": "bits 1", "b": "bits 2", "c": "bits 3"} if "x2" in t else {}
        mods = [""] if brain else ["", ".ftz", ".sat", ".ftz.sat"]
        for m in mods:
            for op in ["add", "sub", "mul"]:
                f.add(f"{op}.rn{m}.{t} {{d}}, {{a}}, {{b}}", t, [t, t], inputs=packed)
            f.add(f"fma.rn{m}.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, [t] * 3, inputs=packed)
        f.add(f"fma.rn.relu.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, [t] * 3, inputs=packed)
        f.add(f"abs.{t} {{d}}, {{a}}", t, [t], inputs=packed)
        f.add(f"neg.{t} {{d}}, {{a}}", t, [t], inputs=packed)
        for op in ["min", "max"]:
            for m in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"]:
                f.add(f"{op}{m}.{t} {{d}}, {{a}}, {{b}}", t, [t, t], inputs=packed)
            if not brain:
                f.add(f"{op}.ftz.{t} {{d}}, {{a}}, {{b}}", t, [t, t], inputs=packed)
    return f


def approximations():
    f = File("approximate", "Approximate instructions; the tolerance is what the PTX ISA states.")
    plain = {"a": "random 1 -6 6"}
    positive = {"a": "random 1 0.001 50"}
    for z in ["", ".ftz"]:
        f.add(f"rcp.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "ulp 1", plain)
        f.add(f"rcp.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "ulp 1")
        f.add(f"sqrt.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "ulp 2", positive)
        f.add(f"sqrt.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "ulp 2")
        f.add(f"rsqrt.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "ulp 4", positive)
        f.add(f"rsqrt.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "ulp 4")
        f.add(f"sin.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "abs 1e-6", plain)
        f.add(f"cos.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "abs 1e-6", plain)
        f.add(f"lg2.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "abs 1e-6", positive)
        f.add(f"lg2.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "rel 3e-7 abs 3e-7")
        f.add(f"ex2.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "rel 3e-7", plain)
        f.add(f"ex2.approx{z}.f32 {{d}}, {{a}}", "f32", ["f32"], "rel 3e-7", {"a": "iota -160 7"})
        f.add(f"div.approx{z}.f32 {{d}}, {{a}}, {{b}}", "f32", ["f32", "f32"], "ulp 2", {"a": "random 1 -9 9", "b": "random 2 -9 9"})
        f.add(f"div.full{z}.f32 {{d}}, {{a}}, {{b}}", "f32", ["f32", "f32"], "ulp 2", {"a": "random 1 -9 9", "b": "random 2 -9 9"})
    f.add("tanh.approx.f32 {d}, {a}", "f32", ["f32"], "rel 5e-4", plain)
    f.add("rcp.approx.ftz.f64 {d}, {a}", "f64", ["f64"], "rel 2e-6", plain)
    f.add("rcp.approx.ftz.f64 {d}, {a}", "f64", ["f64"], "rel 2e-6")
    f.add("rsqrt.approx.ftz.f64 {d}, {a}", "f64", ["f64"], "rel 4e-6", positive)
    f.add("rsqrt.approx.f64 {d}, {a}", "f64", ["f64"], "rel 4e-6", positive)
    for t in ["f16", "f16x2"]:
        inputs = plain if t == "f16" else {"a": "fill 0x3c00b800"}
        f.add(f"ex2.approx.{t} {{d}}, {{a}}", t, [t], "rel 2.2e-3", inputs)
        f.add(f"tanh.approx.{t} {{d}}, {{a}}", t, [t], "abs 1e-3", inputs)
    for t in ["bf16", "bf16x2"]:
        inputs = plain if t == "bf16" else {"a": "fill 0x3f80bf00"}
        f.add(f"ex2.approx.ftz.{t} {{d}}, {{a}}", t, [t], "rel 1.6e-2", inputs)
        f.add(f"tanh.approx.{t} {{d}}, {{a}}", t, [t], "abs 8e-3", inputs)
    return f


def contains(outer, inner):
    """Whether every value of the integer type `inner` is one of `outer`."""
    o, i = int(outer[1:]), int(inner[1:])
    if outer[0] == inner[0]:
        return o >= i
    return outer[0] == "s" and o > i


def conversions_integer():
    f = File("convert_integer", "cvt between integers and from floats to integers.")
    wide = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"]
    for to in wide:
        for source in wide:
            f.add(f"cvt.{to}.{source} {{d}}, {{a}}", to, [source])
            if not contains(to, source):
                f.add(f"cvt.sat.{to}.{source} {{d}}, {{a}}", to, [source])
    for source in ["f16", "f32", "f64", "bf16"]:
        for to in wide:
            if source == "bf16" and to in ("u8", "s8"):
                continue  # there is none
            for r in WHOLE:
                name = f"cvt.{r}.{to}.{source}"
                f.add(f"{name} {{d}}, {{a}}", to, [source])
            if source == "f32":
                f.add(f"cvt.rni.ftz.{to}.f32 {{d}}, {{a}}", to, [source])
                f.add(f"cvt.rzi.{to}.f32 {{d}}, {{a}}", to, [source], inputs={"a": "random 3 -70000 70000"})
                f.add(f"cvt.rni.{to}.f32 {{d}}, {{a}}", to, [source], inputs={"a": "iota -12.5 0.5"})
            if source == "f64":
                f.add(f"cvt.rzi.{to}.f64 {{d}}, {{a}}", to, [source], inputs={"a": "random 3 -1e19 2e19"})
    for op in [("u16", "s32"), ("s16", "s32")]:
        f.add(f"cvt.pack.sat.{op[0]}.s32 {{d}}, {{a}}, {{b}}", "b32", ["s32", "s32"], inputs={"a": "random 1 -90000 90000", "b": "random 2 -90000 90000"})
    for to in ["u8", "s8", "u4", "s4", "u2", "s2"]:
        f.add(f"cvt.pack.sat.{to}.s32.b32 {{d}}, {{a}}, {{b}}, {{c}}", "b32", ["s32", "s32", "b32"],
              inputs={"a": "random 1 -300 300", "b": "random 2 -10 10", "c": "bits 3"})
    return f


def conversions_float():
    f = File("convert_float", "cvt to floating-point types.")
    for to in ["f16", "f32", "f64"]:
        for source in ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"]:
            for r in ROUND:
                f.add(f"cvt.{r}.{to}.{source} {{d}}, {{a}}", to, [source])
    f.add("cvt.rn.sat.f32.s32 {d}, {a}", "f32", ["s32"])
    for source in ["u32", "s32", "u16", "s64"]:
        for r in ROUND:
            f.add(f"cvt.{r}.bf16.{source} {{d}}, {{a}}", "bf16", [source])
    for t in ["f16", "f32", "f64"]:
        for r in WHOLE:
            f.add(f"cvt.{r}.{t}.{t} {{d}}, {{a}}", t, [t])
            f.add(f"cvt.{r}.{t}.{t} {{d}}, {{a}}", t, [t], inputs={"a": "iota -6 0.25"})
            f.add(f"cvt.{r}.sat.{t}.{t} {{d}}, {{a}}", t, [t])
        f.add(f"cvt.{t}.{t} {{d}}, {{a}}", t, [t])
        f.add(f"cvt.sat.{t}.{t} {{d}}, {{a}}", t, [t])
    f.add("cvt.ftz.f32.f32 {d}, {a}", "f32", ["f32"])
    f.add("cvt.rni.ftz.f32.f32 {d}, {a}", "f32", ["f32"])
    f.add("cvt.ftz.sat.f32.f32 {d}, {a}", "f32", ["f32"])
    for to, source in [("f64", "f32"), ("f32", "f16"), ("f64", "f16")]:
        f.add(f"cvt.{to}.{source} {{d}}, {{a}}", to, [source])
        f.add(f"cvt.sat.{to}.{source} {{d}}, {{a}}", to, [source])
    f.add("cvt.f32.bf16 {d}, {a}", "f32", ["bf16"])
    f.add("cvt.ftz.f64.f32 {d}, {a}", "f64", ["f32"])
    f.add("cvt.ftz.f32.f16 {d}, {a}", "f32", ["f16"])
    near = {"f32": "random 9 -3 3", "f64": "random 9 -3 3"}
    for to, source in [("f32", "f64"), ("f16", "f32"), ("f16", "f64")]:
        for r in ROUND:
            f.add(f"cvt.{r}.{to}.{source} {{d}}, {{a}}", to, [source])
            f.add(f"cvt.{r}.{to}.{source} {{d}}, {{a}}", to, [source], inputs={"a": near[source]})
            f.add(f"cvt.{r}.{to}.{source} {{d}}, {{a}}", to, [source], inputs={"a": "iota -100000 4096.5"})
        f.add(f"cvt.rn.sat.{to}.{source} {{d}}, {{a}}", to, [source])
    f.add("cvt.rn.ftz.f32.f64 {d}, {a}", "f32", ["f64"])
    f.add("cvt.rn.ftz.f16.f32 {d}, {a}", "f16", ["f32"])
    for to in ["bf16", "f16"]:
        for r in ["rn", "rz"]:
            for m in ["", ".relu"]:
                f.add(f"cvt.{r}{m}.{to}.f32 {{d}}, {{a}}", to, ["f32"])
                f.add(f"cvt.{r}{m}.{to}.f32 {{d}}, {{a}}", to, ["f32"], inputs={"a": "random 4 -3 3"})
                f.add(f"cvt.{r}{m}.{to}x2.f32 {{d}}, {{a}}, {{b}}", to + "x2", ["f32", "f32"])
    for m in ["rna", "rn", "rz", "rn.relu", "rz.relu"]:
        f.add(f"cvt.{m}.tf32.f32 {{d}}, {{a}}", "tf32", ["f32"])
        f.add(f"cvt.{m}.tf32.f32 {{d}}, {{a}}", "tf32", ["f32"], inputs={"a": "random 4 -3 3"})
    for to in ["e4m3x2", "e5m2x2"]:
        for m in ["", ".relu"]:
            f.add(f"cvt.rn.satfinite{m}.{to}.f32 {{d}}, {{a}}, {{b}}", to, ["f32", "f32"])
            f.add(f"cvt.rn.satfinite{m}.{to}.f32 {{d}}, {{a}}, {{b}}", to, ["f32", "f32"], inputs={"a": "random 4 -3 3", "b": "random 5 -500 500"})
            f.add(f"cvt.rn.satfinite{m}.{to}.f16x2 {{d}}, {{a}}", to, ["f16x2"], inputs={"a": "bits 1"})
            f.add(f"cvt.rn{m}.f16x2.{to} {{d}}, {{a}}", "f16x2", [to], inputs={"a": "bits 1"})
    return f


def comparisons():
    f = File("compare", "setp, set, selp and slct.")
    ordered = ["eq", "ne", "lt", "le", "gt", "ge"]
    few = {t: {"a": "random 1 0 3", "b": "random 2 0 3"} for t in INTEGERS}
    for t in INTEGERS:
        for c in ordered:
            f.add(f"setp.{c}.{t} {{d}}, {{a}}, {{b}}", "pred", [t, t])
    for t in ["u32"]:
        for c in ["lo", "ls", "hi", "hs"]:
            f.add(f"setp.{c}.{t} {{d}}, {{a}}, {{b}}", "pred", [t, t], inputs=few[t])
    for t in ["b16", "b32", "b64"]:
        f.add(f"setp.eq.{t} {{d}}, {{a}}, {{b}}", "pred", [t, t])
    for t in ["f16", "f32", "f64", "bf16"]:
        for c in ordered + ["equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]:
            f.add(f"setp.{c}.{t} {{d}}, {{a}}, {{b}}", "pred", [t, t])
    f.add("setp.lt.ftz.f32 {d}, {a}, {b}", "pred", ["f32", "f32"])
    for b in ["and", "or", "xor"]:
        f.add(f"setp.lt.{b}.s32 {{d}}|{{e}}, {{a}}, {{b}}, {{c}}", "pred", ["s32", "s32", "pred"], results=2)
        f.add(f"setp.lt.{b}.s32 {{d}}|{{e}}, {{a}}, {{b}}, !{{c}}", "pred", ["s32", "s32", "pred"], results=2)
        f.add(f"setp.gtu.{b}.f32 {{d}}|{{e}}, {{a}}, {{b}}, {{c}}", "pred", ["f32", "f32", "pred"], results=2)
    f.add("setp.lt.f16x2 {d}|{e}, {a}, {b}", "pred", ["f16x2", "f16x2"], inputs={"a": "bits 1", "b": "bits 2"}, results=2)
    f.add("setp.geu.bf16x2 {d}|{e}, {a}, {b}", "pred", ["bf16x2", "bf16x2"], inputs={"a": "bits 1", "b": "bits 2"}, results=2)
    for d in ["u32", "s32", "f32"]:
        for s in ["s16", "u32", "s32", "s64", "f32", "f64"]:
            f.add(f"set.le.{d}.{s} {{d}}, {{a}}, {{b}}", d, [s, s])
        f.add(f"set.gt.and.{d}.s32 {{d}}, {{a}}, {{b}}, {{c}}", d, ["s32", "s32", "pred"])
        f.add(f"set.ltu.or.{d}.f32 {{d}}, {{a}}, {{b}}, !{{c}}", d, ["f32", "f32", "pred"])
    for d in ["f16", "u16", "s16", "u32"]:
        f.add(f"set.gtu.{d}.f16 {{d}}, {{a}}, {{b}}", d, ["f16", "f16"])
    for d in ["f16x2", "u32"]:
        f.add(f"set.lt.{d}.f16x2 {{d}}, {{a}}, {{b}}", d, ["f16x2", "f16x2"], inputs={"a": "bits 1", "b": "bits 2"})
    for d in ["bf16x2", "u32"]:
        f.add(f"set.lt.{d}.bf16x2 {{d}}, {{a}}, {{b}}", d, ["bf16x2", "bf16x2"], inputs={"a": "bits 1", "b": "bits 2"})
    for t in ["b16", "b32", "b64", "u16", "s32", "u64", "f32", "f64"]:
        f.add(f"selp.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, [t, t, "pred"])
    for t in ["b16", "b32", "b64", "u32", "s64", "f32", "f64"]:
        f.add(f"slct.{t}.s32 {{d}}, {{a}}, {{b}}, {{c}}", t, [t, t, "s32"])
        f.add(f"slct.{t}.f32 {{d}}, {{a}}, {{b}}, {{c}}", t, [t, t, "f32"])
    f.add("slct.ftz.u32.f32 {d}, {a}, {b}, {c}", "u32", ["u32", "u32", "f32"])
    return f


def video():
    f = File("video", "Video instructions.")
    i = {"a": "bits 1", "b": "bits 2", "c": "bits 3"}
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"]:
        for d in ["u32", "s32"]:
            for a in ["u32", "s32"]:
                f.add(f"{op}.{d}.{a}.s32 {{d}}, {{a}}.b1, {{b}}.h1", d, ["b32", "b32"], inputs=i)
                f.add(f"{op}.{d}.{a}.u32.sat {{d}}, {{a}}, {{b}}.b3", d, ["b32", "b32"], inputs=i)
                f.add(f"{op}.{d}.{a}.{a}.sat.add {{d}}, {{a}}.h0, {{b}}.b2, {{c}}", d, ["b32"] * 3, inputs=i)
            f.add(f"{op}.{d}.s32.u32.min {{d}}, {{a}}.b0, {{b}}.h1, {{c}}", d, ["b32"] * 3, inputs=i)
            f.add(f"{op}.{d}.s32.u32.max {{d}}, {{a}}.b0, {{b}}.h1, {{c}}", d, ["b32"] * 3, inputs=i)
            # GPUs that emulate these differ from the ISA in d.h1, and where .sat meets a selected part of the destination.
            f.add(f"{op}.{d}.u32.u32 {{d}}.b2, {{a}}.h0, {{b}}.b3, {{c}}", d, ["b32"] * 3, inputs=i)
    for op in ["vshl", "vshr"]:
        for mode in ["clamp", "wrap"]:
            for t in ["u32", "s32"]:
                f.add(f"{op}.{t}.{t}.u32.{mode} {{d}}, {{a}}.h1, {{b}}", t, ["b32", "u32"], inputs={"a": "bits 1", "b": "random 2 0 40"})
                f.add(f"{op}.{t}.{t}.u32.{mode}.add {{d}}, {{a}}, {{b}}, {{c}}", t, ["b32", "u32", "b32"], inputs={"a": "bits 1", "b": "random 2 0 40", "c": "bits 3"})
    for s in ["", ".shr7", ".shr15"]:
        for sat in ["", ".sat"]:
            f.add(f"vmad.s32.s32.s32{sat}{s} {{d}}, {{a}}.h0, {{b}}.h1, {{c}}", "s32", ["b32"] * 3, inputs=i)
            if not (sat and s):
                f.add(f"vmad.u32.u32.u32{sat}{s} {{d}}, {{a}}.b0, {{b}}.h1, {{c}}", "u32", ["b32"] * 3, inputs=i)
            f.add(f"vmad.s32.u32.s32{sat}{s} {{d}}, -{{a}}.h0, {{b}}.h1, {{c}}", "s32", ["b32"] * 3, inputs=i)
            f.add(f"vmad.s32.u32.u32{sat}{s} {{d}}, {{a}}.h0, {{b}}.h1, -{{c}}", "s32", ["b32"] * 3, inputs=i)
    f.add("vmad.u32.u32.u32.po {d}, {a}.h0, {b}.h1, {c}", "u32", ["b32"] * 3, inputs=i)
    for c in ["eq", "ne", "lt", "le", "gt", "ge"]:
        f.add(f"vset.u32.s32.{c} {{d}}, {{a}}.b0, {{b}}.b1", "u32", ["b32", "b32"], inputs=i)
        f.add(f"vset.s32.s32.{c}.add {{d}}, {{a}}.b0, {{b}}.b1, {{c}}", "u32", ["b32"] * 3, inputs=i)
    for n in ["2", "4"]:
        for op in ["vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"]:
            for t in ["u32", "s32"]:
                f.add(f"{op}{n}.{t}.{t}.{t} {{d}}, {{a}}, {{b}}, {{c}}", t, ["b32"] * 3, inputs=i)
                f.add(f"{op}{n}.{t}.{t}.{t}.sat {{d}}, {{a}}, {{b}}, {{c}}", t, ["b32"] * 3, inputs=i)
                f.add(f"{op}{n}.{t}.{t}.{t}.add {{d}}, {{a}}, {{b}}, {{c}}", t, ["b32"] * 3, inputs=i)
        for c in ["eq", "lt", "ge"]:
            f.add(f"vset{n}.u32.u32.{c} {{d}}, {{a}}, {{b}}, {{c}}", "u32", ["b32"] * 3, inputs=i)
            f.add(f"vset{n}.s32.s32.{c}.add {{d}}, {{a}}, {{b}}, {{c}}", "u32", ["b32"] * 3, inputs=i)
    f.add("vadd2.s32.s32.s32 {d}.h1, {a}.h20, {b}.h13, {c}", "s32", ["b32"] * 3, inputs=i)
    f.add("vsub4.u32.u32.u32.sat {d}.b31, {a}.b7610, {b}.b0123, {c}", "u32", ["b32"] * 3, inputs=i)
    return f


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run", "arithmetic")
    folder = sys.argv[1] if len(sys.argv) > 1 else default
    global LANES, SEED
    LANES = int(sys.argv[2]) if len(sys.argv) > 2 else LANES
    SEED = int(sys.argv[3]) if len(sys.argv) > 3 else SEED
    os.makedirs(folder, exist_ok=True)
    for make in [integer_arithmetic, bit_operations, float_arithmetic, nans, half_arithmetic, approximations, conversions_integer,
                 conversions_float, comparisons, video]:
        make().write(folder)


if __name__ == "__main__":
    main()
