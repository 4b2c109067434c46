#include "zluda/zluda_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/fail.hpp"
#include "ptx/parser.hpp"
#include "support/places.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t dynamic_shared_bytes = 1024;
constexpr unsigned warp_test_threads = 64;

struct Row {
  std::string kind, name, input, output, reason;
  int line = 0;
};

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Row parse_row(const std::string& text, int line) {
  std::istringstream words(text);
  Row row;
  row.line = line;
  words >> row.kind >> row.name;
  std::string rest;
  std::getline(words, rest);
  std::vector<std::string> columns;
  std::istringstream parts(rest);
  for (std::string part; std::getline(parts, part, '|');) columns.push_back(trimmed(part));
  const auto column = [&](std::size_t i) { return i < columns.size() ? columns[i] : ""; };
  if (row.kind == "run")
    row.input = column(1), row.output = column(2);
  else if (row.kind == "warp")
    row.output = column(1);
  else if (row.kind == "except")
    row.reason = column(0);
  return row;
}

std::vector<Row> read_rows(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) base::fail(ErrorCode::not_found, "cannot read {}", file.string());
  std::vector<Row> rows;
  std::string text;
  int number = 0, begin = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (text.empty()) begin = number;
    const bool goes_on = line.back() == '\\';
    text += goes_on ? line.substr(0, line.size() - 1) : line;
    if (goes_on) continue;
    rows.push_back(parse_row(text, begin));
    text.clear();
  }
  return rows;
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) base::fail(ErrorCode::not_found, "no kernel {}", file.string());
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The directives of support/ptx_case.hpp that say what the row says.
std::string directives(const Row& row, std::size_t parameters) {
  const unsigned threads = row.kind == "warp" ? warp_test_threads : 1;
  std::string text = fmt::format("//: launch {} block {} shared {}\n", row.name, threads, dynamic_shared_bytes);
  const auto argument = [](const char* name, const std::string& column, bool values) {
    const std::size_t space = column.find(' ');
    return fmt::format("//: arg {} {}{}\n", name, column.substr(0, space),
                       values ? " = " + column.substr(space + 1) : "");
  };
  const bool has_input = !row.input.empty();
  if (parameters > 1) text += has_input ? argument("in", row.input, true) : "//: arg in u64[64]\n";
  text += row.output.empty() ? "//: arg out u64[64]\n" : argument("out", row.output, false);
  if (row.kind == "fault")
    text += "//: expect error kernel_fault\n";
  else if (!row.output.empty())
    text += "//: expect out = " + row.output.substr(row.output.find(' ') + 1) + "\n";
  return text;
}

class KernelTest : public testing::Test {
 public:
  KernelTest(const Row& row, const DeviceFactory& factory) : row_(row), factory_(factory) {}

  void TestBody() override {
    const char* folder = std::getenv("HEDDLE_ZLUDA_KERNELS");
    if (!folder) GTEST_SKIP() << "HEDDLE_ZLUDA_KERNELS names no folder";
    const std::filesystem::path file = std::filesystem::path(folder) / (row_.name + ".ptx");
    const std::string source = read_text(file);
    if (row_.kind == "load" || row_.kind == "except")
      load(source, file);
    else
      run(source, file);
  }

 private:
  void load(const std::string& source, const std::filesystem::path& file) {
    std::string problem;
    ErrorCode code = ErrorCode::internal;
    try {
      const auto device = factory_({});
      const auto module = std::make_shared<const ptx::Module>(ptx::parse(source, file.filename().string()));
      const auto loaded = device->load(module, {});
      loaded->function(row_.name).prepare({1, 1, 1});
      if (row_.kind == "except") launch_once(*device, loaded->function(row_.name));
    } catch (const Error& error) {
      problem = error.what();
      code = error.code();
    }
    if (row_.kind == "load")
      EXPECT_EQ(problem, "");
    else
      EXPECT_EQ(code, ErrorCode::unsupported) << "to be refused (" << row_.reason << "), but: " << problem;
  }

  static void launch_once(device::Device& device, device::Function& function) {
    const auto memory = device.allocate(1 << 16);
    const auto queue = device.queue({});
    std::vector<std::byte> arguments(function.parameter_bytes());
    const std::uint64_t address = memory->span().address;
    for (const auto& place : function.parameters())
      std::memcpy(arguments.data() + place.offset, &address, std::min<std::size_t>(place.size, sizeof address));
    device::LaunchConfig config;
    config.block = {warp_test_threads, 1, 1};
    config.dynamic_shared_bytes = dynamic_shared_bytes;
    queue->launch(function, config, {0, 1}, arguments);
    queue->synchronize();
  }

  void run(const std::string& source, const std::filesystem::path& file) {
    const ptx::Module module = ptx::parse(source, file.filename().string());
    const ptx::Function* kernel = module.find(row_.name);
    ASSERT_NE(kernel, nullptr);
    std::vector<PtxCase> cases = parse_cases(directives(row_, kernel->parameters.size()) + source, file);
    ASSERT_EQ(cases.size(), 1u);
    const std::string problem = check_case(cases[0], run_case(cases[0], factory_));
    EXPECT_TRUE(problem.empty()) << file.string() << ": " << problem;
  }

  const Row& row_;
  const DeviceFactory& factory_;
};

}  // namespace

int run_zluda_tests(int argc, char** argv, const DeviceFactory& factory) {
  testing::InitGoogleTest(&argc, argv);
  const std::filesystem::path table = tests::test_data() / "zluda" / "kernels.txt";
  std::vector<Row> rows;
  try {
    rows = read_rows(table);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  for (const Row& row : rows)
    testing::RegisterTest("zluda", row.name.c_str(), nullptr, nullptr, table.string().c_str(), row.line,
                          [&row, &factory]() -> testing::Test* { return new KernelTest(row, factory); });
  if (!std::getenv("HEDDLE_ZLUDA_KERNELS"))
    std::fprintf(stderr,
                 "SKIPPING ALL %zu ZLUDA KERNELS: set HEDDLE_ZLUDA_KERNELS to the folder with its unit kernels\n",
                 rows.size());
  return RUN_ALL_TESTS();
}

}  // namespace heddle::test
