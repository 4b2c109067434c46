// The old file at a place where a new one grows: a timeline or a report, which can be read at any time and may fail at
// any write.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>

namespace heddle::base {

// Keeps the old file as NAME.heddle-old while the new one is written. When that has ended, the old one is removed, or
// takes its name again if a write has failed. Both are there if the process is cut off. What stands at NAME then is a
// part: the next process keeps it as NAME.heddle-part, and NAME.heddle-old stays until a new file is whole, however
// many processes are cut off before. Not for several threads at once.
class ReplacedFile {
 public:
  enum class Old { moves, stays };
  // `moves`: renames `path` if it is a regular file of more than a claim's length (base/trace_claim.hpp). In both cases
  // an old file that is there from before, as `heddle run` leaves it, is taken over. Where the old file cannot be
  // renamed, nothing is kept. Never throws.
  explicit ReplacedFile(const std::filesystem::path& path, Old old = Old::moves) noexcept;
  // Ends it: see above. At the end of a process, this happens to all that are left.
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  // What `open` returns, which opens the new file. Where there is an old one, restore_all() waits meanwhile, or has
  // been there and `open` is never called: the old file would be opened, and emptied.
  int opened(const std::function<int()>& open) const;
  // Whether the new file cannot be used, as things stand. False at first.
  void set_failed(bool failed) noexcept { failed_ = failed; }
  // Ends it now, as the destructor does: for a new file that is whole as it is. Later calls do nothing.
  void settle() noexcept;
  // The permissions for the new file.
  mode_t mode() const noexcept { return mode_; }

  // For processes that end by _exit().
  static void end_all() noexcept;
  // Before the process is ended by a signal: what is written is a part, so all old files take their names again. No
  // thread can replace another file after that.
  static void restore_all() noexcept;

 private:
  void end() noexcept;

  std::filesystem::path path_, aside_;  // `aside_`: where the file is that was at `path_`; empty where none was
  std::filesystem::path older_;         // of a process that was cut off; empty: no such file
  pid_t process_ = 0;                   // a child by fork() has no say
  mode_t mode_ = 0666;
  bool failed_ = false;
};

}  // namespace heddle::base
