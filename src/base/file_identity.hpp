// Which file a path names, so that one that was replaced is noticed.
#pragma once

#include <cstdint>
#include <filesystem>

namespace heddle::base {

struct FileIdentity {
  std::uint64_t device = 0, number = 0;  // 0: there is no file
  bool operator==(const FileIdentity&) const = default;
};
// Of a link: of the link itself.
FileIdentity file_identity(const std::filesystem::path& path) noexcept;

}  // namespace heddle::base
