#include <gtest/gtest.h>

#include "device/cpu_codegen/arithmetic_harness.hpp"

namespace heddle::test {
namespace {

struct IntegerType {
  const char* type;
  const char* reg;   // register letter
  const char* wide;  // twice as wide
};
constexpr IntegerType integer_types[] = {{"u16", "h", "r"}, {"s16", "h", "r"}, {"u32", "r", "d"},
                                         {"s32", "r", "d"}, {"u64", "d", ""},  {"s64", "d", ""}};

// "%r0, %r1, ..." with `count` sources.
std::string registers(const std::string& letter, unsigned count) {
  std::string text;
  for (unsigned i = 0; i <= count; ++i) text += (i ? ", %" : "%") + letter + std::to_string(i);
  return text;
}

void check_types(const std::string& mnemonic, unsigned sources, const std::string& only = "") {
  for (const IntegerType& t : integer_types)
    if (only.empty() || only.find(t.type) != std::string::npos)
      expect_exact(mnemonic + "." + t.type + " " + registers(t.reg, sources));
}

TEST(IntegerArithmetic, AddSubtract) {
  check_types("add", 2);
  check_types("sub", 2);
  expect_exact_all({"add.sat.s32 %r0, %r1, %r2", "sub.sat.s32 %r0, %r1, %r2", "add.u16x2 %r0, %r1, %r2",
                    "add.s16x2 %r0, %r1, %r2", "add.s32 %r0, %r1, 7", "sub.u64 %d0, %d1, 100000000000"});
}

TEST(IntegerArithmetic, MultiplyAndAdd) {
  check_types("mul.lo", 2);
  check_types("mul.hi", 2);
  check_types("mad.lo", 3);
  check_types("mad.hi", 3);
  for (const IntegerType& t : integer_types) {
    if (!*t.wide) continue;
    const std::string type = t.type, r = t.reg, w = t.wide;
    expect_exact("mul.wide." + type + " %" + w + "0, %" + r + "1, %" + r + "2");
    expect_exact("mad.wide." + type + " %" + w + "0, %" + r + "1, %" + r + "2, %" + w + "3");
  }
  expect_exact("mad.hi.sat.s32 %r0, %r1, %r2, %r3");
}

TEST(IntegerArithmetic, Multiply24SumOfDifferencesAndDots) {
  for (const char* half : {"lo", "hi"}) {
    check_types(std::string("mul24.") + half, 2, "u32 s32");
    check_types(std::string("mad24.") + half, 3, "u32 s32");
    for (const char* types : {"u32.u32", "u32.s32", "s32.u32", "s32.s32"})
      expect_exact(std::string("dp2a.") + half + "." + types + " %r0, %r1, %r2, %r3");
  }
  expect_exact("mad24.hi.sat.s32 %r0, %r1, %r2, %r3");
  check_types("sad", 3);
  for (const char* types : {"u32.u32", "u32.s32", "s32.u32", "s32.s32"})
    expect_exact(std::string("dp4a.") + types + " %r0, %r1, %r2, %r3");
}

TEST(IntegerArithmetic, Division) {
  check_types("div", 2);
  check_types("rem", 2);
}

TEST(IntegerArithmetic, DivisionOfManyRandomOperands) {
  for (const char* text :
       {"div.u32 %r0, %r1, %r2", "rem.s32 %r0, %r1, %r2", "div.u64 %d0, %d1, %d2", "rem.s64 %d0, %d1, %d2"}) {
    const TestInstruction test = parse_instruction(text);
    expect_exact(test, make_batch(test, 60000, 7));
  }
}

TEST(IntegerArithmetic, DivisionByConstants) {
  for (const char* divisor : {"1", "2", "3", "7", "10", "1000", "-1", "-5", "0", "65535", "2147483647"}) {
    const std::string d = divisor;
    expect_exact_all({"div.u32 %r0, %r1, " + d, "rem.u32 %r0, %r1, " + d, "div.s32 %r0, %r1, " + d,
                      "rem.s32 %r0, %r1, " + d, "div.u64 %d0, %d1, " + d, "rem.s64 %d0, %d1, " + d},
                     600);
  }
}

TEST(IntegerArithmetic, AbsoluteNegatedAndExtremes) {
  check_types("abs", 1, "s16 s32 s64");
  check_types("neg", 1, "s16 s32 s64");
  check_types("min", 2);
  check_types("max", 2);
  for (const char* name : {"min", "max"})
    for (const char* rest : {".u16x2", ".s16x2", ".relu.s16x2", ".relu.s32"})
      expect_exact(std::string(name) + rest + " %r0, %r1, %r2");
}

TEST(IntegerArithmetic, Carries) {
  for (const char* type : {"u32", "s32", "u64", "s64"}) {
    const std::string t = type, r = t[1] == '3' ? "r" : "d";
    for (const char* name : {"add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc"})
      expect_exact(name + ("." + t) + " " + registers(r, 2));
    for (const char* name : {"mad.lo.cc", "mad.hi.cc", "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc"})
      expect_exact(name + ("." + t) + " " + registers(r, 3));
  }
}

TEST(Bits, Logic) {
  for (const char* name : {"and", "or", "xor"})
    for (const char* type : {"pred %p0, %p1, %p2", "b16 %h0, %h1, %h2", "b32 %r0, %r1, %r2", "b64 %d0, %d1, %d2"})
      expect_exact(std::string(name) + "." + type);
  expect_exact_all({"not.pred %p0, %p1", "not.b16 %h0, %h1", "not.b32 %r0, %r1", "not.b64 %d0, %d1",
                    "cnot.b16 %h0, %h1", "cnot.b32 %r0, %r1", "cnot.b64 %d0, %d1"});
}

TEST(Bits, EveryLogicTable) {
  const TestInstruction first = parse_instruction("lop3.b32 %r0, %r1, %r2, %r3, 0");
  const Batch batch = make_batch(first, 64);
  for (unsigned table = 0; table < 256; ++table)
    expect_exact(parse_instruction("lop3.b32 %r0, %r1, %r2, %r3, " + std::to_string(table)), batch,
                 {{Processor::host, 16}});
  expect_exact("lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 0x80, %p1");
  expect_exact("lop3.and.b32 %r0|%p0, %r1, %r2, %r3, 0x96, %p1");
}

TEST(Bits, Shifts) {
  for (const char* type : {"b16 %h0, %h1", "b32 %r0, %r1", "b64 %d0, %d1"}) {
    const std::string t = type;
    for (const char* amount : {"%r2", "0", "5", "16", "31", "32", "63", "64", "100"})
      expect_exact("shl." + t + ", " + amount, 1500);
  }
  for (const char* type : {"u16 %h0, %h1", "s16 %h0, %h1", "b32 %r0, %r1", "u32 %r0, %r1", "s32 %r0, %r1",
                           "u64 %d0, %d1", "s64 %d0, %d1"}) {
    const std::string t = type;
    for (const char* amount : {"%r2", "0", "5", "16", "31", "32", "63", "64", "100"})
      expect_exact("shr." + t + ", " + amount, 1500);
  }
  for (const char* mode : {"l.clamp", "l.wrap", "r.clamp", "r.wrap"}) {
    expect_exact(std::string("shf.") + mode + ".b32 %r0, %r1, %r2, %r3");
    expect_exact(std::string("shf.") + mode + ".b32 %r0, %r1, %r2, 9");
  }
}

TEST(Bits, CountAndFind) {
  expect_exact_all({"popc.b32 %r0, %r1", "popc.b64 %r0, %d1", "clz.b32 %r0, %r1", "clz.b64 %r0, %d1",
                    "brev.b32 %r0, %r1", "brev.b64 %d0, %d1", "fns.b32 %r0, %r1, %r2, %r3"});
  for (const char* type : {"u32 %r0, %r1", "s32 %r0, %r1", "u64 %r0, %d1", "s64 %r0, %d1"}) {
    expect_exact(std::string("bfind.") + type);
    expect_exact(std::string("bfind.shiftamt.") + type);
  }
  const TestInstruction nth = parse_instruction("fns.b32 %r0, %r1, %r2, %r3");
  Batch small = make_batch(nth, 2000);
  for (std::size_t k = 0; k < small.size(); ++k) {
    small.inputs[1][k] %= 32;
    small.inputs[2][k] = static_cast<std::uint32_t>(static_cast<std::int32_t>(small.inputs[2][k] % 65) - 32);
  }
  expect_exact(nth, small);
}

TEST(Bits, Fields) {
  expect_exact_all({"bfe.u32 %r0, %r1, %r2, %r3", "bfe.s32 %r0, %r1, %r2, %r3", "bfe.u64 %d0, %d1, %r2, %r3",
                    "bfe.s64 %d0, %d1, %r2, %r3", "bfi.b32 %r0, %r1, %r2, %r3, %r4", "bfi.b64 %d0, %d1, %d2, %r3, %r4",
                    "bmsk.clamp.b32 %r0, %r1, %r2", "bmsk.wrap.b32 %r0, %r1, %r2", "szext.clamp.u32 %r0, %r1, %r2",
                    "szext.wrap.u32 %r0, %r1, %r2", "szext.clamp.s32 %r0, %r1, %r2", "szext.wrap.s32 %r0, %r1, %r2"},
                   9000);
  expect_exact_all({"bfe.u32 %r0, %r1, 8, 8", "bfe.s32 %r0, %r1, 4, 12", "bfe.s32 %r0, %r1, 28, 12",
                    "bfe.s64 %d0, %d1, 63, 9", "bfe.u64 %d0, %d1, 0, 64", "bfi.b32 %r0, %r1, %r2, 8, 16",
                    "bfi.b32 %r0, %r1, %r2, 0, 32", "bfi.b64 %d0, %d1, %d2, 60, 8", "bfe.s32 %r0, %r1, 3, 0"},
                   600);
}

TEST(Bits, Permutations) {
  for (const char* mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"}) {
    const std::string prmt = std::string("prmt.b32") + mode + " %r0, %r1, %r2, ";
    expect_exact(prmt + "%r3");
    for (const char* selector : {"0", "1", "2", "3"}) expect_exact(prmt + selector, 300);
  }
  for (const char* selector : {"0x7531", "0x0123", "0x5410", "0x9ba8", "0xfedc", "0x4321", "0x8888", "0x6420"})
    expect_exact(std::string("prmt.b32 %r0, %r1, %r2, ") + selector, 300);
}

TEST(Moves, PackAndUnpack) {
  expect_exact_all({"mov.b16 %h0, %h1", "mov.u32 %r0, %r1", "mov.b64 %d0, %d1", "mov.f32 %f0, %f1", "mov.f64 %g0, %g1",
                    "mov.pred %p0, %p1", "mov.u32 %r0, 77", "mov.f32 %f0, 0f3f800000"},
                   200);
}

// The oracle computes no vectors: checked by hand.
TEST(Moves, VectorElements) {
  struct Case {
    const char* text;
    std::vector<std::uint64_t> in, out;
  };
  const Case cases[] = {
      {"mov.b32 %r0, {%h1, %h2}", {0x1234, 0xabcd}, {0xabcd1234}},
      {"mov.b32 {%h0, %h1}, %r2", {0xabcd1234}, {0x1234, 0xabcd}},
      {"mov.b64 %d0, {%r1, %r2}", {0x01234567, 0x89abcdef}, {0x89abcdef01234567}},
      {"mov.b64 %d0, {%f1, %f2}", {0x3f800000, 0x40000000}, {0x400000003f800000}},
      {"mov.b64 {%r0, %r1}, %d2", {0x89abcdef01234567}, {0x01234567, 0x89abcdef}},
      {"mov.b64 {%h0, %h1, %h2, %h3}, %d4", {0x4444333322221111}, {0x1111, 0x2222, 0x3333, 0x4444}},
      {"mov.b64 %d0, {%h1, %h2, %h3, %h4}", {0x1111, 0x2222, 0x3333, 0x4444}, {0x4444333322221111}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const TestInstruction test = parse_instruction(c.text);
    Batch batch;
    for (std::uint64_t value : c.in) batch.inputs.push_back(std::vector<std::uint64_t>(32, value));
    batch.carry.resize(32);
    for (const auto [processor, width] : targets()) {
      const Results results = CompiledInstruction(test, processor, width).run(batch);
      ASSERT_EQ(results.outputs.size(), c.out.size());
      for (std::size_t i = 0; i < c.out.size(); ++i) EXPECT_EQ(results.outputs[i][17], c.out[i]);
    }
  }
}

TEST(Video, Scalar) {
  for (const char* name : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"}) {
    const std::string n = name;
    expect_exact_all(
        {n + ".s32.u32.s32 %r0, %r1, %r2", n + ".u32.u32.u32.sat %r0, %r1.b0, %r2.b3",
         n + ".s32.s32.s32.add %r0, %r1.h0, %r2.h1, %r3", n + ".s32.s32.u32.sat %r0.b1, %r1.b2, %r2.h0, %r3"},
        900);
  }
  expect_exact_all({"vshl.u32.u32.u32.clamp %r0, %r1, %r2", "vshr.s32.s32.u32.wrap.add %r0, %r1, %r2, %r3",
                    "vset.u32.s32.lt %r0, %r1.b0, %r2", "vset.s32.u32.ge.max %r0, %r1, %r2.h1, %r3",
                    "vmad.s32.s32.s32.sat.shr7 %r0, %r1.h0, %r2.h1, %r3", "vmad.u32.u32.u32 %r0, %r1.b0, %r2.b1, %r3",
                    "vmad.s32.u32.u32.po %r0, %r1.b0, %r2.b1, %r3", "vmad.s32.s32.s32 %r0, -%r1, %r2, %r3"},
                   900);
}

TEST(Video, Simd) {
  for (const char* name : {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vadd4", "vsub4", "vavrg4",
                           "vabsdiff4", "vmin4", "vmax4"}) {
    const std::string n = name;
    expect_exact_all({n + ".s32.u32.s32 %r0, %r1, %r2, %r3", n + ".u32.u32.u32.add %r0, %r1, %r2, %r3"}, 900);
  }
  expect_exact_all({"vset2.u32.u32.gt %r0, %r1, %r2, %r3", "vset4.s32.s32.ne.add %r0, %r1, %r2, %r3"}, 900);
}

}  // namespace
}  // namespace heddle::test
