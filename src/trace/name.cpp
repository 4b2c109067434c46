#include "trace/name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace heddle::trace {
namespace {

// Where the parameter list begins: the parenthesis that the last one closes.
std::size_t parameters_of(const std::string& text) {
  int depth = 0;
  for (std::size_t i = text.rfind(')') + 1; i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return text.size();
}

// What stands before the last blank outside of brackets is a return type.
std::size_t name_of(const std::string& text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == '>' || text[i] == ')') ++depth;
    if (text[i] == '<' || text[i] == '(') --depth;
    if (text[i] == ' ' && depth == 0) return i + 1;
  }
  return 0;
}

}  // namespace

std::string short_name(const std::string& kernel) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  if (kernel.rfind("_Z", 0) != 0 || status != 0 || !text) return kernel;
  std::string name = text.get();
  if (name.find(')') == name.npos) return name;
  name.resize(parameters_of(name));
  // "(anonymous namespace)::f" has its own parentheses, which are no parameters.
  return name.empty() ? text.get() : name.substr(name_of(name));
}

}  // namespace heddle::trace
