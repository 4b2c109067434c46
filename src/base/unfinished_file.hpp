// Files that are being written beside the place that they will take.
#pragma once

#include <string>

namespace heddle::base {

// A file of this name that goes with this object, unless it has been kept. Any thread.
class UnfinishedFile {
 public:
  // Makes the file, open to write, with a name that begins with `start`. Throws io_error, and says `target`, the file
  // that it is to replace.
  UnfinishedFile(const std::string& start, const std::string& target);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  // Gives the descriptor away; -1 for later calls.
  int take_descriptor() noexcept;
  // It has got another name.
  void keep() noexcept;

  // Before the process is ended by a signal: removes all that there are, and lets no thread make another one.
  static void remove_all() noexcept;

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace heddle::base
