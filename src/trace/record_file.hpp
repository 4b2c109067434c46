// The open file of a record, in a process whose descriptors are the program's.
#pragma once

#include <filesystem>

#include "base/file_identity.hpp"

namespace heddle::trace {

// Programs close descriptors that are not theirs, as daemons do with all above the standard ones. Their own files get
// the numbers then, and nothing of Heddle's may be written there. Not for several threads at once.
class RecordFile {
 public:
  // Takes the descriptor. `path`: where the file stands; empty if it has no name, so that it cannot be opened again.
  RecordFile(int descriptor, const std::filesystem::path& path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  // To be asked before each use of get(). Opens the file again if the program has closed it. False: it has, and the
  // file is not at its path any more, or cannot be opened.
  bool is_open() noexcept;
  int get() const noexcept { return descriptor_; }
  // Whether the file at its path is this one still.
  bool is_in_place() const noexcept;

 private:
  bool is_own() const noexcept;
  void open_again() noexcept;

  std::filesystem::path path_;
  int descriptor_;  // -1: lost
  const base::FileIdentity identity_;
  // Keeps the file in being, so that no file gets its number when it has been removed and closed. Never accessed. Null:
  // it cannot be mapped.
  void* mapping_ = nullptr;
};

}  // namespace heddle::trace
