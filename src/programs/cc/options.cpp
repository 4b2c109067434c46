#include "programs/cc/options.hpp"

namespace heddle::programs {

void CcOptions::add_input(const std::string& name) {
  link_words.push_back({LinkWord::Kind::input, inputs.size()});
  inputs.push_back({name});
}

void CcOptions::add_library(const std::string& name) {
  link_words.push_back({LinkWord::Kind::library, libraries.size()});
  libraries.push_back(name);
}

void CcOptions::add_linker_word(const std::string& word) {
  link_words.push_back({LinkWord::Kind::linker, linker.size()});
  linker.push_back(word);
}

std::string host_standard(const CcOptions& options, Language language) {
  const std::string& standard = options.standard;
  const bool of_cxx = standard.find("++") != standard.npos;
  if (standard.empty() || of_cxx != (language != Language::c)) return language == Language::cuda ? "c++17" : "";
  if (!of_cxx) return standard;
  const std::string year = standard.substr(standard.find("++") + 2);
  const bool old = year == "98" || year == "03" || year == "11" || year == "0x" || year == "14" || year == "1y";
  if (language == Language::cuda && old) return standard.starts_with("gnu") ? "gnu++17" : "c++17";
  return standard;
}

}  // namespace heddle::programs
