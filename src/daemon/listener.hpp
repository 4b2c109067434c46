// The socket of a daemon: at one place, one daemon listens.
#pragma once

#include <filesystem>

#include "base/clock.hpp"
#include "daemon/socket.hpp"

namespace heddle::daemon {

// A socket that accepts connections at a path, for this user alone. What was left there by a daemon that has ended is
// removed; any other file stays. Of calls at one time for paths of one folder, in any processes, one goes after the
// other. Throws io_error: the folder belongs to another user or others may write to it, a daemon runs there, another
// file is there, or the path is too long for a socket.
Descriptor listen_at(const std::filesystem::path& path);
// Throws io_error if a daemon runs there.
void require_no_daemon(const std::filesystem::path& path);
// Waits until this process has the file locked; the lock ends with the descriptor. False: the system locks no such
// files. Throws io_error: another start of a daemon has it locked for a minute.
bool lock_start(const Descriptor& file, const std::filesystem::path& name, const base::Clock& clock);

}  // namespace heddle::daemon
