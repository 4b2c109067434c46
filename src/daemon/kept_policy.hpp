// The policy that a daemon was told, for the next daemon of the same user.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace heddle::daemon {

// Where the policy of the daemon at `socket` is kept: in cache_directory(), so that somebody with another home, or with
// a cache of a test, begins anew. The folder of the socket will not do: it is found by the number of the user alone.
std::filesystem::path policy_file(const std::filesystem::path& socket);

// Empty: none was kept, or the file cannot be trusted (base/cache_folder.hpp).
std::string kept_policy(const std::filesystem::path& file);
// What cannot be kept is a warning. An empty `file`: nothing is kept.
void keep_policy(const std::filesystem::path& file, std::string_view policy);

}  // namespace heddle::daemon
