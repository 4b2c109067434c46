// Profiles in one SQLite file that several processes share.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "knowledge/profile.hpp"

namespace heddle::knowledge {

// One thread at a time; several stores, in several processes, may use one file. All functions throw Error(io_error)
// where the file cannot be used.
class Store {
 public:
  // keep() creates the file and its folders; a file that is missing has no profiles. What is only read needs no right
  // to write. `clock` outlives the store; it times waits for other processes.
  // A damaged file of the cache is replaced; any other file is the user's, and never is.
  // Where a wait for another process was in vain, later calls throw at once for some time, so that such waits take no
  // more than a twentieth of it.
  Store(std::filesystem::path file, const base::Clock& clock) : file_(std::move(file)), clock_(clock) {}

  // "knowledge/knowledge.sqlite" in Heddle's cache (base/cache_folder.hpp).
  static std::filesystem::path usual_file();
  const std::filesystem::path& file() const { return file_; }

  std::optional<Profile> find(const Subject& subject, const Workload& workload) const;
  // All, by program, machine, share, workload.
  std::vector<Profile> all() const;
  // Keeps the profile if there is none for its subject and workload, or if it is faster: so the time of an entry never
  // grows. Atomic between processes. True if it was kept.
  bool keep(const Profile& profile);
  // Removes the profiles whose program begins with `program` (all, if it is empty); of all workloads if `workload` is
  // empty. `is_whole`: `program` is a whole name, and not how one begins. Returns how many.
  std::size_t forget(std::string_view program, std::string_view workload = {}, bool is_whole = false);

 private:
  bool is_empty() const;
  template <class Use>
  void use(const Use& work) const;

  std::filesystem::path file_;
  const base::Clock& clock_;
  mutable std::uint64_t retry_ns_ = 0;  // until then it backs off
  mutable std::string last_error_;
};

}  // namespace heddle::knowledge
