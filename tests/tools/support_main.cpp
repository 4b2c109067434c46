// Writes docs/ptx-support.md: heddle_ptx_support FILE.
#include <cstdio>
#include <exception>
#include <fstream>

#include "ptx/support_page.hpp"
#include "tools/support_columns.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: heddle_ptx_support FILE\n");
    return 2;
  }
  try {
    const std::string page = heddle::ptx::support_page(heddle::test::device_columns());
    std::ofstream out(argv[1], std::ios::binary);
    out << page;
    out.close();
    if (out) return 0;
    std::fprintf(stderr, "heddle_ptx_support: cannot write %s\n", argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle_ptx_support: %s\n", error.what());
  }
  return 1;
}
