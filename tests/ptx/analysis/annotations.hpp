// PTX test files that say in comments what an analysis should find: a line `...;  //= text` states what is expected of
// the instruction on it, a line `//@ key value` sets the test up. With HEDDLE_UPDATE=1 in the environment the
// expectations are rewritten to what is found, for a person to review.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ptx/ir.hpp"

namespace heddle::ptx::analysis::testing {

struct AnnotatedFile {
  std::string path, text;
  Module module;
  std::multimap<std::string, std::string> settings;  // from //@ lines

  static AnnotatedFile load(const std::string& path);
  std::string setting(const std::string& key, const std::string& otherwise = "") const;
};

// The .ptx files of tests/<folder>, sorted.
std::vector<std::string> files_in(const std::string& folder);

// Compares each //= text with find(function, instruction index); reports differences as test failures. A file without
// any expectation is a failure too.
void check_annotations(const AnnotatedFile& file,
                       const std::function<std::string(const Function&, std::uint32_t)>& find);

// Compares each line `//@ key function text` whose key is one of `keys` with find(key, function). Updates like the
// above.
void check_facts(const AnnotatedFile& file, const std::vector<std::string>& keys,
                 const std::function<std::string(const std::string& key, std::uint32_t function)>& find);

}  // namespace heddle::ptx::analysis::testing
