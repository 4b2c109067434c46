// Attributes of posix_spawn() for every child of Heddle.
#pragma once

#include <spawn.h>

namespace heddle::base {

// The child blocks no signal. It would inherit the mask of the calling thread, and Heddle's own threads block nearly
// all signals (base/thread.hpp): such a child could not be ended by SIGTERM.
class SpawnAttributes {
 public:
  // `flags`: POSIX_SPAWN_SETSID and others that need no further value.
  explicit SpawnAttributes(short flags = 0);
  ~SpawnAttributes();
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace heddle::base
