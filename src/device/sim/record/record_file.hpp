// A file that grows while a simulated device works: whole lines, each written at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/replaced_file.hpp"

namespace heddle::device::sim {

// The file is made when there is something to say: a run that fails before its first launch has ended leaves the older
// record as it was.
class RecordFile {
 public:
  // The name of this process's file. Throws as the constructor, which looks at the same; opens nothing.
  static std::string checked(const std::string& name, std::string_view what, std::string_view mark);
  // Looks whether the file can be written, and opens pipes and devices. An older record of that name is lost only when
  // this one is whole (base/replaced_file.hpp). "%p" in the name becomes the number of the process. `begin`: what the
  // file begins with. Throws not_found for a missing folder, io_error, and invalid_argument for a file that is not
  // empty and has no `mark` in its first 64 KiB: it is no older record. `what`: "report" or "trace", for the message.
  RecordFile(const std::string& name, std::string_view what, std::string_view mark, std::string begin);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  // Adds text, then `tail`, which the next call overwrites: the file is whole in between. Throws io_error.
  void add(std::string_view text, std::string_view tail = {});

 private:
  void open();
  void write(std::string_view text, std::uint64_t at);
  std::string path_;
  std::string pending_;  // goes in front of what is added next
  std::optional<base::ReplacedFile> old_;
  int file_ = -1;
  bool is_new_ = false;    // no file was there when it was opened
  std::uint64_t end_ = 0;  // without the tail
};

}  // namespace heddle::device::sim
