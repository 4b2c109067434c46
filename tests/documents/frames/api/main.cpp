// The parts of docs/api.md, as a program.
#include <cstddef>
#include <cstdio>
#include <heddle/compile.hpp>
#include <heddle/heddle.hpp>
#include <span>
#include <string>
#include <vector>

// clang-format off
namespace {

bool is(bool holds, const char* what) {
  if (!holds) std::printf("not so: %s\n", what);
  return holds;
}

const std::string source_text = "__global__ void nothing() {}";

}  // namespace

int main() try {
SNIPPET
  bool good = is(!checked.devices().empty() && bytes_per_second > 0, "devices");
  const std::string ptx_text = heddle::compile_to_ptx("saxpy.cu");
SNIPPET
  good &= is(scale == 2 && type.bytes == 4 && info.parameters.size() == 2 && from_text.kernel("nothing").info().parameters.empty() &&
             from_ptx.kernel("saxpy").info().parameters.size() == 4, "modules");
  {
SNIPPET
    good &= is(ptx.find("scaled") != std::string::npos, "PTX");
  }
  {
    const std::size_t n = 100;
SNIPPET
    good &= is(w.size() == n && r.size() == n && y[1] == 2, "arrays");
  }
  {
    heddle::Kernel kernel = from_ptx.kernel("saxpy");
    const int n = 1000;
    auto x = runtime.array(std::vector<float>(1000, 1.0f)), y = runtime.array<float>(1100);
SNIPPET
    good &= is(seconds >= 0 && history.launches == 1 && y[100] == 2 && y[99] == 0, "launches");
  }
SNIPPET
  return good ? 0 : 1;
} catch (const heddle::Error& error) {
  std::puts(error.what());
  return 1;
}
