#include "base/spawn_attributes.hpp"

#include <signal.h>

namespace heddle::base {

SpawnAttributes::SpawnAttributes(short flags) {
  sigset_t no_signal;
  ::sigemptyset(&no_signal);
  ::posix_spawnattr_init(&attributes_);
  ::posix_spawnattr_setsigmask(&attributes_, &no_signal);
  ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags | POSIX_SPAWN_SETSIGMASK));
}

SpawnAttributes::~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }

}  // namespace heddle::base
