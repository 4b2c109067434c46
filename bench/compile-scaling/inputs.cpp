#include "inputs.hpp"

#include <fmt/format.h>

namespace heddle::bench {
namespace {

constexpr const char* head = ".version 8.0\n.target sm_80\n.address_size 64\n";

// The body finds a place of the thread's own in %rd3, and its thread's number in %r1.
std::string kernel(const std::string& body, const std::string& before = "",
                   const std::string& parameters = ".param .u64 a") {
  return fmt::format(
      "{}{}.visible .entry k({})\n{{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<8>;\n.shared .align 4 .b8 s[16384];\n"
      "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n{}ret;\n}}\n",
      head, before, parameters, body);
}

const std::string own_place = "ld.param.u64 %rd1, [a];\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n";
const std::string store = "st.global.u32 [%rd3], %r2;\n";

// `line` with the number of each repetition.
std::string repeated(std::uint32_t count, const char* line) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) text += fmt::format(fmt::runtime(line), i);
  return text;
}

std::string branches(std::uint32_t n) {
  return kernel(own_place +
                repeated(n,
                         "ld.global.u32 %r3, [%rd3+4*{0}];\nsetp.gt.s32 %p1, %r3, {0};\n@%p1 bra T{0};\n"
                         "add.s32 %r2, %r2, %r3;\nbra J{0};\nT{0}:\nxor.b32 %r2, %r2, %r3;\nmul.lo.s32 %r2, %r2, 3;\n"
                         "J{0}:\n") +
                store);
}

std::string nested_branches(std::uint32_t n) {
  std::string text = own_place + repeated(n,
                                          "ld.global.u32 %r3, [%rd3+4*{0}];\nsetp.gt.s32 %p1, %r3, {0};\n"
                                          "@%p1 bra E{0};\nadd.s32 %r2, %r2, %r3;\n");
  for (std::uint32_t i = n; i-- > 0;) text += fmt::format("E{0}:\nadd.s32 %r2, %r2, {0};\n", i);
  return kernel(text + store);
}

std::string early_exits(std::uint32_t n) {
  return kernel(own_place +
                repeated(n,
                         "ld.global.u32 %r3, [%rd3+4*{0}];\nsetp.gt.s32 %p1, %r3, {0};\n@%p1 bra E;\n"
                         "add.s32 %r2, %r2, %r3;\n") +
                "E:\n" + store);
}

std::string mads(std::uint32_t n) {
  return kernel(own_place + "ld.global.u32 %r3, [%rd3+4];\n" + repeated(n, "mad.lo.s32 %r2, %r2, %r3, {};\n") + store);
}

// Each product is made of those before it.
std::string wide_mads(std::uint32_t n) {
  std::string text = own_place +
                     "ld.global.u64 %rd4, [%rd3];\nld.global.u64 %rd5, [%rd3+8];\nadd.u64 %rd6, %rd4, 1;\n"
                     "add.u64 %rd7, %rd5, 1;\n";
  for (std::uint32_t i = 0; i < n; ++i)
    text += fmt::format("mad.lo.u64 %rd{}, %rd{}, %rd{}, %rd{};\n", 4 + i % 4, 4 + (i + 1) % 4, 4 + (i + 2) % 4,
                        4 + (i + 3) % 4);
  return kernel(text + "xor.b64 %rd4, %rd4, %rd5;\nxor.b64 %rd4, %rd4, %rd6;\nst.global.u64 [%rd3], %rd4;\n");
}

std::string labels(std::uint32_t n) {
  std::string text = own_place;
  for (std::uint32_t i = 0; i < n; ++i)
    text += fmt::format("L{0}:\nadd.s32 %r2, %r2, {0};\nsetp.eq.s32 %p1, %r2, {1};\n@%p1 bra L{2};\n", i, 3 * i,
                        static_cast<std::uint32_t>(std::uint64_t{i} * 7919 % n));
  return kernel(text + store);
}

std::string kernels(std::uint32_t n) {
  return head + repeated(n, ".visible .entry k{}(.param .u64 a)\n{{\nret;\n}}\n");
}

std::string loops(std::uint32_t n) {
  return kernel(own_place +
                repeated(n,
                         "ld.global.u32 %r3, [%rd3+4*{0}];\nL{0}:\nadd.s32 %r2, %r2, %r3;\nadd.s32 %r3, %r3, -1;\n"
                         "setp.gt.s32 %p1, %r3, 0;\n@%p1 bra L{0};\n") +
                store);
}

std::string table(std::uint32_t n) {
  std::string targets;
  for (std::uint32_t i = 0; i < n; ++i) targets += fmt::format("{}L{}", i == 0 ? "" : ", ", i);
  return kernel(own_place + "ts: .branchtargets " + targets + ";\nbrx.idx %r2, ts;\n" +
                repeated(n, "L{0}:\nadd.s32 %r2, %r2, {0};\nst.global.u32 [%rd3+4*{0}], %r2;\nbra E;\n") + "E:\n" +
                store);
}

std::string shared_memory(std::uint32_t n) {
  std::string text = own_place + "mov.u32 %r4, s;\nmad.lo.u32 %r4, %r1, 4, %r4;\n";
  for (std::uint32_t i = 0; i < n; ++i)
    text += fmt::format("ld.shared.u32 %r3, [%r4+{}];\nadd.u32 %r3, %r3, %r1;\nst.shared.u32 [%r4+{}], %r3;\n",
                        i * 4 % 8192, (i * 4 + 1024) % 8192);
  return kernel(text);
}

std::string barriers(std::uint32_t n) {
  std::string text = own_place + "mov.u32 %r4, s;\nmad.lo.u32 %r4, %r1, 4, %r4;\n";
  for (std::uint32_t i = 0; i < n; ++i)
    text += fmt::format("ld.shared.u32 %r3, [%r4+{0}];\nbar.sync 0;\nst.shared.u32 [%r4+{0}], %r1;\nbar.sync 0;\n",
                        i * 4 % 8192);
  return kernel(text);
}

std::string rows(std::uint32_t n) {
  return kernel(
      "ld.param.u64 %rd1, [a];\nmul.wide.u32 %rd2, %r1, 4096;\nadd.s64 %rd3, %rd1, %rd2;\n"
      "mov.f32 %f1, 0f00000000;\n" +
      repeated(n, "ld.global.f32 %f2, [%rd3+4*{}];\nadd.f32 %f1, %f1, %f2;\n") + "st.global.f32 [%rd3], %f1;\n");
}

std::string widened_indices(std::uint32_t n) {
  return kernel(own_place + "mov.u32 %r5, %ctaid.x;\nmad.lo.s32 %r5, %r5, %r2, %r1;\n" +
                repeated(n,
                         "add.s32 %r4, %r5, {0};\nmul.wide.s32 %rd4, %r4, 4;\nadd.s64 %rd5, %rd1, %rd4;\n"
                         "ld.global.u32 %r6, [%rd5];\nst.global.u32 [%rd5+4], %r6;\n"));
}

std::string predicates(std::uint32_t n) {
  return kernel(own_place + fmt::format(".reg .pred %q<{}>;\nmov.u32 %r4, 0;\n", n) +
                repeated(n, "setp.gt.s32 %q{0}, %r2, {0};\n") + repeated(n, "@%q{0} add.s32 %r4, %r4, {0};\n") +
                "st.global.u32 [%rd3], %r4;\n");
}

std::string atomics(std::uint32_t n) {
  return kernel(own_place + repeated(n, "atom.global.add.u32 %r2, [%rd3+4*{}], 1;\n") + store);
}

std::string parameters(std::uint32_t n) {
  std::string list = ".param .u64 p0";
  for (std::uint32_t i = 1; i < n; ++i) list += fmt::format(", .param .u64 p{}", i);
  return kernel("mov.u64 %rd3, 0;\n" + repeated(n, "ld.param.u64 %rd2, [p{}];\nadd.s64 %rd3, %rd3, %rd2;\n") +
                    "st.global.u64 [%rd3], %rd2;\n",
                "", list);
}

std::string globals(std::uint32_t n) {
  return kernel(repeated(n, "ld.global.u32 %r3, [g{0}];\nadd.u32 %r3, %r3, 1;\nst.global.u32 [g{0}], %r3;\n"),
                repeated(n, ".global .u32 g{};\n"));
}

std::string initialiser(std::uint32_t n) {
  std::string values;
  for (std::uint32_t i = 0; i < n; ++i) values += fmt::format("{}{}", i == 0 ? "" : ", ", i);
  return kernel("ld.global.u32 %r3, [g];\n", fmt::format(".global .u32 g[{}] = {{{}}};\n", n, values));
}

std::string comments(std::uint32_t n) { return kernel(repeated(n, "// line {}\n")); }

std::string calls(std::uint32_t n) {
  return kernel(own_place + repeated(n, "call (%r2), f, (%r2);\n") + store,
                ".func (.reg .u32 o) f(.reg .u32 x)\n{\nadd.u32 o, x, 1;\nret;\n}\n");
}

std::string functions(std::uint32_t n) {
  return kernel(own_place + repeated(n, "call (%r2), f{}, (%r2);\n") + store,
                repeated(n, ".func (.reg .u32 o) f{0}(.reg .u32 x)\n{{\nadd.u32 o, x, {0};\nret;\n}}\n"));
}

std::string indirect_calls(std::uint32_t n) {
  std::string functions = head, names;
  for (std::uint32_t i = 0; i < n; ++i) {
    functions += fmt::format(
        ".func (.param .b32 o) f{0}(.param .b32 x)\n{{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];\n"
        "add.u32 %r2, %r1, {0};\nst.param.b32 [o], %r2;\nret;\n}}\n",
        i);
    names += fmt::format("{}f{}", i == 0 ? "" : ", ", i);
  }
  functions += fmt::format(".global .align 8 .u64 table[{}] = {{{}}};\n", n, names);
  std::string calls = own_place;
  for (std::uint32_t i = 0; i < n; ++i)
    calls += fmt::format(
        "rem.u32 %r4, %r2, {0};\nmul.wide.u32 %rd4, %r4, 8;\nmov.u64 %rd5, table;\nadd.s64 %rd5, %rd5, %rd4;\n"
        "ld.global.u64 %rd6, [%rd5];\n{{\n.param .b32 q;\n.param .b32 w;\nst.param.b32 [q], %r2;\n"
        "proto{1}: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (w), %rd6, (q), proto{1};\n"
        "ld.param.b32 %r2, [w];\n}}\n",
        n, i);
  return functions + kernel(calls + store).substr(std::string(head).size());
}

}  // namespace

const std::vector<Input>& inputs() {
  using enum Way;
  static const std::vector<Input> all{
      {"divergent if/else", cpu, branches, {200, 400, 800}, {2, 4, 8}, 500},
      {"block of mad", cpu, mads, {5'000, 10'000, 20'000}, {1, 2, 4}, {}},
      {"block of 64-bit mad", cpu, wide_mads, {5'000, 10'000, 20'000}, {1, 2, 4}, {}},
      {"labels, branches across", inspect, labels, {200, 400, 1'000, 2'000}, {0.1, 0.2, 1, 3}, 500},
      {"empty kernels", inspect, kernels, {50'000, 100'000}, {2.5, 5}, {}},
      {"labels, branches across", cpu, labels, {200, 400}, {}, {}},
      {"nested if", inspect, nested_branches, {1'000, 2'000}, {}, {}},
      {"nested if", cpu, nested_branches, {200, 400}, {}, {}},
      {"early exits", inspect, early_exits, {2'000, 4'000}, {}, {}},
      {"early exits", cpu, early_exits, {200, 400}, {}, {}},
      {"loops in a row", inspect, loops, {2'000, 4'000}, {}, {}},
      {"loops in a row", cpu, loops, {200, 400}, {}, {}},
      {"brx.idx table", inspect, table, {2'000, 4'000}, {}, {}},
      {"brx.idx table", cpu, table, {200, 400}, {}, {}},
      {"shared memory", cpu, shared_memory, {2'000, 4'000}, {}, {}},
      {"barriers", cpu, barriers, {1'000, 2'000}, {}, {}},
      {"rows of loads", cpu, rows, {2'000, 4'000}, {}, {}},
      {"widened indices", cpu, widened_indices, {1'000, 2'000}, {}, {}},
      {"predicates", cpu, predicates, {2'000, 4'000}, {}, {}},
      {"atomics", cpu, atomics, {1'000, 2'000}, {}, {}},
      {"parameters", inspect, parameters, {2'000, 4'000}, {}, {}},
      {"parameters", cpu, parameters, {2'000, 4'000}, {}, {}},
      {"globals", inspect, globals, {20'000, 40'000}, {}, {}},
      {"globals", cpu, globals, {2'000, 4'000}, {}, {}},
      {"initialiser of an array", inspect, initialiser, {500'000, 1'000'000}, {}, {}},
      {"lines of comments", inspect, comments, {500'000, 1'000'000}, {}, {}},
      {"calls of a function", inspect, calls, {20'000, 40'000}, {}, {}},
      {"calls of a function", cpu, calls, {2'000, 4'000}, {}, {}},
      {"calls through a table", cpu, indirect_calls, {100, 200}, {}, {}},
      {"functions", inspect, functions, {10'000, 20'000}, {}, {}},
      {"functions", cpu, functions, {2'000, 4'000}, {}, {}},
      {"block of mad", inspect, mads, {100'000, 200'000}, {}, {}},
      {"block of mad", interp, mads, {100'000, 200'000}, {}, {}},
      {"divergent if/else", inspect, branches, {2'000, 4'000}, {}, {}},
      {"divergent if/else", interp, branches, {10'000, 20'000}, {}, {}},
  };
  return all;
}

}  // namespace heddle::bench
