// Whole files: reading, and writing so that a reader sees the old content or the new, never half of it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle::base {

// The bytes of a regular file. Throws not_found when there is none, io_error with the system's reason otherwise.
std::string read_file(const std::filesystem::path& path);
// As read_file, but nothing where the file is absent or cannot be read: for caches.
std::optional<std::string> read_file_if_there(const std::filesystem::path& path);

// Writes to a temporary file in the same folder and renames it over `path`, or over what the link `path` leads to;
// makes missing folders. Devices and pipes are written to as they are. Throws io_error.
void write_file_atomic(const std::filesystem::path& path, std::string_view content);
inline void write_file_atomic(const std::filesystem::path& path, std::span<const std::byte> content) {
  write_file_atomic(path, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

// For files that a user names, where a folder that is missing is a mistake. Throws not_found that names it.
void require_folder_of(const std::filesystem::path& file);

}  // namespace heddle::base
