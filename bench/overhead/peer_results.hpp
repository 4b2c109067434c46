// Figures that a peer's program has written: a JSON object of names and nanoseconds.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace heddle::bench {

using PeerFigures = std::map<std::string, double>;

// Throws std::runtime_error that names the file and what is wrong with it.
PeerFigures read_peer_figures(const std::filesystem::path& file);

// Runs `program`, which prints the object on its standard output; `kept` is where that is kept. Throws
// std::runtime_error when it cannot be run or ends with anything but 0.
PeerFigures run_peer(const std::filesystem::path& program, const std::filesystem::path& kept);

}  // namespace heddle::bench
