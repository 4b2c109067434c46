// Added entries for ranges of blocks: their code, what they keep of the original, and what is refused.
#include "ptx/rewrite/block_ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/verifier.hpp"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr RangeForm all_forms[] = {RangeForm::box, RangeForm::linear, RangeForm::prelude, RangeForm::pool};

const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";
const std::string registers = ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\n";

std::string kernel(const std::string& body, const std::string& directives = "") {
  return ".visible .entry k(.param .u64 out)" + directives + "\n{\n" + registers + body + "ret;\n}\n";
}

// The instructions of a function, one a line.
std::string body_text(const Module& module, const Function& function) {
  std::string text;
  for (const Instruction& inst : function.body) text += print(module, function, inst) + "\n";
  return text;
}

// Adds entries of all forms, and checks what must hold of any module: the originals are as they were, the result
// verifies, and its text is the same module.
RangeModule add(const std::string& text, const RangeOptions& options = {}) {
  const Module module = parse(head + text, "test.ptx");
  RangeModule ranges = add_range_entries(module, all_forms, options);
  for (const Finding& finding : find_problems(ranges.module)) ADD_FAILURE() << finding.message;
  for (std::size_t f = 0; f < module.functions.size(); ++f)
    EXPECT_TRUE(equal(module.functions[f], ranges.module.functions[f])) << module.functions[f].name;
  const Module again = parse(print(ranges.module), "again.ptx");
  for (const Function& function : ranges.module.functions) {
    const Function* same = again.find(function.name);
    EXPECT_TRUE(same && same->parameters == function.parameters && same->labels == function.labels &&
                body_text(again, *same) == body_text(ranges.module, function))
        << function.name;
  }
  return ranges;
}

std::uint32_t index_of(const RangeModule& ranges, const std::string& name) {
  for (std::uint32_t f = 0; f < ranges.module.functions.size(); ++f)
    if (ranges.module.functions[f].name == name) return f;
  ADD_FAILURE() << "no function " << name;
  return 0;
}

std::string code(const RangeModule& ranges, const std::string& name) {
  return body_text(ranges.module, ranges.module.functions[index_of(ranges, name)]);
}

const RangeEntry& entry_of(const RangeModule& ranges, RangeForm form, const std::string& kernel_name = "k") {
  const RangeEntry* entry = ranges.find(index_of(ranges, kernel_name), form);
  if (!entry) throw std::runtime_error("there is no " + std::string(name(form)) + " of " + kernel_name);
  EXPECT_EQ(ranges.module.functions[entry->function].name, entry->name);
  return *entry;
}

std::string refusal_of(const RangeModule& ranges, RangeForm form, const std::string& kernel_name = "k") {
  const std::uint32_t original = index_of(ranges, kernel_name);
  for (const RangeRefusal& refusal : ranges.refusals)
    if (refusal.original == original && refusal.form == form) {
      EXPECT_EQ(ranges.find(original, form), nullptr);
      EXPECT_EQ(refusal.reason.back(), '.');
      return refusal.reason;
    }
  return "";
}

std::vector<HiddenValue> hidden_of(const RangeEntry& entry) {
  std::vector<HiddenValue> values;
  for (const HiddenParameter& parameter : entry.hidden) values.push_back(parameter.value);
  return values;
}

TEST(BlockRanges, BoxAddsAnOffset) {
  const RangeModule ranges = add(kernel("mov.u32 %r1, %ctaid.y;\n"));
  const RangeEntry& box = entry_of(ranges, RangeForm::box);
  EXPECT_EQ(box.name, "k__heddle_box");
  EXPECT_EQ(hidden_of(box), std::vector{HiddenValue::offset_y});
  EXPECT_EQ(box.hidden_offset, 8u);
  EXPECT_EQ(box.parameter_bytes, 12u);
  EXPECT_EQ(code(ranges, box.name),
            "ld.param.u32 %heddle_0, [heddle_offset_y];\nmov.u32 %heddle_1, %ctaid.y;\n"
            "add.u32 %heddle_2, %heddle_1, %heddle_0;\nmov.u32 %r1, %heddle_2;\nret;\n");
}

TEST(BlockRanges, TheGridIsAHiddenParameter) {
  const RangeModule ranges = add(kernel("mov.u32 %r1, %nctaid.z;\n"));
  for (RangeForm form : {RangeForm::box, RangeForm::linear}) {
    const RangeEntry& entry = entry_of(ranges, form);
    EXPECT_EQ(hidden_of(entry), std::vector{HiddenValue::grid_z});
    EXPECT_EQ(code(ranges, entry.name), "ld.param.u32 %heddle_0, [heddle_grid_z];\nmov.u32 %r1, %heddle_0;\nret;\n");
  }
}

TEST(BlockRanges, AKernelThatReadsNothingOfTheGridIsItsOwnBox) {
  const RangeModule ranges = add(kernel("mov.u32 %r1, %tid.x;\n"));
  const RangeEntry& box = entry_of(ranges, RangeForm::box);
  EXPECT_EQ(box.function, box.original);
  EXPECT_EQ(box.name, "k");
  EXPECT_TRUE(box.hidden.empty());
  EXPECT_EQ(box.parameter_bytes, 8u);
  EXPECT_EQ(code(ranges, entry_of(ranges, RangeForm::linear).name), "mov.u32 %r1, %tid.x;\nret;\n");
}

TEST(BlockRanges, VectorReadsBecomeMoves) {
  const RangeModule ranges = add(kernel("mov.v4.u32 {%r1, %r2, %r3, %r4}, %ctaid;\n"));
  const std::string text = code(ranges, entry_of(ranges, RangeForm::box).name);
  for (const char* move :
       {"mov.u32 %r1, %heddle_2;", "mov.u32 %r2, %heddle_5;", "mov.u32 %r3, %heddle_8;", "mov.u32 %r4, 0;",
        "add.u32 %heddle_8, %heddle_7, %heddle_6;", "mov.u32 %heddle_7, %ctaid.z;"})
    EXPECT_THAT(text, HasSubstr(move));
}

TEST(BlockRanges, NarrowAndConvertingReadsKeepTheirWidth) {
  const RangeModule ranges =
      add(kernel("mov.u16 %h1, %ctaid.x;\ncvt.u64.u16 %d1, %ctaid.x;\ncvt.rn.f32.u32 %r1, %ctaid.x;\n"
                 "cvt.u32.u64 %r2, %nctaid.x;\n"));
  const std::string text = code(ranges, entry_of(ranges, RangeForm::box).name);
  EXPECT_THAT(text, HasSubstr("cvt.u16.u32 %heddle_3, %heddle_2;\nmov.u16 %h1, %heddle_3;"));
  EXPECT_THAT(text, HasSubstr("cvt.u64.u16 %d1, %heddle_6;"));
  EXPECT_THAT(text, HasSubstr("cvt.rn.f32.u32 %r1, %heddle_9;"));
  EXPECT_THAT(text, HasSubstr("cvt.u64.u32 %heddle_11, %heddle_10;\ncvt.u32.u64 %r2, %heddle_11;"));
}

TEST(BlockRanges, GuardsStayOnWhatIsWritten) {
  const RangeModule ranges =
      add(kernel("@!%p1 mov.u32 %r1, %ctaid.x;\n@%p2 mov.v4.u32 {%r1, %r2, %r3, %r4}, %nctaid;\n"));
  const std::string text = code(ranges, entry_of(ranges, RangeForm::box).name);
  EXPECT_THAT(text, HasSubstr("\nmov.u32 %heddle_1, %ctaid.x;"));
  EXPECT_THAT(text, HasSubstr("@!%p1 mov.u32 %r1, %heddle_2;"));
  for (const char* move : {"@%p2 mov.u32 %r1", "@%p2 mov.u32 %r2", "@%p2 mov.u32 %r3", "@%p2 mov.u32 %r4, 0;"})
    EXPECT_THAT(text, HasSubstr(move));
}

TEST(BlockRanges, LabelsTablesAndPragmasFollowTheirInstructions) {
  const RangeModule ranges =
      add(kernel("$L1:\n.pragma \"nounroll\";\nmov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra $L1;\n"
                 "$T: .branchtargets $L2, $L3;\nbrx.idx %r1, $T;\n$L2: mov.u32 %r2, %ctaid.x;\n$L3:\n"));
  const Function& box = ranges.module.functions[entry_of(ranges, RangeForm::box).function];
  const auto label = [&](const std::string& label_name) {
    for (const Label& l : box.labels)
      if (l.name == label_name) return l.position;
    return ~0u;
  };
  EXPECT_EQ(label("$L1"), 0u);  // what computes the value is within the loop
  EXPECT_EQ(box.pragmas[0].position, 0u);
  EXPECT_EQ(label("$L2"), 7u);
  EXPECT_EQ(label("$L3"), 11u);
  EXPECT_EQ(box.tables[0].position, 6u);
  // The pool's loop is around the kernel's, whose label stays the kernel's.
  const Function& pool = ranges.module.functions[entry_of(ranges, RangeForm::pool).function];
  EXPECT_EQ(pool.labels[0].position, 0u);
  EXPECT_NE(pool.labels[0].name, "$L1");
  EXPECT_EQ(pool.labels[pool.tables[0].targets[0]].name, "$L2");
}

TEST(BlockRanges, LinearDividesTheBlockNumber) {
  const RangeModule ranges = add(kernel("mov.u32 %r1, %ctaid.z;\n"));
  const RangeEntry& linear = entry_of(ranges, RangeForm::linear);
  EXPECT_EQ(hidden_of(linear), (std::vector{HiddenValue::first, HiddenValue::magic_x, HiddenValue::shift_x,
                                            HiddenValue::magic_y, HiddenValue::shift_y}));
  const std::string text = code(ranges, linear.name);
  EXPECT_THAT(text, Not(HasSubstr("div")));
  EXPECT_THAT(text, Not(HasSubstr("rem")));
  EXPECT_THAT(text, HasSubstr("mul.hi.u32"));
}

TEST(BlockRanges, PreludeLeavesTheBodyAlone) {
  const std::string body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.y;\n";
  const RangeModule ranges = add(kernel(body));
  const RangeEntry& prelude = entry_of(ranges, RangeForm::prelude);
  EXPECT_EQ(hidden_of(prelude), (std::vector{HiddenValue::first, HiddenValue::count}));
  const std::string text = code(ranges, prelude.name);
  EXPECT_THAT(text, HasSubstr("exit;\n" + body + "ret;\n"));
}

TEST(BlockRanges, NamesDoNotCollide) {
  const RangeModule ranges =
      add(".global .b32 heddle_offset_x;\n.visible .entry heddle1_k(.param .u32 heddle2_grid_x)\n{\n.reg .b32 %r<3>;\n"
          ".reg .b32 %heddle3_0;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %heddle3_0, %nctaid.x;\n$heddle4_0:\nret;\n}\n");
  EXPECT_EQ(entry_of(ranges, RangeForm::box, "heddle1_k").name, "heddle1_k__heddle5_box");
  // The same once more, of what came out.
  const RangeModule again = add_range_entries(ranges.module, all_forms);
  EXPECT_TRUE(find_problems(again.module).empty());
  EXPECT_EQ(again.find(index_of(again, "heddle1_k"), RangeForm::pool)->name, "heddle1_k__heddle6_pool");
}

TEST(BlockRanges, DirectivesAndPlacesInTheSourceStay) {
  const RangeModule ranges =
      add(".file 1 \"k.cu\"\n" + kernel(".loc 1 7 3\nmov.u32 %r1, %ctaid.x;\n.loc 1 8 3\nadd.u32 %r2, %r1, 1;\n",
                                        "\n.reqntid 64, 2, 1\n.minnctapersm 2\n.maxnreg 40"));
  for (RangeForm form : all_forms) {
    const RangeEntry& entry = entry_of(ranges, form);
    const Function& function = ranges.module.functions[entry.function];
    EXPECT_EQ(function.directives, ranges.module.functions[entry.original].directives);
    EXPECT_EQ(function.locs, ranges.module.functions[entry.original].locs);
    for (const Instruction& inst : function.body) {
      if (print(ranges.module, function, inst) == "add.u32 %r2, %r1, 1;") {
        EXPECT_EQ(inst.where.loc, 2u);
      }
      if (form == RangeForm::box && inst.opcode == Opcode::ld) {
        EXPECT_EQ(inst.where.loc, 1u);
      }
    }
  }
}

TEST(BlockRanges, HiddenParametersAreAligned) {
  const RangeModule ranges =
      add(".visible .entry k(.param .u64 a, .param .align 2 .b8 b[3])\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, "
          "%ctaid.x;\nret;\n}\n");
  const RangeEntry& box = entry_of(ranges, RangeForm::box);
  EXPECT_EQ(box.hidden_offset, 12u);
  EXPECT_EQ(box.parameter_bytes, 16u);
  const RangeEntry& pool = entry_of(ranges, RangeForm::pool);
  EXPECT_EQ(pool.hidden_offset, 16u);
  EXPECT_EQ(pool.hidden[0], (HiddenParameter{HiddenValue::counter, 16, 8}));
  EXPECT_EQ(pool.hidden[1], (HiddenParameter{HiddenValue::control, 24, 8}));
  EXPECT_EQ(pool.hidden[2], (HiddenParameter{HiddenValue::end, 32, 4}));
}

TEST(BlockRanges, FullParameterBuffersAreRefused) {
  const std::string text =
      ".visible .entry k(.param .b8 a[32764])\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, %ctaid.x;\nret;\n}\n";
  const Module module = parse(".version 8.1\n.target sm_90\n.address_size 64\n" + text, "test.ptx");
  const RangeModule ranges = add_range_entries(module, all_forms);
  EXPECT_THAT(refusal_of(ranges, RangeForm::box), HasSubstr("32768 bytes; a kernel has at most 32764"));
  EXPECT_TRUE(ranges.entries.empty());
}

const std::string reader =
    ".func (.param .b32 r) block(.param .b32 a)\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [a];\nmov.u32 %r2, %ctaid.x;\n"
    "add.u32 %r3, %r1, %r2;\nst.param.b32 [r], %r3;\nret;\n}\n";
const std::string call_reader =
    "{\n.param .b32 a0;\n.param .b32 r0;\nst.param.b32 [a0], %r1;\ncall.uni (r0), block, (a0);\nld.param.b32 %r2, "
    "[r0];\n}\n";

TEST(BlockRanges, FunctionsThatReadBlockNumbersAreCopied) {
  const RangeModule ranges = add(reader + ".func outer()\n{\n" + registers + "mov.u32 %r1, 5;\n" + call_reader +
                                 "mov.u32 %r3, %nctaid.y;\nret;\n}\n"
                                 ".func plain()\n{\nret;\n}\n" +
                                 kernel("call.uni outer;\ncall.uni plain;\n"));
  const Function& copy = ranges.module.functions[index_of(ranges, "block__heddle_ranges")];
  EXPECT_EQ(copy.parameters.size(), 2u);
  EXPECT_THAT(code(ranges, copy.name), HasSubstr("ld.param.u32 %heddle_0, [heddle_value0];\nmov.u32 %r2, %heddle_0;"));
  // outer needs what it reads itself and what the function that it calls does.
  EXPECT_EQ(ranges.module.functions[index_of(ranges, "outer__heddle_ranges")].parameters.size(), 2u);
  EXPECT_THAT(code(ranges, "outer__heddle_ranges"), HasSubstr("block__heddle_ranges, (a0, %heddle_0);"));
  const std::string box = code(ranges, entry_of(ranges, RangeForm::box).name);
  EXPECT_THAT(box, HasSubstr("call.uni outer__heddle_ranges, (%heddle_2, %heddle_3);"));
  EXPECT_THAT(box, HasSubstr("call.uni plain;"));
  EXPECT_THAT(code(ranges, entry_of(ranges, RangeForm::prelude).name), HasSubstr("call.uni outer;"));
}

TEST(BlockRanges, FunctionsOfOldStyleGetRegisters) {
  const RangeModule ranges =
      add(".func (.reg .b32 %r) block(.reg .b32 %a)\n{\n.reg .b32 %t;\nmov.u32 %t, %ctaid.x;\nadd.u32 %r, %a, "
          "%t;\nret;\n}\n" +
          kernel("mov.u32 %r1, 1;\ncall (%r2), block, (%r1);\n"));
  const Function& copy = ranges.module.functions[index_of(ranges, "block__heddle_ranges")];
  ASSERT_EQ(copy.parameter_registers.size(), 2u);
  EXPECT_EQ(copy.registers[copy.parameter_registers[1]].name, "%heddle_0");
  EXPECT_THAT(code(ranges, copy.name), HasSubstr("mov.u32 %t, %heddle_0;"));
}

TEST(BlockRanges, RecursionIsCopied) {
  const RangeModule ranges =
      add(".func down(.param .b32 n)\n{\n" + registers +
          "ld.param.b32 %r1, [n];\nmov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r1, %r2;\n@%p1 ret;\n"
          "sub.u32 %r1, %r1, 1;\n{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall.uni down, (a);\n}\nret;\n}\n" +
          kernel("{\n.param .b32 a;\nst.param.b32 [a], 9;\ncall.uni down, (a);\n}\n"));
  EXPECT_THAT(code(ranges, "down__heddle_ranges"), HasSubstr("call.uni down__heddle_ranges, (a, %heddle_1);"));
}

TEST(BlockRanges, CallsThroughPointersToSuchFunctionsAreRefused) {
  const std::string call =
      "mov.u64 %d1, block;\n{\n.param .b32 a0;\n.param .b32 r0;\nst.param.b32 [a0], %r1;\n"
      "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (r0), %d1, (a0), P;\n}\n";
  const RangeModule ranges = add(reader + kernel(call));
  for (RangeForm form : {RangeForm::box, RangeForm::linear, RangeForm::pool})
    EXPECT_THAT(refusal_of(ranges, form),
                testing::AllOf(HasSubstr("call in line 25 of k may call block"), HasSubstr("through a pointer")));
  EXPECT_EQ(refusal_of(ranges, RangeForm::prelude), "");
}

TEST(BlockRanges, BlocksThatWaitForOneAnotherAreRefused) {
  const RangeModule ranges =
      add(".file 3 \"wait.cu\"\n" +
          kernel("ld.param.u64 %d1, [out];\n.loc 3 41 2\n$W: ld.acquire.gpu.global.u32 %r1, [%d1];\n"
                 "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra $W;\n"));
  for (RangeForm form : all_forms)
    EXPECT_THAT(refusal_of(ranges, form),
                testing::AllOf(HasSubstr("in line 13 of k (wait.cu:41)"), HasSubstr("all blocks must be resident")));
  EXPECT_TRUE(ranges.entries.empty());
}

TEST(BlockRanges, TheWorkspaceOfTheGridIsRefused) {
  const RangeModule ranges = add(kernel("mov.b32 %r1, %envreg2;\n"));
  for (RangeForm form : all_forms) EXPECT_THAT(refusal_of(ranges, form), HasSubstr("workspace"));
  EXPECT_TRUE(add(kernel("mov.b32 %r1, %envreg3;\n")).refusals.empty());
}

TEST(BlockRanges, FunctionsThatAreNotThereAreRefused) {
  const RangeModule ranges = add(".extern .func elsewhere;\n" + kernel("call.uni elsewhere;\n"));
  for (RangeForm form : all_forms) EXPECT_THAT(refusal_of(ranges, form), HasSubstr("not known"));
}

TEST(BlockRanges, MemoryOfAFunctionAloneIsRefused) {
  const RangeModule ranges =
      add(kernel(".global .b32 calls;\nmov.u32 %r1, %ctaid.x;\nred.global.add.u32 [calls], 1;\n"));
  for (RangeForm form : all_forms) EXPECT_THAT(refusal_of(ranges, form), HasSubstr("variable calls in line"));
  // A box that is the original itself has no copy.
  EXPECT_EQ(refusal_of(add(kernel(".global .b32 calls;\nred.global.add.u32 [calls], 1;\n")), RangeForm::box), "");
}

TEST(BlockRanges, OrderedKernelsSaySo) {
  const RangeModule ranges =
      add(kernel("ld.param.u64 %d1, [out];\natom.global.add.u32 %r1, [%d1], 1;\nst.global.u32 [%d1+4], %r1;\n"));
  for (RangeForm form : all_forms) EXPECT_TRUE(entry_of(ranges, form).ordered) << name(form);
  EXPECT_FALSE(entry_of(add(kernel("")), RangeForm::box).ordered);
}

TEST(BlockRanges, GridNumbersAreNoted) {
  EXPECT_TRUE(entry_of(add(kernel("mov.u64 %d1, %gridid;\n")), RangeForm::box).reads_grid_number);
  EXPECT_FALSE(entry_of(add(kernel("mov.u64 %d1, %clock64;\n")), RangeForm::box).reads_grid_number);
}

TEST(BlockRanges, ClustersAreForBoxesAndPreludes) {
  const RangeModule ranges =
      add(kernel("mov.u32 %r1, %clusterid.x;\nmov.u32 %r2, %nclusterid.y;\nmov.u32 %r3, %cluster_ctaid.x;\nmov.u32 "
                 "%r4, %ctaid.x;\n",
                 "\n.explicitcluster\n.reqnctapercluster 2, 1, 1"));
  const RangeEntry& box = entry_of(ranges, RangeForm::box);
  EXPECT_TRUE(box.whole_clusters);
  EXPECT_EQ(box.cluster, (Dim3{2, 1, 1}));
  EXPECT_EQ(hidden_of(box),
            (std::vector{HiddenValue::offset_x, HiddenValue::cluster_offset_x, HiddenValue::clusters_y}));
  EXPECT_THAT(code(ranges, box.name), HasSubstr("mov.u32 %r3, %cluster_ctaid.x;"));
  EXPECT_TRUE(entry_of(ranges, RangeForm::prelude).whole_clusters);
  for (RangeForm form : {RangeForm::linear, RangeForm::pool})
    EXPECT_THAT(refusal_of(ranges, form), HasSubstr("cluster"));
}

}  // namespace
}  // namespace heddle::ptx
