// Signatures of kernels in GrCUDA's NIDL, and in its compact form without names:
//
//   saxpy(n: sint32, a: float, x: in pointer float, y: inout pointer float): void
//   sint32, float, const pointer, inout pointer
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/direction.hpp"

namespace heddle::modules {

struct SignatureParameter {
  enum class Kind : std::uint8_t { pointer, integer, floating, structure };
  Kind kind = Kind::integer;
  Direction direction = Direction::found;  // of pointers
  std::string name = {};                   // empty: not given
  std::string type = {};                   // "pointer", "sint32", "struct"
  std::string element = {};                // what a pointer points to; empty: not given
  std::uint64_t bytes = 0;
  std::size_t at = 0;  // where it begins in the text, from 1
  friend bool operator==(const SignatureParameter& a, const SignatureParameter& b) {  // except `at`
    return a.kind == b.kind && a.direction == b.direction && a.name == b.name && a.type == b.type &&
           a.element == b.element && a.bytes == b.bytes;
  }
};

struct Signature {
  std::string kernel = {};  // empty: not given
  std::vector<SignatureParameter> parameters = {};
  friend bool operator==(const Signature&, const Signature&) = default;
};

// Throws parse_error with the place in the text, what is there, and what was expected.
Signature parse_signature(std::string_view text);
// The parameter's type in C++, "float*" for "in pointer float"; empty where the signature says no more than its size.
std::string source_type_of(const SignatureParameter& parameter);
// The signature in NIDL. parse_signature() of the text returns an equal signature.
std::string to_text(const Signature& signature);

}  // namespace heddle::modules
