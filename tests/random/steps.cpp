#include "random/steps.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "random/random.hpp"

namespace heddle::test::random_kernel {
namespace {

constexpr std::string_view numbers[] = {"1",   "2",     "3",  "7",          "-1",         "-4",         "16",
                                        "255", "65536", "10", "0x7fffffff", "0x80000000", "0x40000000", "1000"};
constexpr std::string_view shifts[] = {"1", "2", "5", "8", "16", "24", "27", "30", "31"};
constexpr std::string_view masks[] = {"1", "31", "255", "0xffff", "-4", "-32", "0x7fffffff", "0xf0"};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    const std::string_view block = random_.pick(blocks), grid = random_.pick(grids), n = random_.pick(counts);
    statements(2, 6 + random_.below(20));
    // What is held in the end, in one number a thread: each bit of it depends on every value.
    for (const std::string& value : narrow_)
      if (random_.chance(60)) mix(value);
    for (const std::string& value : wide_)
      if (random_.chance(60)) {
        line("mov.b64 {%low, %high}, " + value + ";");
        mix("%low");
        mix("%high");
      }
    return fmt::format(
        "//: launch k grid {0} block {1}\n"
        "//: arg out u32[4096]\n//: arg in u32[1024] = bits 1\n//: arg n u32 = {2}\n//: expect out same-as interp\n"
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {{\n"
        "  .reg .b32 %r<{3}>;\n  .reg .b64 %d<{3}>;\n  .reg .pred %p<{3}>;\n  .reg .b16 %h<{3}>;\n"
        "  .reg .b32 %i, %t, %ty, %b, %n, %row, %ext, %low, %high, %sum, %bits;\n"
        "  .reg .b64 %out, %in, %nn, %at;\n  .reg .pred %same, %few;\n"
        "  ld.param.u64 %out, [out];\n  ld.param.u64 %in, [in];\n  ld.param.u32 %n, [n];\n  cvt.u64.u32 %nn, %n;\n"
        "  mov.u32 %b, %ctaid.x;\n  mov.u32 %ext, %ntid.y;\n  mov.u32 %ty, %tid.y;\n  mad.lo.s32 %row, %b, %ext, %ty;\n"
        "  mov.u32 %ext, %ntid.x;\n  mov.u32 %t, %tid.x;\n  mad.lo.s32 %i, %row, %ext, %t;\n"
        "  mov.u32 %sum, 0;\n  setp.gt.u32 %same, %n, 5;\n  setp.lt.u32 %few, %t, {4};\n"
        "{5}"
        "  mul.wide.u32 %at, %i, 4;\n  add.u64 %out, %out, %at;\n  st.global.u32 [%out], %sum;\n  ret;\n}}\n",
        grid, block, n, made_ + 1, random_.pick(fews), body_);
  }

 private:
  using Values = std::vector<std::string>;
  static constexpr std::string_view blocks[] = {"33", "3", "64", "7 5", "48", "5 3", "16 4", "40 2"};
  static constexpr std::string_view grids[] = {"1", "2", "7"};
  static constexpr std::string_view counts[] = {"0", "7", "1000", "0x80000001", "0xfffffffb"};
  static constexpr std::string_view fews[] = {"1", "3", "7", "16"};

  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  std::string fresh(char kind) { return fmt::format("%{}{}", kind, ++made_); }
  // Mostly one of the last.
  const std::string& of(const Values& values) {
    constexpr std::size_t last = 6;
    if (values.size() <= last || random_.chance(40)) return random_.pick(values);
    return values[values.size() - 1 - random_.below(last)];
  }
  std::string narrow_or_number() { return random_.chance(50) ? of(narrow_) : std::string(random_.pick(numbers)); }
  std::string wide_or_number() { return random_.chance(50) ? of(wide_) : std::string(random_.pick(numbers)); }
  std::string any_predicate() {
    return fmt::format("@{}{}", random_.chance(50) ? "" : "!", random_.chance(50) ? "%same" : "%few");
  }
  void mix(const std::string& value) {
    line(
        fmt::format("xor.b32 %sum, %sum, {}; mul.lo.u32 %sum, %sum, 0x9e3779b1; shr.u32 %bits, %sum, 15; "
                    "xor.b32 %sum, %sum, %bits;",
                    value));
  }

  // Sometimes under a guard, with another value before it.
  void narrow(const std::string& operation, const std::string& operands) {
    const std::string to = fresh('r');
    const bool guarded = random_.chance(6);
    if (guarded) line(fmt::format("mov.u32 {}, {};", to, of(narrow_)));
    line(fmt::format("{}{} {}, {};", guarded ? any_predicate() + " " : "", operation, to, operands));
    narrow_.push_back(to);
  }
  void wide(const std::string& operation, const std::string& operands) {
    const std::string to = fresh('d');
    const bool guarded = random_.chance(6);
    if (guarded) line(fmt::format("mov.u64 {}, {};", to, of(wide_)));
    line(fmt::format("{}{} {}, {};", guarded ? any_predicate() + " " : "", operation, to, operands));
    wide_.push_back(to);
  }

  void narrow_arithmetic() {
    constexpr std::string_view binary[] = {"add.s32", "sub.s32",    "mul.lo.s32",   "add.u32", "min.s32", "rem.u32",
                                           "div.s32", "mul.hi.u32", "mul24.lo.s32", "xor.b32", "rem.s32"};
    constexpr std::string_view shift[] = {"shl.b32", "shr.u32", "shr.s32"};
    constexpr std::string_view masking[] = {"and.b32", "or.b32", "xor.b32"};
    constexpr std::string_view unary[] = {"neg.s32", "not.b32", "mov.u32", "abs.s32"};
    const std::string a = of(narrow_);
    switch (random_.below(7)) {
      case 0:
      case 1: return narrow(std::string(random_.pick(binary)), a + ", " + narrow_or_number());
      case 2: return narrow(std::string(random_.pick(shift)), fmt::format("{}, {}", a, random_.pick(shifts)));
      case 3: return narrow(std::string(random_.pick(masking)), fmt::format("{}, {}", a, random_.pick(masks)));
      case 4: return narrow(std::string(random_.pick(unary)), a);
      case 5: return narrow("mad.lo.s32", fmt::format("{}, {}, {}", a, narrow_or_number(), of(narrow_)));
      default:
        return narrow(random_.chance(50) ? "bfe.u32" : "bfe.s32",
                      fmt::format("{}, {}, {}", a, random_.pick(shifts), random_.pick(shifts)));
    }
  }
  void wide_arithmetic() {
    constexpr std::string_view binary[] = {"add.s64", "sub.s64", "mul.lo.s64", "min.s64", "and.b64"};
    constexpr std::string_view shift[] = {"shl.b64", "shr.u64", "shr.s64"};
    const std::string a = of(wide_);
    switch (random_.below(4)) {
      case 0:
      case 1: return wide(std::string(random_.pick(binary)), a + ", " + wide_or_number());
      case 2: return wide(std::string(random_.pick(shift)), fmt::format("{}, {}", a, random_.pick(shifts)));
      default: return wide("neg.s64", a);
    }
  }
  void conversion() {
    constexpr std::string_view widening[] = {"cvt.u64.u32", "cvt.s64.s32", "cvt.s64.s16", "cvt.u64.u16", "cvt.s64.s8"};
    constexpr std::string_view products[] = {"mul.wide.u32", "mul.wide.s32"};
    constexpr std::string_view narrowing[] = {"cvt.u32.u64", "cvt.s32.s64", "cvt.u16.u64", "cvt.s8.s64"};
    constexpr std::string_view within[] = {"cvt.u8.u32", "cvt.u16.u32", "cvt.s16.s32", "cvt.s8.s32", "cvt.s8.u32"};
    switch (random_.below(7)) {
      case 0: return wide(std::string(random_.pick(widening)), of(narrow_));
      case 1: return wide(std::string(random_.pick(products)), of(narrow_) + ", " + narrow_or_number());
      case 2:
        return wide(random_.chance(50) ? "mad.wide.u32" : "mad.wide.s32",
                    fmt::format("{}, {}, {}", of(narrow_), narrow_or_number(), of(wide_)));
      case 3: return narrow(std::string(random_.pick(narrowing)), of(wide_));
      case 4: return narrow(std::string(random_.pick(within)), of(narrow_));
      case 5: return short_sum();
      default:
        return random_.chance(50) ? unpack() : wide("mov.b64", fmt::format("{{{}, {}}}", of(narrow_), of(narrow_)));
    }
  }
  void short_sum() {
    const std::string half = fresh('h'), to = fresh('r');
    line(fmt::format("cvt.u16.u32 {}, {}; add.s16 {}, {}, {};", half, of(narrow_), half, half,
                     random_.chance(50) ? "100" : "-1"));
    line(fmt::format("{} {}, {};", random_.chance(50) ? "cvt.u32.u16" : "cvt.s32.s16", to, half));
    narrow_.push_back(to);
  }
  void unpack() {
    const std::string low = fresh('r'), high = fresh('r');
    line(fmt::format("mov.b64 {{{}, {}}}, {};", low, high, of(wide_)));
    narrow_.insert(narrow_.end(), {low, high});
  }
  void selection() {
    const std::string predicate = fresh('p');
    constexpr std::string_view compare[] = {"eq.u32", "ne.s32", "lt.u32", "lt.s32", "ge.s32"};
    line(fmt::format("setp.{} {}, {}, {};", random_.pick(compare), predicate, of(narrow_), narrow_or_number()));
    narrow("selp.b32", fmt::format("{}, {}, {}", of(narrow_), narrow_or_number(), predicate));
  }
  // A carry that some lanes leave behind.
  void carry() {
    const std::string low = fresh('r'), other = fresh('r'), high = fresh('r');
    line(fmt::format("mov.u32 {}, {};", other, of(narrow_)));
    line(fmt::format("add.cc.u32 {}, {}, {};", low, of(narrow_), narrow_or_number()));
    line(fmt::format("{} add.cc.u32 {}, {}, {};", any_predicate(), other, of(narrow_), narrow_or_number()));
    line(fmt::format("addc.u32 {}, {}, {};", high, of(narrow_), narrow_or_number()));
    narrow_.insert(narrow_.end(), {low, other, high});
  }
  void load() {
    const std::string to = fresh('r');
    line(fmt::format("and.b32 %bits, {}, 1023; mul.wide.u32 %at, %bits, 4; add.u64 %at, %in, %at;", of(narrow_)));
    line(fmt::format("ld.global.u32 {}, [%at];", to));
    narrow_.push_back(to);
  }

  // Each arm, or turn, gives two registers their values.
  void arm(const std::string& narrow_to, const std::string& wide_to, unsigned depth, unsigned count) {
    const Values narrow = narrow_, wide = wide_;
    statements(depth, count);
    line(random_.chance(50) ? fmt::format("mov.u32 {}, {};", narrow_to, of(narrow_))
                            : fmt::format("add.s32 {}, {}, {};", narrow_to, of(narrow_), random_.pick(numbers)));
    line(random_.chance(50) ? fmt::format("cvt.u64.u32 {}, {};", wide_to, of(narrow_))
                            : fmt::format("add.s64 {}, {}, {};", wide_to, of(wide_), random_.pick(numbers)));
    narrow_ = narrow;
    wide_ = wide;
  }
  void branch(unsigned depth) {
    const std::string narrow = fresh('r'), wide = fresh('d');
    const unsigned label = ++labels_;
    line(fmt::format("{} bra OTHER{};", any_predicate(), label));
    arm(narrow, wide, depth - 1, 1 + random_.below(3));
    line(fmt::format("bra JOIN{};", label));
    line(fmt::format("OTHER{}:", label));
    arm(narrow, wide, depth - 1, random_.below(3));
    line(fmt::format("JOIN{}:", label));
    narrow_.push_back(narrow);
    wide_.push_back(wide);
  }
  void loop(unsigned depth) {
    const std::string turns = fresh('r'), again = fresh('p'), narrow = fresh('r'), wide = fresh('d');
    const unsigned label = ++labels_;
    line(fmt::format("mov.u32 {}, {}; mov.u32 {}, {}; mov.u64 {}, {};", turns, 2 + random_.below(2), narrow,
                     of(narrow_), wide, of(wide_)));
    line(fmt::format("TURN{}:", label));
    narrow_.push_back(narrow);
    wide_.push_back(wide);
    arm(narrow, wide, depth - 1, 1 + random_.below(4));
    line(fmt::format("sub.u32 {0}, {0}, 1; setp.gt.s32 {1}, {0}, 0;", turns, again));
    line(fmt::format("@{} bra TURN{};", again, label));
  }

  void statements(unsigned depth, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned kind = random_.below(depth > 0 ? 25 : 22);
      if (kind < 9)
        narrow_arithmetic();
      else if (kind < 12)
        wide_arithmetic();
      else if (kind < 18)
        conversion();
      else if (kind < 20)
        selection();
      else if (kind == 20)
        carry();
      else if (kind == 21)
        load();
      else if (kind < 24)
        branch(depth);
      else
        loop(depth);
    }
  }

  Random random_;
  std::string body_;
  Values narrow_ = {"%i", "%t", "%ty", "%b", "%n", "%row"}, wide_ = {"%nn"};
  unsigned made_ = 0, labels_ = 0;
};

}  // namespace

std::string step_kernel(std::uint64_t seed) { return Writer(seed).text(); }

}  // namespace heddle::test::random_kernel
