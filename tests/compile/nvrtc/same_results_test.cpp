// Every kernel of this project that NVRTC takes computes on the CPU device what it computes when clang has compiled it:
// the same data in, the same data out, or the same fault. The data are random numbers that suit the parameters' types;
// what a kernel makes of them need not make sense, but must be the same.
#include <cxxabi.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "device/cpu/cpu.hpp"
#include "fixture.hpp"
#include "ptx/parser.hpp"
#include "signatures.hpp"
#include "support/places.hpp"

namespace heddle::compile::nvrtc::testing {
namespace {

namespace fs = std::filesystem;
using compile::testing::SharedHeaders;

constexpr std::size_t elements = 1 << 18;

// How an element's numbers are made and compared.
enum class Kind { integer, half, bfloat16, single, real };
struct Element {
  Kind kind;
  unsigned bytes;  // of one number; vectors are several
};

std::optional<Element> element(const std::string& type) {
  static const std::map<std::string, Element> known{{"char", {Kind::integer, 1}},
                                                    {"unsigned char", {Kind::integer, 1}},
                                                    {"short", {Kind::integer, 2}},
                                                    {"unsigned short", {Kind::integer, 2}},
                                                    {"int", {Kind::integer, 4}},
                                                    {"unsigned", {Kind::integer, 4}},
                                                    {"unsigned int", {Kind::integer, 4}},
                                                    {"long", {Kind::integer, 8}},
                                                    {"unsigned long", {Kind::integer, 8}},
                                                    {"long long", {Kind::integer, 8}},
                                                    {"unsigned long long", {Kind::integer, 8}},
                                                    {"float", {Kind::single, 4}},
                                                    {"double", {Kind::real, 8}},
                                                    {"half", {Kind::half, 2}},
                                                    {"__half", {Kind::half, 2}},
                                                    {"half2", {Kind::half, 2}},
                                                    {"__half2", {Kind::half, 2}},
                                                    {"__nv_bfloat16", {Kind::bfloat16, 2}},
                                                    {"__nv_bfloat162", {Kind::bfloat16, 2}},
                                                    {"float2", {Kind::single, 4}},
                                                    {"float3", {Kind::single, 4}},
                                                    {"float4", {Kind::single, 4}},
                                                    {"double2", {Kind::real, 8}},
                                                    {"uchar4", {Kind::integer, 1}},
                                                    {"short2", {Kind::integer, 2}},
                                                    {"uint2", {Kind::integer, 4}},
                                                    {"ulonglong2", {Kind::integer, 8}}};
  const auto found = known.find(type);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

// Integers that suit indices, sizes and characters; floating-point numbers near 1.
std::uint64_t random_number(const Element& element, std::mt19937_64& generator) {
  const double real = std::uniform_real_distribution<double>(0.25, 1.75)(generator);
  switch (element.kind) {
    case Kind::integer: return generator() % (element.bytes == 1 ? 256 : 16);
    case Kind::half: return 0x3400 + generator() % 0x0c00;
    case Kind::bfloat16: return 0x3e80 + generator() % 0x0180;
    case Kind::single: return std::bit_cast<std::uint32_t>(static_cast<float>(real));
    case Kind::real: return std::bit_cast<std::uint64_t>(real);
  }
  return 0;
}

double value_of(const Element& element, std::uint64_t bits) {
  if (element.kind == Kind::real) return std::bit_cast<double>(bits);
  if (element.kind == Kind::single) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (element.kind == Kind::bfloat16) return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

// The compilers fuse other multiplications and additions, and have other math functions.
bool agree(const Element& element, std::uint64_t a, std::uint64_t b, double tolerance) {
  if (a == b) return true;
  if (element.kind == Kind::integer) return false;
  const double x = value_of(element, a), y = value_of(element, b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (element.kind == Kind::half || element.kind == Kind::bfloat16) tolerance = std::max(tolerance, 0.02);
  return std::fabs(x - y) <= tolerance * std::max({1.0, std::fabs(x), std::fabs(y)});
}

std::uint64_t number_at(const std::vector<std::byte>& bytes, std::size_t index, unsigned size) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + index * size, size);
  return number;
}

// What a kernel needs besides what its parameters and its code suggest.
struct Special {
  std::map<std::string, int> integers;  // values of parameters
  Dim3 grid = {0}, block = {0};         // where it counts on them
  std::set<std::string> zeros;          // arrays that must be zero
  bool cooperative = false;             // the whole grid at once
};
const std::map<std::string, Special>& specials() {
  static const std::map<std::string, Special> all{
      {"nqueens", {.integers = {{"n", 6}}}},
      {"gesummv", {.integers = {{"n", 256}}}},
      {"mvt_rows", {.integers = {{"n", 256}}}},
      {"mvt_columns", {.integers = {{"n", 256}}}},
      {"gaussian_rows", {.integers = {{"radius", 3}}, .block = {32, 8}}},
      {"gaussian_columns", {.integers = {{"radius", 3}}, .block = {32, 8}}},
      {"sobel", {.block = {32, 8}}},
      {"conv_rows", {.integers = {{"radius", 3}}}},
      {"gemm_registers", {.integers = {{"m", 128}, {"n", 128}, {"k", 128}}}},
      {"scan_lookback", {.zeros = {"state", "ticket"}}},
      {"radix_scan", {.grid = {1}}},
      {"device_scope", {.grid = {1}, .block = {1}}},
      {"block_scope", {.grid = {1}, .block = {1}}},
      {"system_scope", {.grid = {1}, .block = {1}}},
      {"jacobi_grid", {.integers = {{"iterations", 5}}, .grid = {4}, .block = {256}, .cooperative = true}},
      {"grid", {.grid = {4}, .block = {256}, .cooperative = true}},
      {"grid_rounds", {.integers = {{"rounds", 5}}, .grid = {4}, .block = {256}, .cooperative = true}},
  };
  return all;
}

// Kernels whose results are not the same twice, and why.
const std::map<std::string, std::string>& left_out() {
  static const std::map<std::string, std::string> all{
      {"examples_kernels_floyd_warshall floyd_warshall", "races where a distance from a place to itself is not zero"},
      {"compile_cuda_intrinsics integers", "reads the clock"},
      {"ptx_source_warp votes", "reads the clock"},
      {"ptx_source_matrix whole_grid", "synchronises a grid, in a launch that is not cooperative"},
      {"compile_cuda_warp all_shuffles", "all threads write the same places"},
      {"compile_cuda_warp barriers", "all threads write the same places"},
  };
  return all;
}

// Sources that only clang takes, and why.
const std::map<std::string, std::string>& only_for_clang() {
  static const std::map<std::string, std::string> all{
      {"host_program", "host code"},
      {"math", "functions of the C++ library in namespace std"},
      {"portable", "builtin functions of clang, without CUDA's headers"},
  };
  return all;
}
// Its kernels are made by macros, so that their parameters are not found in the text; MatrixValues runs them.
bool is_made_by_macros(const fs::path& file) { return file.stem() == "matrix_values"; }

// Kernels of these folders were written to be compiled: all their threads write the same places. One warp of them runs,
// because what several warps leave behind depends on which comes last.
bool races(const fs::path& file) {
  const std::string folder = file.parent_path().filename().string();
  return folder == "cuda" || folder == "values" || folder == "source";
}

// A kernel's shape is not in its source: two dimensions where it asks for two.
struct Shape {
  device::LaunchConfig config;
  int size = 0;  // for integer parameters
};
Shape one_warp(const Shape& shape) {
  Shape small = shape;
  small.config.grid = {1};
  small.config.block = shape.config.block.z > 1 ? Dim3{4, 4, 2} : shape.config.block.y > 1 ? Dim3{8, 4} : Dim3{32};
  return small;
}
Shape shape_of(const ptx::Function& function, const std::string& text, int integers) {
  const auto asks = [&](const char* name) { return text.find(name) != text.npos; };
  Shape shape{{.grid = {4}, .block = {256}}, integers > 1 ? 64 : 1000};
  if (asks("%tid.z")) {
    shape = {{.grid = {4, 4, 4}, .block = {8, 8, 4}}, 32};
  } else if (asks("%tid.y")) {
    shape = {{.grid = {2, 2}, .block = {16, 16}}, 32};
  }
  if (asks("%ctaid.y") && shape.config.grid.y == 1) shape.config.grid.y = 2;
  for (const ptx::FunctionDirective& directive : function.directives) {
    if ((directive.name == "reqntid" || directive.name == "maxntid") && !directive.values.empty() &&
        shape.config.block.y == 1) {
      shape.config.block.x = static_cast<std::uint32_t>(directive.values[0]);
    }
  }
  return shape;
}

// The text of one entry.
std::string text_of(const std::string& ptx, const std::string& kernel) {
  const std::size_t begin = ptx.find(".entry " + kernel + "(");
  const std::size_t end = begin == ptx.npos ? begin : ptx.find("\n}", begin);
  return begin == ptx.npos ? std::string() : ptx.substr(begin, end - begin);
}

struct Outcome {
  std::string fault;                           // empty when the kernel ran
  std::vector<std::vector<std::byte>> arrays;  // in the order of the pointers
  std::vector<std::string> printed;            // lines, sorted: threads print in any order
};

// Where the device prints to.
class Printed {
 public:
  Printed() : stream_(open_memstream(&text_, &size_)) {}
  ~Printed() {
    fclose(stream_);
    free(text_);
  }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  std::FILE* stream() const { return stream_; }
  // What has been printed since the last time.
  std::vector<std::string> take() {
    fflush(stream_);
    std::istringstream text(std::string(text_ + taken_, size_ - taken_));
    taken_ = size_;
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0, taken_ = 0;
  std::FILE* stream_;
};

class Loaded {
 public:
  Loaded(device::Device& device, const std::string& ptx, const std::string& name)
      : device_(device), text_(ptx), parsed_(std::make_shared<ptx::Module>(ptx::parse(ptx, name))) {
    module_ = device.load(parsed_, {.check = true});
  }
  std::set<std::string> kernels() const {
    std::set<std::string> names;
    for (const ptx::Function& function : parsed_->functions) {
      if (function.is_entry) names.insert(function.name);
    }
    return names;
  }
  const std::string& text() const { return text_; }
  device::Function& function(const std::string& name) const { return module_->function(name); }

  Outcome run(const std::string& kernel, const std::vector<Parameter>& parameters, const Shape& shape,
              const Special& special) const {
    device::Function& function = module_->function(kernel);
    const auto queue = device_.queue({});
    std::mt19937_64 generator(17);
    std::vector<std::unique_ptr<device::Memory>> memory;
    std::vector<std::byte> packed(function.parameter_bytes());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Element each = *element(parameters[i].type);
      std::uint64_t value = 0;
      if (parameters[i].pointer) {
        memory.push_back(device_.allocate(elements * each.bytes));
        std::vector<std::byte> data = random_data(each, generator);
        if (special.zeros.count(parameters[i].name) != 0) std::fill(data.begin(), data.end(), std::byte{0});
        queue->copy(memory.back()->span(), device::Span::host(data.data(), data.size()));
        queue->synchronize();
        value = memory.back()->span().address;
      } else {
        const auto chosen = special.integers.find(parameters[i].name);
        value = each.kind != Kind::integer         ? random_number(each, generator)
                : chosen != special.integers.end() ? static_cast<std::uint64_t>(chosen->second)
                                                   : static_cast<std::uint64_t>(shape.size);
      }
      std::memcpy(packed.data() + function.parameters()[i].offset, &value, function.parameters()[i].size);
    }
    Outcome outcome;
    try {
      queue->launch(function, shape.config, {0, shape.config.grid.count()}, packed);
      queue->synchronize();
    } catch (const Error& error) {
      outcome.fault = name(error.code());
      return outcome;
    }
    for (const auto& each : memory) {
      outcome.arrays.emplace_back(each->span().size);
      queue->copy(device::Span::host(outcome.arrays.back().data(), outcome.arrays.back().size()), each->span());
    }
    queue->synchronize();
    return outcome;
  }

 private:
  static std::vector<std::byte> random_data(const Element& each, std::mt19937_64& generator) {
    std::vector<std::byte> data(elements * each.bytes);
    for (std::size_t i = 0; i < elements; ++i) {
      const std::uint64_t number = random_number(each, generator);
      std::memcpy(data.data() + i * each.bytes, &number, each.bytes);
    }
    return data;
  }

  device::Device& device_;
  std::string text_;
  std::shared_ptr<ptx::Module> parsed_;
  std::shared_ptr<device::Module> module_;
};

// The name in the source: of "a::fill(float*, int)", fill.
std::string source_name(const std::string& kernel) {
  int status = 0;
  char* readable = abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && readable != nullptr ? readable : kernel;
  std::free(readable);
  name = name.substr(0, name.find('('));
  return name.substr(name.rfind(':') == name.npos ? 0 : name.rfind(':') + 1);
}

std::vector<fs::path> sources() {
  std::vector<fs::path> files;
  for (const char* folder : {"../examples/kernels", "../examples/images", "../bench/cpu/kernels", "compile/cuda",
                             "compile/values", "cli/data", "data/ptx/source"}) {
    for (const auto& file : fs::directory_iterator(tests::test_data() / folder)) {
      // Members of barriers that the SDK's libcu++ has not in every version.
      if (file.path().filename() == "library_values.cu") continue;
      if (file.path().extension() == ".cu") files.push_back(file.path().lexically_normal());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return folder.parent_path().filename().string() + "_" + folder.filename().string() + "_" + file.stem().string();
}

class SameResults : public ::testing::TestWithParam<fs::path> {
 protected:
  static void SetUpTestSuite() { ::setenv("HEDDLE_CACHE_DIR", SharedHeaders::get().folder().c_str(), 1); }
  static void TearDownTestSuite() {
    ::unsetenv("HEDDLE_CACHE_DIR");
    if (tally().files != sources().size()) return;  // some were filtered out
    EXPECT_GE(tally().ran, tally().kernels * 4 / 5) << "of " << tally().kernels << " kernels";
    EXPECT_GE(tally().ran, 180);
  }
  void SetUp() override {
    std::vector<Place> looked_at;
    const auto library = look_for_library(looked_at);
    if (!library) GTEST_SKIP() << "NOT RUN: " << not_found_text(looked_at);
  }

  void compare(const Loaded& clangs, const Loaded& nvrtcs, const std::string& kernel,
               const std::vector<Parameter>& parameters) {
    const Special special = specials().count(kernel) ? specials().at(kernel) : Special{};
    const auto integers = std::count_if(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
      return !parameter.pointer && element(parameter.type)->kind == Kind::integer;
    });
    const std::string text = text_of(clangs.text(), kernel) + text_of(nvrtcs.text(), kernel);
    Shape shape = shape_of(clangs.function(kernel).ptx(), text, static_cast<int>(integers));
    if (races(GetParam())) shape = one_warp(shape);
    if (special.grid.x != 0) shape.config.grid = special.grid;
    if (special.block.x != 0) shape.config.block = special.block;
    shape.config.cooperative = special.cooperative;
    shape.config.dynamic_shared_bytes = 16 << 10;
    Outcome one = clangs.run(kernel, parameters, shape, special);
    one.printed = printed_.take();
    Outcome two = nvrtcs.run(kernel, parameters, shape, special);
    two.printed = printed_.take();
    EXPECT_EQ(one.printed, two.printed) << kernel;
    EXPECT_EQ(one.fault, two.fault) << kernel;
    if (one.fault.empty() && two.fault.empty()) compare_arrays(one, two, kernel, parameters);
    tally().ran += one.fault.empty();
  }

  static void compare_arrays(const Outcome& one, const Outcome& two, const std::string& kernel,
                             const std::vector<Parameter>& parameters) {
    std::size_t array = 0;
    for (const Parameter& parameter : parameters) {
      if (!parameter.pointer) continue;
      const Element each = *element(parameter.type);
      std::size_t wrong = 0, first = 0;
      for (std::size_t i = 0; i < elements; ++i) {
        if (agree(each, number_at(one.arrays[array], i, each.bytes), number_at(two.arrays[array], i, each.bytes),
                  1e-4)) {
          continue;
        }
        if (wrong++ == 0) first = i;
      }
      EXPECT_EQ(wrong, 0u) << kernel << ": " << wrong << " numbers of " << parameter.name << " differ, the first at "
                           << first << ": " << number_at(one.arrays[array], first, each.bytes) << " and "
                           << number_at(two.arrays[array], first, each.bytes) << " ("
                           << value_of(each, number_at(one.arrays[array], first, each.bytes)) << " and "
                           << value_of(each, number_at(two.arrays[array], first, each.bytes)) << ")";
      ++array;
    }
  }

  // How much of all this really ran, so that the comparison does not come to nothing unnoticed.
  struct Tally {
    std::size_t files = 0;
    int kernels = 0, ran = 0;
  };
  static Tally& tally() {
    static Tally tally;
    return tally;
  }

  Printed printed_;
};

TEST_P(SameResults, AsFromClang) {
  ++tally().files;
  const auto missing = tests::test_data() / "compile/nvrtc/missing";
  const CompileOptions with_nvrtc{.include_paths = {missing.string()},
                                  .extra = {"--pre-include=" + (missing / "heddle_missing.h").string()},
                                  .compiler = Compiler::nvrtc};
  const auto device = device::cpu::make_cpu_device(
      {.deadlock_timeout = std::chrono::milliseconds(500), .printf_output = printed_.stream()});
  if (only_for_clang().count(GetParam().stem().string()) != 0) {
    EXPECT_THROW(compile_cuda_file(GetParam(), with_nvrtc), Error);
    return;
  }
  const std::string nvrtcs_ptx = compile_cuda_file(GetParam(), with_nvrtc);
  const std::string clangs_ptx = compile_cuda_file(GetParam(), {.compiler = Compiler::clang});
  const Loaded clangs(*device, clangs_ptx, "clang.ptx"), nvrtcs(*device, nvrtcs_ptx, "nvrtc.ptx");
  EXPECT_EQ(clangs.kernels(), nvrtcs.kernels());
  if (is_made_by_macros(GetParam())) return;
  const auto known = signatures(base::read_file(GetParam()));
  for (const std::string& kernel : clangs.kernels()) {
    ++tally().kernels;
    const auto found = known.find(source_name(kernel));
    if (left_out().count(test_name(GetParam()) + " " + kernel) != 0 || found == known.end()) continue;
    const auto is_unknown = [](const Parameter& parameter) { return !element(parameter.type); };
    if (std::any_of(found->second.begin(), found->second.end(), is_unknown)) continue;  // structures
    if (nvrtcs.kernels().count(kernel) != 0) compare(clangs, nvrtcs, kernel, found->second);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SameResults, ::testing::ValuesIn(sources()),
                         [](const auto& info) { return test_name(info.param); });

}  // namespace
}  // namespace heddle::compile::nvrtc::testing
