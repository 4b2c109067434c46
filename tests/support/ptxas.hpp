// NVIDIA's assembler as a judge of PTX text, where it is installed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::test {

// Its path: $HEDDLE_PTXAS, in the PATH or at its usual place; nothing when it is not there.
std::optional<std::string> find_ptxas();

// Whether it accepts the text, and its messages when not. `text` must have a target that it knows (lift_target).
struct PtxasVerdict {
  bool accepted = false;
  std::string messages;
};
PtxasVerdict run_ptxas(const std::string& ptxas, std::string_view text);

// ptxas 13 knows no target below sm_75: such targets become sm_75, with the PTX version that knows it (6.3), and
// without map_f64_to_f32, which such targets do not have.
std::string lift_target(std::string_view text);

}  // namespace heddle::test
