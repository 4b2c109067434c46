#include "compile/headers.hpp"

#include <exception>
#include <string>

#include "base/cache_folder.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/log.hpp"

namespace heddle::compile {
namespace {

// Writes what is missing or differs: a damaged cache repairs itself. Another process may do the same at the same time;
// each file is replaced whole, with the same content.
void materialise(const std::filesystem::path& folder) {
  for (const EmbeddedHeader& header : embedded_headers()) {
    std::filesystem::path file = folder / header.path;
    auto present = base::read_cache_file(file);
    if (!present || *present != header.text) base::write_file_atomic(file, header.text);
  }
}

bool is_includable(const std::filesystem::path& folder) {
  return folder.string().find_first_of("\"\n\r") == std::string::npos;
}

}  // namespace

void require_includable(const std::filesystem::path& folder) {
  if (!is_includable(folder))
    base::fail(ErrorCode::invalid_argument,
               "compilers cannot include files of the temporary folder {}: there is a quotation mark or a line end in "
               "its name; set TMPDIR to another folder",
               folder.string());
}

HeaderFolder::HeaderFolder() {
  path_ = base::cache_directory() / "headers" / std::string(headers_version().substr(0, 16));
  try {
    if (std::string why; !base::make_cache(path_, &why))
      base::fail(ErrorCode::io_error, "{} cannot be used: {}", path_.string(), why);
    materialise(path_);
    // One name for one folder, however the cache is reached: the precompiled header remembers it.
    path_ = std::filesystem::canonical(path_);
    if (!is_includable(path_))
      base::fail(ErrorCode::invalid_argument, "in the name of {} is a quotation mark or a line end", path_.string());
  } catch (const std::exception& error) {
    base::log_info("device headers go to a temporary folder: {}", error.what());
    temporary_.create("headers");
    path_ = temporary_.path();
    require_includable(path_);
    materialise(path_);
  }
}

}  // namespace heddle::compile
