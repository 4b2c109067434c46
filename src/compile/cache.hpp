// The on-disk cache of compiled CUDA sources.
//
// One file per key, where the key is everything that is known before compiling: the source, its name, the options,
// clang and Heddle's headers. The file lists the headers that the source included, with a hash of each; an entry counts
// only while all of them are unchanged. A checksum over the whole makes a damaged entry the same as none. Files are
// replaced by rename, so processes may share a cache. Where the disk cannot be written, nothing is cached and nothing
// fails.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::compile {

struct Dependency {
  std::string path;
  std::string fingerprint;
};

struct CacheEntry {
  std::string ptx;
  std::string warnings;
  std::vector<Dependency> dependencies;
};

// What a dependency looks like now: a hash of the content, or, for the system's headers, whose number is large and
// which change only with their package, size and time. Empty when the file is not there.
std::string fingerprint(const std::string& path);

// `key` is a hexadecimal hash. Nothing for a missing, damaged or outdated entry; never throws.
std::optional<CacheEntry> load_entry(const std::string& key);
// Never throws; false when the entry could not be written.
bool store_entry(const std::string& key, const CacheEntry& entry);

// Where the entry of a key lies.
std::filesystem::path entry_path(const std::string& key);

}  // namespace heddle::compile
