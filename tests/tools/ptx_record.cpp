// Writes what a device computes into test files: behind each `//: record` directive an `//: expect` one. Cases without
// `record` are checked instead.
//
// usage: ptx_record cuda|interp|cpu [--check] FILE...
//   --check   writes nothing: also compares recorded expectations
//   --bits    compares floating-point values, NaNs too, bit by bit
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "device/interp/interp.hpp"
#include "ptx/semantics/convert.hpp"
#include "support/cpu_factory.hpp"
#include "support/short_patience.hpp"
#include "tools/cuda_runner.hpp"

namespace heddle::test {
namespace {

constexpr std::size_t line_width = 118;

std::string value_text(ptx::Type type, std::uint64_t bits) {
  if (ptx::is_float(type)) return fmt::format("{:#x}", bits);
  if (ptx::is_signed(type)) return fmt::format("{}", static_cast<std::int64_t>(ptx::semantics::extend(type, bits)));
  return bits < 0x10000 ? fmt::format("{}", bits) : fmt::format("{:#x}", bits);
}

// "//: expect out = 1 2x30 ...", broken into lines.
std::vector<std::string> expect_lines(const PtxCase& c, const Expectation& target, const CaseResult& result) {
  std::size_t index = 0;
  while (c.arguments[index].name != target.name) ++index;
  const auto& values = result.arguments[index];
  const ptx::Type type = c.arguments[index].type;
  std::string line = "//: expect " + target.name;
  const Tolerance& t = target.tolerance;
  if (t.ulp > 0) line += fmt::format(" ulp {}", t.ulp);
  if (t.relative > 0) line += fmt::format(" rel {}", t.relative);
  if (t.absolute > 0) line += fmt::format(" abs {}", t.absolute);
  line += " =";
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == values[i]) ++end;
    std::string word = value_text(type, values[i]);
    if (end - i > 1) word += fmt::format("*{}", end - i);
    if (line.size() + 1 + word.size() > line_width) lines.push_back(std::exchange(line, "//: +"));
    line += " " + word;
    i = end;
  }
  lines.push_back(line);
  return lines;
}

struct Options {
  std::string device;
  bool check = false, bits = false;
  std::vector<std::string> files;
};

DeviceFactory factory_for(const std::string& device) {
  if (device == "cpu") return CpuFactory();
  return [](const TestDeviceOptions& options) {
    return device::interp::make_interp_device(
        {.poison = options.poison, .deadlock_timeout = short_patience, .print = options.print});
  };
}

void rewrite(const std::string& file, const std::map<unsigned, std::vector<std::string>>& after_line) {
  std::ifstream in(file);
  std::ostringstream out;
  std::string line;
  bool skipping = false;
  for (unsigned number = 1; std::getline(in, line); ++number) {
    const bool recorded = line.starts_with("//: expect") || line.starts_with("//: +");
    if (skipping && recorded) continue;
    skipping = false;
    out << line << "\n";
    const auto found = after_line.find(number);
    if (found == after_line.end()) continue;
    for (const std::string& extra : found->second) out << extra << "\n";
    skipping = true;
  }
  in.close();
  std::ofstream(file) << out.str();
}

// Makes all values plain bits.
void forget_types(PtxCase& c) {
  for (CaseArgument& argument : c.arguments) {
    const unsigned width = ptx::bit_width(argument.type);
    argument.type = width == 64   ? ptx::Type::b64
                    : width == 32 ? ptx::Type::b32
                    : width == 16 ? ptx::Type::b16
                                  : ptx::Type::b8;
  }
}

int record_files(const Options& options) {
  std::unique_ptr<CudaRunner> cuda = options.device == "cuda" ? std::make_unique<CudaRunner>() : nullptr;
  const DeviceFactory factory = factory_for(options.device);
  unsigned failures = 0, cases = 0, skipped = 0;
  for (const std::string& file : options.files) {
    std::map<unsigned, std::vector<std::string>> after_line;
    for (PtxCase& c : read_cases(file, true)) {
      if (options.bits) forget_types(c);
      const bool cannot = c.poison || c.blocks || (cuda && c.error) || !c.runs_on(options.device);
      if (cannot) {
        ++skipped;
        continue;
      }
      ++cases;
      CaseResult result = cuda ? cuda->run(c) : run_case(c, factory);
      if (cuda && c.print) result.print = *c.print;  // the driver writes it to standard output itself
      if (c.recordings.empty() || options.check) {
        const std::string problem = check_case(c, result);
        if (!problem.empty()) {
          ++failures;
          std::printf("%s:%u: %s: %s\n", file.c_str(), c.line, c.kernel.c_str(), problem.c_str());
        }
      } else if (result.error) {
        ++failures;
        std::printf("%s:%u: %s: %s\n", file.c_str(), c.line, c.kernel.c_str(), result.error_text.c_str());
      } else {
        for (const Expectation& target : c.recordings) after_line[target.line] = expect_lines(c, target, result);
      }
      std::fflush(stdout);
    }
    if (!options.check && !after_line.empty()) rewrite(file, after_line);
  }
  std::printf("%u cases, %u skipped, %u failures\n", cases, skipped, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::test

int main(int argc, char** argv) {
  heddle::test::Options options;
  if (argc < 3) {
    std::fprintf(stderr, "usage: ptx_record cuda|interp|cpu [--check] [--bits] FILE...\n");
    return 2;
  }
  options.device = argv[1];
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0)
      options.check = true;
    else if (std::strcmp(argv[i], "--bits") == 0)
      options.bits = true;
    else
      options.files.emplace_back(argv[i]);
  }
  try {
    return heddle::test::record_files(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ptx_record: %s\n", error.what());
    return 2;
  }
}
