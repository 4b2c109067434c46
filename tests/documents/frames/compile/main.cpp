// The part of docs/compile.md, as a program.
#include <cstdio>
#include <heddle/compile.hpp>
#include <heddle/error.hpp>
#include <string>

// clang-format off
int main() try {
SNIPPET
  return ptx.find(".visible .entry _Z5saxpyifPKfPf") == std::string::npos;
} catch (const heddle::Error& error) {
  std::puts(error.what());
  return 1;
}
