#include "ptx/analysis/lanes/uniformity.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <sstream>

#include "ptx/analysis/annotations.hpp"
#include "ptx/parser.hpp"

namespace heddle::ptx::analysis {
namespace {

struct Analysed {
  Analysed(const Module& module, const Function& function, const UniformityOptions& options)
      : cfg(function, &module),
        tree(dominators(cfg)),
        post(cfg),
        table(function),
        webs(cfg, tree, function, table),
        uniformity(module, function, cfg, post, webs, options) {}
  ControlFlowGraph cfg;
  DominatorTree tree;
  PostDominators post;
  RegisterTable table;
  Webs webs;
  Uniformity uniformity;
};

std::string describe(const Uniformity& uniformity, const LaneValue& value) {
  if (!value.strided()) return "varying";
  std::string text;
  if (const auto stride = uniformity.stride(value)) {
    text = *stride == 0 ? "uniform" : "stride " + std::to_string(*stride);
  } else {
    text = "steps";
    for (std::int64_t step : value.steps) text += " " + std::to_string(step);
  }
  if (!value.assumptions.empty()) text += " if no wrap";
  if (value.block_uniform) text += " in block";
  return text;
}

// Branches: do lanes part. Memory accesses: the address. Everything else: the first result.
std::string describe(const Analysed& result, const Function& function, std::uint32_t index) {
  const Instruction& inst = function.body[index];
  const Uniformity& uniformity = result.uniformity;
  const std::uint32_t block = result.cfg.block_of(index);
  switch (inst.opcode) {
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit:
      if (uniformity.divergent(block)) return "divergent";
      return uniformity.block_divergent(block) ? "uniform" : "uniform in block";
    case Opcode::bar:
    case Opcode::barrier: return uniformity.partial(block) ? "partial" : "full";
    default: break;
  }
  std::string text;
  for (std::uint16_t i = 0; i < inst.operands.size(); ++i)
    if (inst.operands[i].kind == OperandKind::address)
      text = "address " + describe(uniformity, uniformity.operand(index, i));
  const auto items = result.table.of(index);
  for (const RegisterOccurrence& item : items) {
    if (!item.is_def) continue;
    const std::uint32_t web = result.webs.def(index, item.operand, item.element);
    return text + (text.empty() ? "" : ", ") + describe(uniformity, uniformity.value(web));
  }
  return text;
}

UniformityOptions options_of(const testing::AnnotatedFile& file) {
  UniformityOptions options;
  std::istringstream words(file.setting("lanes", "rows 32"));
  std::string kind;
  unsigned lanes = 32;
  words >> kind;
  if (kind == "block") {
    Dim3 block;
    words >> block.x >> block.y >> block.z >> lanes;
    options.lanes = LaneModel::for_block(block, lanes);
  } else {
    words >> lanes;
    options.lanes = kind == "rows" ? LaneModel::rows(lanes) : LaneModel::unknown(lanes);
  }
  EXPECT_TRUE(words) << file.path;
  options.lanes.global_id_fits = file.setting("global_id_fits", "yes") == "yes";
  options.assume_no_wrap = file.setting("assume_no_wrap", "yes") == "yes";
  return options;
}

class UniformityFiles : public ::testing::TestWithParam<std::string> {};

TEST_P(UniformityFiles, FindWhatTheyExpect) {
  const auto file = testing::AnnotatedFile::load(GetParam());
  std::map<const Function*, std::unique_ptr<Analysed>> results;
  testing::check_annotations(file, [&](const Function& function, std::uint32_t index) {
    auto& result = results[&function];
    if (!result) result = std::make_unique<Analysed>(file.module, function, options_of(file));
    return describe(*result, function, index);
  });
}

INSTANTIATE_TEST_SUITE_P(, UniformityFiles, ::testing::ValuesIn(testing::files_in("ptx/analysis/uniformity")),
                         [](const auto& info) {
                           const std::string& path = info.param;
                           const std::size_t begin = path.rfind('/') + 1;
                           return path.substr(begin, path.rfind('.') - begin);
                         });

}  // namespace
}  // namespace heddle::ptx::analysis
