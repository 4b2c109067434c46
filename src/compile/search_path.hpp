// Where clang looks for headers, as it prints itself (cc1's -v).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::compile {

// Folders as clang names them; relative ones are relative to the working folder.
struct SearchPath {
  std::vector<std::string> quoted;   // searched for "name" only, after the folder of the file that includes
  std::vector<std::string> angled;   // searched for all, in order
  std::vector<std::string> missing;  // ignored, since there is no such folder
  std::vector<std::string> doubled;  // ignored, since it is one of the others
};

// Takes clang's description of the search path out of what it printed; the rest, which is its diagnostics, stays in
// `text`. False, and `text` unchanged, when it has none.
bool take_search_path(std::string& text, SearchPath& path);

}  // namespace heddle::compile
