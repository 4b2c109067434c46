// The on-disk cache of compiled CUDA sources.
//
// One file per key, where the key is everything that is known before compiling: the source, its name, the options,
// clang and its environment, Heddle's headers. The file lists what the compilation found and did not find in the file
// system (lookups.hpp); an entry counts only while all of that is still so. A checksum over the whole makes a damaged
// entry the same as none. Files are replaced by rename, so processes may share a cache. Where the disk cannot be
// written, or the folder cannot be trusted (base/cache_folder.hpp), nothing is cached and nothing fails.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "compile/lookups.hpp"

namespace heddle::compile {

struct CacheEntry {
  std::string ptx;
  std::string warnings;
  Lookups lookups;
};

// `key` is a hexadecimal hash. Nothing for a missing, damaged or outdated entry; never throws.
std::optional<CacheEntry> load_entry(const std::string& key);
// Never throws; false when the entry could not be written.
bool store_entry(const std::string& key, const CacheEntry& entry);

// Where the entry of a key lies.
std::filesystem::path entry_path(const std::string& key);

}  // namespace heddle::compile
