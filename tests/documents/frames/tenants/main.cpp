// The part of docs/tenants.md in C++, as a program.
#include <cstdio>
#include <heddle/heddle.hpp>
#include <heddle/queue.hpp>

// clang-format off
int main() try {
  const int n = 64 * 256;
SNIPPET
  runtime.synchronize();
  queue.synchronize();
  return y[n - 1] == 0 ? 0 : 1;
} catch (const heddle::Error& error) {
  std::puts(error.what());
  return 1;
}
