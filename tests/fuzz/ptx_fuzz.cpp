// Any text is either refused with a parse error or becomes a module that survives printing and parsing again. What the
// verifier says about it does not matter, as long as it says it without crashing.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heddle/error.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/verifier.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::ptx;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Module module;
  try {
    module = parse(text, "input");
  } catch (const heddle::Error& error) {
    if (error.code() == heddle::ErrorCode::parse_error) return 0;
    throw;
  }
  const std::size_t findings = find_problems(module).size();
  const std::string printed = print(module);
  const char* problem = nullptr;
  std::string message;
  try {
    const Module again = parse(printed, "printed");
    if (!equal(again, module))
      problem = "the printed module parses to another one";
    else if (find_problems(again).size() != findings)
      problem = "the verifier finds something else in the printed module";
  } catch (const heddle::Error& error) {
    problem = "the printed module does not parse";
    message = error.what();
  }
  if (problem == nullptr) return 0;
  std::fprintf(stderr, "%s: %s\n%s", problem, message.c_str(), printed.c_str());
  std::abort();
}
