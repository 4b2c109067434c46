// Compiled kernels on disk. An entry is a file named by its key; readers trust nothing but a checksum, and no folder
// that base/cache_folder.hpp does not trust: what is in it will be executed.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "device/cpu/codegen/codegen.hpp"

namespace heddle::device::cpu {

// Any number of threads and processes may use one folder at once. Nothing here throws: without a usable folder there is
// just no caching, which is logged once.
class ObjectCache {
 public:
  // Entries beyond `most_bytes` in all are removed, least recently used first.
  ObjectCache(std::filesystem::path folder, std::uint64_t most_bytes);

  // Nothing when the entry is absent, truncated or damaged, or of another key.
  std::optional<CompiledKernel> load(const std::string& key);
  void store(const std::string& key, const CompiledKernel& kernel);
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file_of(const std::string& key) const;

 private:
  bool trusted(const std::filesystem::path& file) const;  // the folders that it is in
  void trim();
  void complain(std::string_view what);

  const std::filesystem::path folder_;
  const std::uint64_t most_bytes_;
  std::mutex mutex_;
  std::uint64_t stored_since_trim_ = 0;
  bool trimmed_ = false;
  std::atomic<bool> complained_{false};
};

}  // namespace heddle::device::cpu
