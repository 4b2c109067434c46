// Which ranges may overlap, what their code says, and what becomes of the module's version and target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/block_ranges.hpp"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr RangeForm forms[] = {RangeForm::box, RangeForm::linear, RangeForm::prelude, RangeForm::pool};

RangeModule add(const std::string& version_and_target, const std::string& body, const std::string& extra = "",
                bool overlap = true) {
  const std::string text = version_and_target + ".address_size 64\n" + extra +
                           ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n"
                           ".reg .b64 %d<9>;\nld.param.u64 %d1, [out];\n" +
                           body + "ret;\n}\n";
  return add_range_entries(parse(text, "test.ptx"), forms, {.overlap = overlap});
}

const std::string usual = ".version 7.0\n.target sm_75\n";
const std::string store = "mov.u32 %r1, %ctaid.x;\nmad.wide.u32 %d2, %r1, 4, %d1;\nst.global.u32 [%d2], %r1;\n";

std::string code(const RangeModule& ranges, RangeForm form) {
  const RangeEntry* entry = ranges.find(0, form);
  EXPECT_TRUE(entry);
  if (!entry) return {};
  std::string text;
  const Function& function = ranges.module.functions[entry->function];
  for (const Instruction& inst : function.body) text += print(ranges.module, function, inst) + "\n";
  return text;
}

TEST(OverlappingRanges, SayThatTheNextMayBeginAndTheFirstBlockWaits) {
  const RangeModule ranges = add(usual, store);
  EXPECT_EQ(ranges.module.version_major * 10 + ranges.module.version_minor, 78);
  EXPECT_EQ(ranges.module.targets, std::vector<std::string>{"sm_90"});
  for (const RangeForm form : {RangeForm::box, RangeForm::linear}) {
    EXPECT_TRUE(ranges.find(0, form)->overlaps);
    const std::string text = code(ranges, form);
    EXPECT_THAT(text, HasSubstr(" griddepcontrol.launch_dependents"));
    EXPECT_THAT(text, HasSubstr(" griddepcontrol.wait"));
    EXPECT_EQ(text.find("%ctaid.y") != std::string::npos, form == RangeForm::box) << text;
    EXPECT_EQ(ranges.find(0, form)->hidden.back().value, HiddenValue::late);
  }
  for (const RangeForm form : {RangeForm::prelude, RangeForm::pool}) {
    EXPECT_FALSE(ranges.find(0, form)->overlaps);
    EXPECT_THAT(code(ranges, form), Not(HasSubstr("griddepcontrol")));
  }
}

TEST(OverlappingRanges, OnlyWhenAskedFor) {
  const RangeModule ranges = add(usual, store, "", false);
  EXPECT_FALSE(ranges.find(0, RangeForm::box)->overlaps);
  EXPECT_EQ(ranges.module.targets, std::vector<std::string>{"sm_75"});
  EXPECT_EQ(ranges.module.version_minor, 0u);
}

TEST(OverlappingRanges, NotWhereBlocksUseWhatEarlierOnesLeft) {
  const RangeModule ranges = add(usual, "atom.global.add.u32 %r2, [%d1], 1;\nst.global.u32 [%d1+8], %r2;\n" + store);
  ASSERT_TRUE(ranges.find(0, RangeForm::box)->ordered);
  EXPECT_FALSE(ranges.find(0, RangeForm::box)->overlaps);
  EXPECT_EQ(ranges.module.targets, std::vector<std::string>{"sm_75"});
}

TEST(OverlappingRanges, NotWhereTheKernelDoesItItself) {
  const std::string sm_90 = ".version 8.0\n.target sm_90a\n";
  EXPECT_FALSE(add(sm_90, "griddepcontrol.wait;\n" + store).find(0, RangeForm::box)->overlaps);
  const std::string function = ".func helper()\n{\ngriddepcontrol.launch_dependents;\nret;\n}\n";
  const RangeModule ranges = add(sm_90, "call.uni helper;\n" + store, function);
  EXPECT_FALSE(ranges.find(1, RangeForm::box)->overlaps);
  const RangeModule plain = add(sm_90, store);
  EXPECT_TRUE(plain.find(0, RangeForm::box)->overlaps);
  EXPECT_EQ(plain.module.targets, std::vector<std::string>{"sm_90a"});
  EXPECT_EQ(plain.module.version_major, 8u);
}

// Instructions of old modules may mean something that newer targets do not have.
TEST(OverlappingRanges, NotInModulesForOldTargets) {
  for (const char* old : {".version 7.0\n.target sm_60\n", ".version 6.3\n.target sm_70\n"}) {
    const RangeModule ranges = add(old, store);
    EXPECT_FALSE(ranges.find(0, RangeForm::box)->overlaps) << old;
    EXPECT_THAT(print(ranges.module), HasSubstr(old));
  }
}

}  // namespace
}  // namespace heddle::ptx
