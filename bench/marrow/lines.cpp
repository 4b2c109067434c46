// Lines that a user writes for the five programs, against hand-written CUDA with streams and a path for the CPU.
//
// Counted are lines that are neither empty nor comments alone. Not counted on either side: kernels, inputs and the
// check sum. What the hand-written programs share counts once. They find no split: that is an argument.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "base/file.hpp"
#include "support/folders.hpp"
#include "support/results.hpp"

namespace {

using namespace heddle;

double lines_of(const std::filesystem::path& file) {
  std::istringstream text(base::read_file(file));
  double count = 0;
  for (std::string line; std::getline(text, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != line.npos && line.compare(begin, 2, "//") != 0) ++count;
  }
  return count;
}

}  // namespace

int main() {
  try {
    bench::Results results("marrow");
    const std::filesystem::path folder = bench::source_root() / "bench" / "marrow" / "lines";
    double ours = 0, by_hand = lines_of(folder / "cuda" / "by_hand.hpp");
    for (const std::string name : {"filter", "fft", "nbody", "saxpy", "segmentation"}) {
      const double mine = lines_of(folder / "heddle" / (name + ".cpp")),
                   other = lines_of(folder / "cuda" / (name + ".cu"));
      results.add({fmt::format("lines of {}", name), mine, "lines", {}, fmt::format("{} by hand", other)});
      ours += mine;
      by_hand += other;
    }
    results.add({"lines of the five programs", ours / by_hand, "x", bench::at_most(0.25),
                 fmt::format("{} lines of CUDA by hand", by_hand)});
    return results.finish();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
