// Instructions that execute for all lanes at once give what they give lane by lane, bit for bit: with a step observer
// the core executes lane by lane.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <random>
#include <string>
#include <vector>

#include "device/machine/stepped_kernel.hpp"

namespace heddle::device::machine {
namespace {

constexpr unsigned threads = 64;

const std::string registers =
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .f32 %f<4>; .reg .f64 %e<4>;\n"
    ".shared .align 16 .b8 s[256];\n";

// Numbers at which arithmetic has its special cases.
std::uint64_t some_bits(std::mt19937_64& random, unsigned width) {
  static const std::vector<std::uint64_t> narrow = {
      0,          1,          2,          0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,
      0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
      0x7f812345, 0x00000005, 0x80000007, 0x007fffff, 0x00800000, 0x00800001, 0x3f7fffff, 0x3f7ffffe, 0x80800000,
      0x7f7fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x3effffff, 0x40490fdb};
  static const std::vector<std::uint64_t> wide = {
      0x8000000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0x3ff0000000000000, 0xbff0000000000000,
      0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001, 0xfff8123456789abc, 0x7ff0000000000123,
      0x0000000000000005, 0x800fffffffffffff, 0x0010000000000000, 0x380fffffffffffff, 0x380ffffff0000000,
      0xb80fffffffffffff, 0x41dfffffffc00000, 0xc1e0000000000000, 0x43e0000000000000, 0xc3e0000000000000,
      0x43f0000000000000, 0x381fffffffffffff, 0x36a0000000000000, 0x47efffffffffffff, 0x3fe0000000000000};
  std::uint64_t bits = random();
  const unsigned kind = random() % 4;
  if (kind == 0) bits = narrow[random() % narrow.size()];
  if (kind == 1) bits = wide[random() % wide.size()];
  if (kind == 2) bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(random() % 64) - 32);
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

struct Machine2 {
  explicit Machine2(const std::string& text)
      : rows(registers + text + ";\nhere: ret;", threads),
        lanes(registers + text + ";\nhere: ret;", threads, observed()) {}
  static Options observed() {
    Options options;
    options.step = [](const Step&) {};
    return options;
  }

  void set_registers(std::mt19937_64& random) {
    const auto& all = rows.kernel().ptx().registers;
    for (unsigned t = 0; t < threads; ++t)
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::uint64_t bits = some_bits(random, ptx::bit_width(all[i].type));
        rows.block->threads[t].frame().registers.set(i, {bits});
        lanes.block->threads[t].frame().registers.set(i, {bits});
      }
    for (std::size_t i = 0; i < rows.words.size(); ++i)
      rows.words[i] = lanes.words[i] = static_cast<std::uint32_t>(some_bits(random, 32));
    for (std::uint64_t i = 0; i < rows.block->shared_bytes; ++i)
      rows.block->shared[i] = lanes.block->shared[i] = static_cast<std::byte>(random());
  }

  // Each kernel has its own memory: an address counts by its distance from the beginning.
  bool same_value(std::uint64_t a, std::uint64_t b) const {
    const auto shared = [](const SteppedKernel& k) { return reinterpret_cast<std::uint64_t>(k.block->shared); };
    return a == b || a - rows.address() == b - lanes.address() || a - shared(rows) == b - shared(lanes);
  }

  void expect_equal(const std::string& what) {
    const auto& all = rows.kernel().ptx().registers;
    for (unsigned t = 0; t < threads; ++t) {
      EXPECT_EQ(rows.pc(t), lanes.pc(t)) << what << ", thread " << t;
      for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_PRED2([this](std::uint64_t a, std::uint64_t b) { return same_value(a, b); },
                     rows.block->threads[t].frame().registers.low(i), lanes.block->threads[t].frame().registers.low(i))
            << what << ", thread " << t << ", " << all[i].name;
    }
    EXPECT_EQ(rows.words, lanes.words) << what;
    EXPECT_TRUE(std::equal(rows.block->shared, rows.block->shared + rows.block->shared_bytes, lanes.block->shared))
        << what;
    EXPECT_EQ(rows.effects.ran, lanes.effects.ran) << what;
    EXPECT_EQ(rows.effects.branched, lanes.effects.branched) << what;
    EXPECT_EQ(rows.core->instructions(), lanes.core->instructions()) << what;
    ASSERT_EQ(rows.effects.accesses().size(), lanes.effects.accesses().size()) << what;
    for (std::size_t i = 0; i < rows.effects.accesses().size(); ++i) {
      const MemoryAccess &a = rows.effects.accesses()[i], &b = lanes.effects.accesses()[i];
      EXPECT_TRUE(a.address == b.address && a.bytes == b.bytes && a.space == b.space && a.kind == b.kind &&
                  a.lane == b.lane)
          << what << ", access " << i;
    }
  }

  SteppedKernel rows, lanes;
};

// The threads of lanes: of a warp in their order, or some of two warps.
LaneThreads group_of(SteppedKernel& kernel, bool mixed) {
  LaneThreads group = kernel.block->warps[1].lanes;
  for (unsigned lane = 0; mixed && lane < warp_size; ++lane)
    group[lane] = &kernel.block->threads[lane % 3 == 0 ? 63 - lane : lane];
  return group;
}

void compare(const std::string& text, unsigned rounds = 12, unsigned before = 0) {
  std::mt19937_64 random(std::hash<std::string>()(text));
  for (unsigned round = 0; round < rounds; ++round) {
    Machine2 both(text);
    both.set_registers(random);
    const bool mixed = round % 3 == 2;
    const LaneThreads of_rows = group_of(both.rows, mixed), of_lanes = group_of(both.lanes, mixed);
    const LaneMask mask = round % 2 == 0 ? ~LaneMask{0} : static_cast<LaneMask>(random() | 1);
    for (unsigned i = 0; i <= before; ++i) {
      both.rows.core->step(*both.rows.block, of_rows, mask, both.rows.effects);
      both.lanes.core->step(*both.lanes.block, of_lanes, mask, both.lanes.effects);
    }
    both.expect_equal(text + (mixed ? " (mixed)" : ""));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Rows, IntegersAsLaneByLane) {
  for (const std::string type : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
    const std::string r = type.ends_with("16") ? "%h" : type.ends_with("32") ? "%r" : "%d";
    const auto three = r + "1, " + r + "2, " + r + "3";
    for (const char* op : {"add.", "sub.", "mul.lo.", "mul.hi.", "min.", "max.", "div.", "rem."})
      compare(op + type + " " + three);
    compare("mad.lo." + type + " " + three + ", " + r + "0");
    compare("shr." + type + " " + r + "1, " + r + "2, %r3");
    compare("shr." + type + " " + r + "1, " + r + "2, 5");
    if (type[0] == 's') compare("neg." + type + " " + r + "1, " + r + "2");
    for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      compare("setp." + std::string(op) + "." + type + " %p1, " + r + "2, " + r + "3");
      compare("setp." + std::string(op) + ".and." + type + " %p1, " + r + "2, 7, !%p2");
      compare("setp." + std::string(op) + ".xor." + type + " %p1, " + r + "2, " + r + "3, %p2");
    }
  }
  for (const char* text : {"mul.wide.u16 %r1, %h2, %h3", "mul.wide.s16 %r1, %h2, %h3", "mul.wide.u32 %d1, %r2, %r3",
                           "mul.wide.s32 %d1, %r2, %r3", "mad.wide.s32 %d1, %r2, %r3, %d0",
                           "mad.wide.u16 %r1, %h2, 513, %r0", "add.sat.s32 %r1, %r2, %r3", "mul.lo.s32 %r1, %r1, -3",
                           "setp.lo.u32 %p1, %r2, %r3", "setp.hs.u64 %p1, %d2, %d3", "setp.lt.s32 %p1|%p0, %r2, %r3",
                           "add.cc.u32 %r1, %r2, %r3", "@%p1 add.u32 %r1, %r2, %r3", "@!%p1 add.u32 %r1, %r2, 1"})
    compare(text);
}

TEST(Rows, LogicSelectionAndMovesAsLaneByLane) {
  for (const char* text : {"and.b16 %h1, %h2, %h3",
                           "or.b32 %r1, %r2, %r3",
                           "xor.b64 %d1, %d2, %d3",
                           "not.b32 %r1, %r2",
                           "not.b16 %h1, %h2",
                           "and.pred %p1, %p2, !%p3",
                           "or.pred %p1, %p2, %p3",
                           "xor.pred %p1, %p1, %p3",
                           "not.pred %p1, %p2",
                           "shl.b16 %h1, %h2, %r3",
                           "shl.b32 %r1, %r2, %r3",
                           "shl.b64 %d1, %d2, %r3",
                           "shl.b32 %r1, %r2, 3",
                           "selp.b32 %r1, %r2, %r3, %p1",
                           "selp.f64 %e1, %e2, 0d3FF0000000000000, !%p1",
                           "selp.b16 %h1, %h2, 9, %p1",
                           "mov.b32 %r1, %r2",
                           "mov.u64 %d1, -7",
                           "mov.f32 %f1, 0f3F800000",
                           "mov.f64 %e1, 1.5",
                           "mov.u16 %h1, %h2",
                           "mov.u32 %r1, %tid.x",
                           "mov.u32 %r1, %laneid",
                           "mov.u32 %r1, %ntid.x",
                           "mov.pred %p1, %p2",
                           "mov.b64 %d1, {%r1, %r2}",
                           "mov.b64 {%r1, %r2}, %d1",
                           "mov.u64 %d1, s",
                           "mov.b32 %f1, %r2",
                           "cvta.to.global.u64 %d1, %d2",
                           "cvta.global.u64 %d1, %d2",
                           "lop3.b32 %r1, %r2, %r3, %r0, 0x96",
                           "bra here",
                           "@%p1 bra here",
                           "@!%p2 bra here",
                           "membar.gl",
                           "@%p1 membar.cta"})
    compare(text);
}

TEST(Rows, ConversionsAsLaneByLane) {
  const std::vector<std::string> types = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
  const auto reg = [](const std::string& type) {
    return type.ends_with("64") ? "%d" : type.ends_with("32") ? "%r" : "%h";
  };
  for (const std::string& to : types) {
    for (const std::string& from : types) {
      compare("cvt." + to + "." + from + " " + reg(to) + "1, " + reg(from) + "2", 6);
      compare("cvt." + to + "." + from + " %d1, %d2", 6);
    }
    compare("cvt.rn.f32." + to + " %f1, " + reg(to) + "2");
    compare("cvt.rn.f64." + to + " %e1, " + reg(to) + "2");
    compare("cvt.rz.f32." + to + " %f1, " + reg(to) + "2", 3);
    compare("cvt.rzi." + to + ".f32 " + reg(to) + "1, %f2", 40);
    compare("cvt.rzi." + to + ".f64 " + reg(to) + "1, %e2", 40);
    compare("cvt.rni." + to + ".f32 " + reg(to) + "1, %f2", 3);
  }
  for (const char* text : {"cvt.f64.f32 %e1, %f2", "cvt.ftz.f64.f32 %e1, %f2", "cvt.rn.f32.f64 %f1, %e2",
                           "cvt.rn.ftz.f32.f64 %f1, %e2", "cvt.rn.f16.f32 %h1, %f2", "cvt.sat.u8.s32 %r1, %r2"})
    compare(text, 40);
}

TEST(Rows, FloatsAsLaneByLane) {
  for (const char* op : {"add.", "sub.", "mul.", "div.rn.", "min.", "max."}) {
    compare(std::string(op) + "f32 %f1, %f2, %f3", 60);
    compare(std::string(op) + "ftz.f32 %f1, %f2, %f3", 60);
    compare(std::string(op) + "f64 %e1, %e2, %e3", 60);
    compare(std::string(op) + "f32 %f1, %f1, 0f3FC00000", 6);
  }
  for (const char* op : {"rcp.rn.", "sqrt.rn.", "neg.", "abs."}) {
    compare(std::string(op) + "f32 %f1, %f2", 60);
    compare(std::string(op) + "ftz.f32 %f1, %f2", 60);
    compare(std::string(op) + "f64 %e1, %e2", 60);
  }
  for (const char* text :
       {"fma.rn.f32 %f1, %f2, %f3, %f0", "fma.rn.ftz.f32 %f1, %f2, %f3, %f0", "fma.rn.f64 %e1, %e2, %e3, %e0",
        "mad.rn.f32 %f1, %f2, %f3, %f1", "fma.rz.f32 %f1, %f2, %f3, %f0",     "add.rz.f64 %e1, %e2, %e3",
        "add.sat.f32 %f1, %f2, %f3",     "min.NaN.f32 %f1, %f2, %f3",         "rcp.approx.f32 %f1, %f2",
        "rcp.approx.ftz.f32 %f1, %f2",   "sqrt.approx.f32 %f1, %f2",          "rsqrt.approx.f32 %f1, %f2",
        "sin.approx.f32 %f1, %f2",       "cos.approx.ftz.f32 %f1, %f2",       "lg2.approx.f32 %f1, %f2",
        "ex2.approx.f32 %f1, %f2",       "tanh.approx.f32 %f1, %f2",          "div.approx.f32 %f1, %f2, %f3",
        "div.full.f32 %f1, %f2, %f3",    "div.approx.ftz.f32 %f1, %f2, %f3"})
    compare(text, 60);
  for (const char* op : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}) {
    compare("setp." + std::string(op) + ".f32 %p1, %f2, %f3", 30);
    compare("setp." + std::string(op) + ".f64 %p1, %e2, %e3", 30);
    compare("setp." + std::string(op) + ".ftz.f32 %p1, %f2, %f3", 30);
  }
}

// The first two instructions make an address of each thread's own.
TEST(Rows, LoadsAndStoresAsLaneByLane) {
  const std::string global = "ld.param.u64 %d1, [p]; mov.u32 %r1, %laneid; mad.wide.u32 %d1, %r1, ";
  const auto at_global = [&](unsigned stride, const std::string& access) {
    compare(global + std::to_string(stride) + ", %d1; " + access, 12, 3);
  };
  for (const char* type : {"u8", "s8", "b8"}) {
    at_global(1, std::string("ld.global.") + type + " %h2, [%d1+3]");
    at_global(1, std::string("ld.") + type + " %r2, [%d1]");
    at_global(1, std::string("st.global.") + type + " [%d1], %h3");
  }
  for (const char* access : {"ld.global.u16 %h2, [%d1]", "ld.global.s16 %r2, [%d1]", "ld.global.f32 %f2, [%d1+64]",
                             "ld.global.s32 %d2, [%d1]", "st.global.u16 [%d1], %h2", "st.global.f32 [%d1], %f2",
                             "st.global.u32 [%d1], 77", "@%p1 ld.global.u32 %r2, [%d1]", "@!%p1 st.u32 [%d1], %r2",
                             "ld.global.v2.u16 {%h1, %h2}, [%d1]", "st.global.v2.u16 [%d1], {%h1, 5}"})
    at_global(4, access);
  for (const char* access : {"ld.global.f64 %e2, [%d1]", "ld.u64 %d1, [%d1]", "ld.global.v2.f32 {%f1, _}, [%d1]",
                             "st.global.u64 [%d1], %d2", "st.v2.u32 [%d1], {%r1, %r2}", "st.global.f64 [%d1], %e3"})
    at_global(8, access);
  at_global(0, "st.global.u32 [%d1+8], %r2");  // all threads to one word: the last one stays
  at_global(0, "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d1]");
  const std::string shared = "mov.u32 %r1, %laneid; shl.b32 %r1, %r1, 2; ";
  for (const char* access : {"ld.shared.u32 %r2, [%r1+16]", "st.shared.f32 [%r1], %f2", "ld.shared.u8 %h2, [%r1+1]",
                             "st.shared.u32 [s+4], %r2", "ld.shared.u64 %d2, [s+8]", "ld.param.u64 %d2, [q]",
                             "ld.param.u32 %r2, [q+4]", "ld.shared.s8 %h2, [%r1]"})
    compare(shared + access, 12, 2);
  compare("mov.u64 %d1, s; cvta.shared.u64 %d1, %d1; ld.u32 %r2, [%d1+12]", 6, 2);
}

// The host's rounding does not count.
TEST(Rows, ComputeToTheNearestWhateverTheHostRounds) {
  std::fesetround(FE_UPWARD);
  compare("add.f32 %f1, %f2, %f3", 20);
  compare("div.rn.f64 %e1, %e2, %e3", 20);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

}  // namespace
}  // namespace heddle::device::machine
