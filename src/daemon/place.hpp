// Where the daemon of this user is found.
#pragma once

#include <filesystem>

namespace heddle::daemon {

// $HEDDLE_DAEMON, else heddle/daemon in $XDG_RUNTIME_DIR, else heddle-daemon-<uid>/daemon in the folder for temporary
// files. The folder of the socket is made by the daemon, for this user alone.
std::filesystem::path socket_path();

}  // namespace heddle::daemon
