// Where Heddle keeps its caches, and which folders it refuses to use.
//
// Heddle executes what it reads from a cache, so it uses a folder only if no other user can put files into it. The rule
// holds for every cache, however its folder was chosen. The folder belongs to this user or to root (root could change
// this program as well). Neither group nor others may write to it. When root runs Heddle, only folders of root are
// used. A symbolic link must belong to this user or to root, too.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace heddle::base {

// $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle, else heddle-<uid> in the folder for temporary
// files. $XDG_CACHE_HOME and $HOME count only if they are absolute paths. Not created here.
std::filesystem::path cache_directory();

// Why `folder` cannot be trusted and how to fix that, as a sentence. Empty if it can be trusted or does not exist.
std::string distrust(const std::filesystem::path& folder);

// True if files in `folder` may be used. Checks `folder`, and if it is in cache_directory(), every folder from
// cache_directory() down to it. Missing folders pass the check. On false, a warning states the reason, once for each
// reason in a process. Never throws. Any thread.
bool may_use_cache(const std::filesystem::path& folder);

// The content of a file of a cache; nothing if it does not exist, cannot be read, or cannot be trusted: its folder, as
// may_use_cache() says, or the file itself, which follows the same rule and must be a regular file. Of a file that is
// not trusted, a warning states the reason. Never throws.
std::optional<std::string> read_cache_file(const std::filesystem::path& file);
// Why the file at the end of `file`, which may be a link, cannot be trusted; empty if it can be or does not exist.
std::string distrust_file(const std::filesystem::path& file);

// Creates `folder` and its missing parents. Folders from cache_directory() on are for this user alone. Returns what
// may_use_cache() returns, and false if the folder cannot be created; then `why` gets the reason.
bool make_cache(const std::filesystem::path& folder, std::string* why = nullptr);

}  // namespace heddle::base
