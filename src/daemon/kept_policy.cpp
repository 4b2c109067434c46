#include "daemon/kept_policy.hpp"

#include <fmt/format.h>

#include "base/cache_folder.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {

std::filesystem::path policy_file(const std::filesystem::path& socket) {
  constexpr std::size_t digits = 16;
  return base::cache_directory() / "daemon" / (base::sha256_hex(socket.string()).substr(0, digits) + ".policy");
}

std::string kept_policy(const std::filesystem::path& file) {
  return file.empty() ? std::string() : base::read_cache_file(file).value_or("");
}

void keep_policy(const std::filesystem::path& file, std::string_view policy) {
  if (file.empty() || !base::make_cache(file.parent_path())) return;
  try {
    base::write_file_atomic(file, policy);
  } catch (const Error& error) {
    base::log_warn("the next daemon will not have the policy {}: {}", policy, error.what());
  }
}

}  // namespace heddle::daemon
