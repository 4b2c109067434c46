// Every form of every instruction goes through the analyses and rewrites.
#include <gtest/gtest.h>

#include "ptx/analysis/inspect.hpp"
#include "ptx/forms/sample.hpp"
#include "ptx/parser.hpp"
#include "ptx/rewrite/inline_calls.hpp"
#include "ptx/rewrite/split_webs.hpp"
#include "ptx/verifier.hpp"

namespace heddle::ptx {
namespace {

// They need a table of labels and a function with a body.
bool cannot_be_sampled(const Form& form) { return form.opcode == Opcode::call || form.opcode == Opcode::brx; }

// Forms of old targets are wrong for the sample's.
std::size_t errors(const Module& module) {
  std::size_t count = 0;
  for (const Finding& finding : find_problems(module)) count += finding.severity == Finding::Severity::error ? 1 : 0;
  return count;
}

void go_through(const std::string& instruction) {
  SCOPED_TRACE(instruction);
  Module module = parse(sample_prologue("9.0", "sm_100a") + instruction + "\nret;\n}\n", "sample.ptx");
  const analysis::Inspection inspection = analysis::inspect(module);
  ASSERT_EQ(inspection.kernels.size(), 1u);
  EXPECT_GE(inspection.kernels[0].resources.instructions, 2u);
  const std::size_t before = errors(module);
  Function& kernel = module.functions[inspection.kernels[0].function];
  kernel = split_webs(inline_calls(module, kernel));
  // Whatever was right stays right: registers exist and suit their instructions.
  EXPECT_EQ(errors(module), before);
}

TEST(EveryForm, IsAnalysedAndRewritten) {
  constexpr std::size_t suffix_lists_of_a_form = 6;
  std::size_t count = 0;
  for (const FormFamily* family : form_families())
    for (const Form& form : family->forms) {
      if (cannot_be_sampled(form)) continue;
      for (const Sample& sample : samples(*family, form, suffix_lists_of_a_form)) {
        go_through(sample.text);
        ++count;
      }
    }
  EXPECT_GT(count, 5000u);
}

}  // namespace
}  // namespace heddle::ptx
