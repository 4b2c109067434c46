// The parts of README.md in C++, as a program.
#include <cstdio>
#include <heddle/heddle.hpp>
#include <heddle/skeleton.hpp>
#include <span>

// clang-format off
int main() try {
  const unsigned n = 1u << 20, blocks = n / 256;
SNIPPET
  if (result.size() != n || result[0] != 0) return std::puts("wrong result"), 1;
  {
SNIPPET
    shared.synchronize();
  }
  for (float& value : x.write()) value = 1;
SNIPPET
  done.get();
  if (y[n - 1] != 8) return std::puts("wrong result of the tree"), 1;
  return 0;
} catch (const heddle::Error& error) {
  std::puts(error.what());
  return 1;
}
