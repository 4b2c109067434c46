// Reads and writes whole files. A reader of a file that is being written sees the old content or the new, never a part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle::base {

// For sources, PTX and options: a person or a compiler writes no longer text.
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 40;

// The bytes of a regular file. Folders, pipes and devices are refused, and never waited for. Throws not_found if the
// file does not exist, invalid_argument if it is longer than `most` bytes, out_of_memory if there is no room for it,
// io_error with the system's reason for other failures.
std::string read_file(const std::filesystem::path& path, std::uint64_t most = most_text_bytes);
// The first bytes of such a file, as many as there are of `count`, to see what it is before all of it is read.
std::string read_beginning(const std::filesystem::path& path, std::size_t count);
// Throws as read_file does if the file cannot be read.
void require_regular_file(const std::filesystem::path& path);
// All of standard input, which may be a pipe or a terminal. Throws as read_file does.
std::string read_standard_input(std::uint64_t most = most_text_bytes);
// As read_file, but returns nothing if the file does not exist or cannot be read. For caches.
std::optional<std::string> read_file_if_there(const std::filesystem::path& path, std::uint64_t most = most_text_bytes);

// Writes to a temporary file in the same folder and renames it to `path`; if `path` is a link, to the link's target.
// After a failure the old file is as it was, and nothing else is left. Creates missing folders. A pipe in its place is
// replaced, and never waited for. The new file has these permissions from the moment when it has its name. Throws
// io_error.
void write_file_atomic(const std::filesystem::path& path, std::string_view content,
                       std::filesystem::perms permissions = std::filesystem::perms{0644});
inline void write_file_atomic(const std::filesystem::path& path, std::span<const std::byte> content) {
  write_file_atomic(path, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

// As write_file_atomic, for files that a user names: the permissions of an old file are kept, a new one has those that
// the umask leaves, and an old file that may not be written to is not replaced. Devices and pipes are written directly.
void write_users_file(const std::filesystem::path& path, std::string_view content);
inline void write_users_file(const std::filesystem::path& path, std::span<const std::byte> content) {
  write_users_file(path, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

// Opens a pipe or a device to write to it: nobody waits for ever for a process that reads the pipe. The caller closes
// the descriptor. Throws io_error.
int open_special_file(const std::filesystem::path& path);

// For files that users name: a missing folder, also of a link's target, is a mistake. Throws not_found with its name,
// and invalid_argument if the file itself is a folder.
void require_folder_of(const std::filesystem::path& file);

}  // namespace heddle::base
