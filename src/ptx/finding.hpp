// What the verifier finds.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::ptx {

struct Finding {
  enum class Severity : std::uint8_t { warning, error };
  Severity severity = Severity::error;
  std::uint32_t line = 0, column = 0;  // in the PTX text; 0 when it has no place there
  std::string message;                 // a sentence without position
  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace heddle::ptx
