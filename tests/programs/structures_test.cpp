// Random structures as parameters of kernels, in programs that heddle cc and nvcc build, on all devices that there are.
// (tests/random has them in PTX.)
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/file.hpp"
#include "programs/command.hpp"
#include "random/structures.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using test::random_kernel::Structure;
using test::random_kernel::structures_of;
using test::random_kernel::with_structures;

constexpr std::uint64_t seeds = 40;
const std::vector<std::string> own_parameters = {"unsigned char* out", "char c", "int n", "double x"};

bool is_empty(const Structure& structure) { return structure.bytes == 1; }

// "struct alignas(64) k7_structure_0 { unsigned long long f[8]; };"
std::string definition(const std::string& kernel, const Structure& structure) {
  if (is_empty(structure)) return fmt::format("struct {}_{} {{}};\n", kernel, structure.name);
  constexpr const char* elements[] = {"unsigned char", "unsigned short", "unsigned", "unsigned long long"};
  const unsigned size = std::min(structure.alignment, 8u);
  unsigned which = 0;
  while (1u << which < size) ++which;
  return fmt::format("struct alignas({}) {}_{} {{ {} f[{}]; }};\n", structure.alignment, kernel, structure.name,
                     elements[which], structure.bytes / size);
}

// A kernel that copies its parameters to `out`, the bytes of structures at places that it computes; and the host's
// function that launches it and compares.
std::string kernel_text(const std::string& kernel, const std::vector<Structure>& structures) {
  std::string types, copies, values, names, checks;
  unsigned at = 16;
  for (const Structure& structure : structures) {
    types += definition(kernel, structure);
    values += fmt::format("  {}_{} {};\n", kernel, structure.name, structure.name);
    if (is_empty(structure)) continue;
    const auto line = fmt::format("{}, {}", structure.name, at);
    copies += fmt::format("  copy(out, {});\n", line);
    values += fmt::format("  fill({});\n", line);
    checks += fmt::format(" && is_at(got, {})", line);
    at += structure.bytes;
  }
  const auto declared = with_structures(own_parameters, structures, [&](const Structure& structure) {
    return fmt::format("{}_{} {}", kernel, structure.name, structure.name);
  });
  const auto given =
      with_structures({"out", "c", "n", "x"}, structures, [](const Structure& structure) { return structure.name; });
  return fmt::format(R"({0}__global__ void {1}({2}) {{
{3}  copy(out, x, 0);
  copy(out, n, 8);
  copy(out, c, 12);
}}
bool run_{1}(unsigned char* out) {{
  char c = 3;
  int n = 12345678;
  double x = 0.1;
{4}  cudaMemset(out, 0, most_bytes);
  {1}<<<2, 32>>>({5});
  unsigned char got[most_bytes];
  if (cudaMemcpy(got, out, most_bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  return is_at(got, x, 0) && is_at(got, n, 8) && is_at(got, c, 12){6};
}}
)",
                     types, kernel, fmt::join(declared, ", "), copies, values, fmt::join(given, ", "), checks);
}

std::string program_text() {
  std::string text = R"(#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
constexpr unsigned most_bytes = 4096;
template <class T>
__device__ void copy(unsigned char* out, const T& value, unsigned at) {
  for (unsigned i = threadIdx.x; i < sizeof value; i += blockDim.x)
    out[at + i] = reinterpret_cast<const unsigned char*>(&value)[i];
}
template <class T>
void fill(T& value, unsigned at) {
  for (unsigned i = 0; i < sizeof value; ++i) reinterpret_cast<unsigned char*>(&value)[i] = at + 7 * i + 1;
}
template <class T>
bool is_at(const unsigned char* got, const T& value, unsigned at) {
  return std::memcmp(got + at, &value, sizeof value) == 0;
}
)";
  std::string calls;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto structures = structures_of(seed, static_cast<unsigned>(own_parameters.size()));
    if (structures.empty()) continue;
    const std::string kernel = fmt::format("k{}", seed);
    text += kernel_text(kernel, structures);
    calls += fmt::format("  if (!run_{0}(out)) std::printf(\"{0} failed\\n\");\n", kernel);
  }
  return text + "int main() {\n  unsigned char* out;\n  cudaMalloc(&out, most_bytes);\n" + calls +
         "  std::printf(\"ended: %s\\n\", cudaGetErrorName(cudaDeviceSynchronize()));\n}\n";
}

class StructurePrograms : public testing::Test {
 protected:
  void SetUp() override { base::write_file_atomic(folder_.path() / "a.cu", std::string_view(program_text())); }
  std::string heddle() const { return quoted(heddle_program(HEDDLE_PROGRAM)); }
  void build(const std::string& compiler) const {
    const Ran built = run_command("cd " + quoted(folder_.path()) + " && " + compiler + " a.cu -o program");
    ASSERT_EQ(built.code, 0) << built.output;
  }
  void expect_runs() const {
    std::vector<std::string> devices = {"cpu", "cpu --slice 1", "interp"};
    if (run_command(heddle() + " devices").output.find("cuda:0") != std::string::npos)
      devices.insert(devices.end(), {"cuda:0", "cuda:0 --slice 1"});
    for (const std::string& device : devices) {
      const Ran ran = run_command(program_environment() + heddle() + " run --device " + device + ' ' +
                                  quoted(folder_.path() / "program"));
      EXPECT_EQ(ran.output, "ended: cudaSuccess\n") << device;
    }
  }
  TemporaryFolder folder_;
};

TEST_F(StructurePrograms, BuiltByHeddle) {
  ASSERT_NO_FATAL_FAILURE(build(heddle() + " cc"));
  expect_runs();
}

TEST_F(StructurePrograms, BuiltByNvcc) {
  if (run_command("nvcc --version").code != 0) GTEST_SKIP() << "NO NVCC HERE: only programs of heddle cc were run";
  ASSERT_NO_FATAL_FAILURE(build("nvcc -cudart shared -arch=compute_80"));
  expect_runs();
}

}  // namespace
}  // namespace heddle::tests
