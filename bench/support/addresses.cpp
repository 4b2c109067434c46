#include "support/addresses.hpp"

#include <sys/personality.h>
#include <unistd.h>

namespace heddle::bench {

void fix_addresses(char** arguments) {
  constexpr unsigned long ask = 0xffffffff;
  const int now = ::personality(ask);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  if (::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) != -1) ::execv("/proc/self/exe", arguments);
}

}  // namespace heddle::bench
