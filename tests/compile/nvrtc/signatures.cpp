#include "signatures.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

namespace heddle::compile::nvrtc::testing {
namespace {

Parameter parameter(std::string text) {
  Parameter result;
  result.pointer = text.find('*') != text.npos;
  std::replace(text.begin(), text.end(), '*', ' ');
  std::istringstream words(text);
  std::vector<std::string> list;
  for (std::string word; words >> word;) {
    if (word != "const" && word != "volatile" && word != "__restrict__" && word != "__grid_constant__")
      list.push_back(word);
  }
  if (list.size() < 2) return result;
  result.name = list.back();
  list.pop_back();
  for (const std::string& word : list) result.type += (result.type.empty() ? "" : " ") + word;
  return result;
}

}  // namespace

std::map<std::string, std::vector<Parameter>> signatures(std::string_view source) {
  // A kernel's parameters have no parentheses in this project's sources.
  static const std::regex kernel(
      R"((template\s*<[^>]*>\s*)?(?:extern "C"\s+)?(?:static\s+)?__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)\s*\{)");
  std::map<std::string, std::vector<Parameter>> found;
  const std::string text(source);
  for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at) {
    if ((*at)[1].matched) continue;
    std::vector<Parameter>& list = found[(*at)[2]];
    list.clear();
    std::istringstream parameters((*at)[3]);
    for (std::string each; std::getline(parameters, each, ',');) list.push_back(parameter(each));
  }
  return found;
}

}  // namespace heddle::compile::nvrtc::testing
