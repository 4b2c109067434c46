// The daemon as a process of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::cli {

// Starts this program with these arguments in the background, and returns once a daemon answers at the socket. Its
// messages go to the file. Throws io_error with what it said if it ends before, or does not answer in ten seconds.
void start_in_background(const std::vector<std::string>& arguments, const std::filesystem::path& socket,
                         const std::filesystem::path& log);

// Waits until nobody listens at the socket any more. Throws io_error after ten seconds.
void wait_until_gone(const std::filesystem::path& socket);

}  // namespace heddle::cli
