// Heddle's device headers as files that clang can read.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "base/temporary_folder.hpp"

namespace heddle::compile {

struct EmbeddedHeader {
  std::string_view path;  // relative, as in #include <path>
  std::string_view text;
};

// The headers that were built into this library (generated from src/compile/headers/).
std::span<const EmbeddedHeader> embedded_headers();

// Hash over all of them, taken when they were built in: changes with every change to a header.
std::string_view headers_version();

// Throws invalid_argument if compilers cannot include files of this folder, in whose name a quotation mark or a line
// end stands.
void require_includable(const std::filesystem::path& folder);

// A folder with the headers in it: one in the cache that is kept for later compilations, or, where the cache cannot be
// written or trusted, or has a name that compilers cannot include, a temporary one that lives as long as this object.
class HeaderFolder {
 public:
  // Throws io_error when neither place can be written; as require_includable().
  HeaderFolder();
  const std::filesystem::path& path() const { return path_; }
  bool permanent() const { return temporary_.path().empty(); }

 private:
  base::TemporaryFolder temporary_;
  std::filesystem::path path_;
};

}  // namespace heddle::compile
