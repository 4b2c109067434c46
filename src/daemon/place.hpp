// Where the daemon of this user is found.
#pragma once

#include <filesystem>

namespace heddle::daemon {

// $HEDDLE_DAEMON. Else the first of these at which a daemon of this user answers, or the first of them: heddle/daemon
// in $XDG_RUNTIME_DIR and in /run/user/<uid>, where they are folders of this user; /tmp/heddle-daemon-<uid>/daemon. So
// programs with another environment find it too. The folder of the socket is made by the daemon, for this user alone.
// Throws io_error for a path that is too long for a socket.
std::filesystem::path socket_path();

}  // namespace heddle::daemon
