// NVIDIA's assembler takes the added entries wherever it takes the originals, and tells what registers they cost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/block_ranges.hpp"
#include "ptx/rewrite/ptxas_registers.hpp"
#include "ptx/verifier.hpp"
#include "support/places.hpp"
#include "support/ptxas.hpp"

namespace heddle::test {
namespace {

using ptx::RangeForm;

constexpr RangeForm forms[] = {RangeForm::box, RangeForm::linear, RangeForm::prelude, RangeForm::pool};

// How many kernels need so many registers more than their original.
using Growth = std::map<RangeForm, std::map<int, unsigned>>;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void note_growth(const ptx::RangeModule& ranges, const PtxasReport& report, Growth& growth) {
  for (const ptx::RangeEntry& entry : ranges.entries) {
    const auto own = report.kernels.find(ranges.module.functions[entry.original].name);
    const auto added = report.kernels.find(entry.name);
    ASSERT_NE(own, report.kernels.end());
    ASSERT_NE(added, report.kernels.end()) << entry.name;
    ++growth[entry.form][static_cast<int>(added->second.registers) - static_cast<int>(own->second.registers)];
    EXPECT_LE(added->second.spill_bytes, own->second.spill_bytes) << entry.name;
  }
}

void assemble(const std::string& ptxas, const std::filesystem::path& file, Growth& growth) {
  SCOPED_TRACE(file.string());
  const std::string source = lift_target(read_file(file));
  const ptx::Module module = ptx::parse(source, file.string());
  const ptx::RangeModule ranges = ptx::add_range_entries(module, forms, {.processor_mask = true});
  ptx::verify(ranges.module, file.string());
  const PtxasReport report = report_registers(ptxas, ptx::print(ranges.module));
  if (report.accepted)
    note_growth(ranges, report, growth);
  else
    EXPECT_FALSE(report_registers(ptxas, source).accepted) << report.messages.substr(0, 2000);
}

// Assembles all modules of the folders, and says how many kernels there were of each growth.
void assemble_all(const std::vector<std::string>& folders) {
  const auto ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << "ptxas is not installed: nobody but our own verifier has looked at the added entries";
  Growth growth;
  for (const std::string& folder : folders)
    for (const auto& item : std::filesystem::recursive_directory_iterator(tests::test_data() / folder))
      if (item.path().extension() == ".ptx") assemble(*ptxas, item.path(), growth);
  for (RangeForm form : forms) {
    fmt::print("registers of {}:", name(form));
    unsigned kernels = 0, none = 0;
    for (const auto& [more, count] : growth[form]) {
      fmt::print(" {:+} in {} ", more, count);
      kernels += count;
      none += more <= 0 ? count : 0;
    }
    fmt::print("\n");
    EXPECT_GT(kernels, 30u);
    // The point of the first three forms is that they cost nothing to speak of.
    if (form != RangeForm::pool) {
      EXPECT_GE(none, kernels * 9 / 10) << name(form);
    }
  }
}

TEST(BlockRangesPtxas, CompiledKernels) { assemble_all({"data/ptx", "ptx/rewrite/ranges"}); }
TEST(BlockRangesPtxas, KernelsOfTheTests) { assemble_all({"data/run"}); }

}  // namespace
}  // namespace heddle::test
