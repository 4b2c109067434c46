// Writes docs/ptx-support.md: heddle_ptx_support FILE.
#include <cstdio>
#include <fstream>

#include "ptx/support_page.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: heddle_ptx_support FILE\n");
    return 2;
  }
  std::ofstream out(argv[1], std::ios::binary);
  out << heddle::ptx::support_page({});
  out.close();
  if (out) return 0;
  std::fprintf(stderr, "heddle_ptx_support: cannot write %s\n", argv[1]);
  return 1;
}
