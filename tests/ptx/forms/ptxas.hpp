// Asks ptxas which lines of a kernel it accepts.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::ptx {

// Path of ptxas: $HEDDLE_PTXAS, on the PATH, or where the CUDA toolkit installs it; nothing when there is none.
std::optional<std::string> find_ptxas();

struct PtxasTarget {
  std::string version, target;  // "9.0", "sm_90a"
};

struct PtxasVerdict {
  std::map<std::size_t, std::string> refused;  // index of the line, and why
  bool crashed = false;                        // ptxas itself died: nothing is known
};

// Puts each line into the kernel of `prologue` and lets ptxas check it; no code is generated, so thousands of lines
// take a fraction of a second. Lines after which ptxas gives up are taken out and the rest is asked again.
PtxasVerdict ask_ptxas(const std::string& ptxas, const PtxasTarget& target, const std::string& prologue,
                       std::vector<std::string> lines);

}  // namespace heddle::ptx
