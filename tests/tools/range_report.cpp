// What added entries for block ranges cost: registers of each form beside those of the original entry, as ptxas reports
// them, and the time of the rewriting beside that of the parser.
//
//   range_report [--print] FILE.ptx ...    --print: the rewritten modules instead
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/block_ranges.hpp"
#include "ptx/rewrite/ptxas_registers.hpp"
#include "ptx/verifier.hpp"
#include "support/ptxas.hpp"

namespace heddle::test {
namespace {

using ptx::RangeForm;

constexpr RangeForm forms[] = {RangeForm::box, RangeForm::linear, RangeForm::prelude, RangeForm::pool};

struct Sums {
  std::map<RangeForm, std::map<int, unsigned>> growth;  // how many kernels grow by so many registers
  std::map<RangeForm, unsigned> refused, spilled;
  double parse = 0, facts = 0, print = 0;  // seconds
  std::map<RangeForm, double> rewrite;
  bool failed = false;
};

class Stopwatch {
 public:
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return passed;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void report_kernels(const ptx::RangeModule& ranges, const PtxasReport& report, Sums& sums) {
  for (std::uint32_t f = 0; f < ranges.module.functions.size(); ++f) {
    std::string line;
    const std::string& name = ranges.module.functions[f].name;
    const auto own = report.kernels.find(name);
    for (RangeForm form : forms) {
      const ptx::RangeEntry* entry = ranges.find(f, form);
      if (!entry || own == report.kernels.end()) {
        line += fmt::format(" {:>8}", "-");
        continue;
      }
      const KernelRegisters& added = report.kernels.at(entry->name);
      const int more = static_cast<int>(added.registers) - static_cast<int>(own->second.registers);
      ++sums.growth[form][more];
      sums.spilled[form] += added.spill_bytes > own->second.spill_bytes ? 1 : 0;
      line += fmt::format(" {:>+8}", more);
    }
    if (own != report.kernels.end() && name.find("__heddle_") == std::string::npos)
      fmt::print("  {:<50} {:>4}{}\n", name.substr(0, 50), own->second.registers, line);
  }
}

void report_file(const std::string& file, const std::optional<std::string>& ptxas, bool print_only, Sums& sums) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string source = lift_target(text.str());
  Stopwatch watch;
  const ptx::Module module = ptx::parse(source, file);
  sums.parse += watch.seconds();
  const ptx::RangeFacts facts = ptx::find_range_facts(module);
  sums.facts += watch.seconds();
  for (RangeForm form : forms) {
    ptx::Module copy = module;
    watch.seconds();
    const ptx::RangeModule one = ptx::add_range_entries(std::move(copy), std::span(&form, 1), facts);
    sums.rewrite[form] += watch.seconds();
  }
  const ptx::RangeModule ranges = ptx::add_range_entries(module, forms, facts);
  watch.seconds();
  const std::string rewritten = ptx::print(ranges.module);
  sums.print += watch.seconds();
  if (print_only) {
    fmt::print("{}", rewritten);
    return;
  }
  ptx::verify(ranges.module, file);
  fmt::print("{}\n", file);
  for (const ptx::RangeRefusal& refusal : ranges.refusals) {
    ++sums.refused[refusal.form];
    fmt::print("  no {} of {}: {}\n", name(refusal.form), module.functions[refusal.original].name, refusal.reason);
  }
  if (!ptxas) return;
  const PtxasReport report = report_registers(*ptxas, rewritten);
  if (!report.accepted) {
    sums.failed = true;
    fmt::print("  ptxas: {}\n", report.messages.substr(0, 2000));
    return;
  }
  report_kernels(ranges, report, sums);
}

void report_sums(const Sums& sums) {
  fmt::print("\nRegisters more than the original, and how many kernels:\n");
  for (RangeForm form : forms) {
    fmt::print("  {:<8}", name(form));
    const auto growth = sums.growth.find(form);
    if (growth != sums.growth.end())
      for (const auto& [more, kernels] : growth->second) fmt::print(" {:+}: {} ", more, kernels);
    const auto at = [&](const std::map<RangeForm, unsigned>& map) {
      const auto found = map.find(form);
      return found == map.end() ? 0u : found->second;
    };
    fmt::print(" (spilling more: {}, refused: {})\n", at(sums.spilled), at(sums.refused));
  }
  constexpr double to_milliseconds = 1e3;
  fmt::print("parse {:.2f} ms, analyses {:.2f} ms", sums.parse * to_milliseconds, sums.facts * to_milliseconds);
  for (const auto& [form, seconds] : sums.rewrite) fmt::print(", {} {:.2f} ms", name(form), seconds * to_milliseconds);
  fmt::print(", print {:.2f} ms\n", sums.print * to_milliseconds);
}

}  // namespace
}  // namespace heddle::test

int main(int argc, char** argv) {
  using namespace heddle::test;
  const bool print_only = argc > 1 && std::string_view(argv[1]) == "--print";
  const std::optional<std::string> ptxas = print_only ? std::nullopt : find_ptxas();
  if (!ptxas && !print_only) std::fprintf(stderr, "ptxas is not there: no registers are reported\n");
  Sums sums;
  for (int i = print_only ? 2 : 1; i < argc; ++i) {
    try {
      report_file(argv[i], ptxas, print_only, sums);
    } catch (const heddle::Error& error) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
      sums.failed = true;
    }
  }
  if (!print_only) report_sums(sums);
  return sums.failed ? 1 : 0;
}
