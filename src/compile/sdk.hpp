// Headers of NVIDIA's SDK for which Heddle has no replacement.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/search_path.hpp"
#include "heddle/error.hpp"

namespace heddle::compile {

// A compile_error because of a header of an SDK whose folder is not named: with the folder it may compile.
class MissingSdk : public Error {
 public:
  explicit MissingSdk(const std::string& message) : Error(ErrorCode::compile_error, message) {}
};

// What <name> belongs to, as "CUB"; empty where it is no header of the SDK.
std::string_view sdk_part(std::string_view name);

// A sentence about the first of the files `entered` that belongs to an SDK which lies on clang's own search path; empty
// without such a file. What is in one of the folders that the user names is the user's choice, and what is in `own` is
// Heddle's.
std::string find_unasked_sdk(const std::vector<std::string>& entered, const SearchPath& path,
                             const std::vector<std::string>& users_folders, const std::string& own);

// A sentence for each header of the SDK that clang did not find, each beginning with a line end.
std::string explain_missing(std::string_view diagnostics);

}  // namespace heddle::compile
