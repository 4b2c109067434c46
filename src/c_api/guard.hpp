// What every function of the C interface has in common: no exception leaves it, and the error is kept for
// heddle_last_error().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "heddle/dim3.hpp"
#include "heddle/error.hpp"
#include "heddle/heddle.h"

namespace heddle::c_api {

// Keeps the exception in flight for heddle_last_error() and returns its status. Call it in a handler.
heddle_status keep_error() noexcept;

// Runs the body of a function of the interface.
template <typename Body>
heddle_status guarded(const Body& body) noexcept {
  try {
    body();
    return HEDDLE_OK;
  } catch (...) {
    return keep_error();
  }
}

[[noreturn]] inline void refuse(const std::string& message) { throw Error(ErrorCode::invalid_argument, message); }

// The handle or the place of a result, which must not be NULL; `what` is its name in the message.
template <typename T>
T& given(T* pointer, const char* function, const char* what) {
  if (pointer == nullptr) refuse(std::string(function) + ": " + what + " is NULL");
  return *pointer;
}

// An id or a name, where NULL stands for the default.
inline std::string_view text_or(const char* text, std::string_view otherwise = {}) {
  return text != nullptr && *text != '\0' ? std::string_view(text) : otherwise;
}

// Options as this library knows them, from a caller that may have been compiled with an older header (missing members
// are zero, the default) or with a newer one (members unknown here must be zero).
template <typename Options>
Options known(const Options* options, const char* function) {
  Options result{};
  result.size = sizeof result;
  if (options == nullptr) return result;
  const std::size_t size = options->size;
  if (size < sizeof(std::size_t))
    refuse(std::string(function) + ": `size` of the options is not set; make it their sizeof");
  const auto* bytes = reinterpret_cast<const unsigned char*>(options);
  if (size > sizeof result &&
      std::any_of(bytes + sizeof result, bytes + size, [](unsigned char byte) { return byte != 0; }))
    refuse(std::string(function) + ": the options have values that this version of the library, " + heddle_version() +
           ", does not know");
  std::memcpy(static_cast<void*>(&result), options, std::min(size, sizeof result));
  result.size = sizeof result;
  return result;
}

// Writes as much of a result as the caller's structure has room for; its `size` stays.
template <typename Result>
void hand_out(Result result, Result* to, std::size_t size, const char* function) {
  if (size < sizeof(std::size_t))
    refuse(std::string(function) + ": `size` of the structure is not set; make it its sizeof");
  result.size = size;
  std::memcpy(static_cast<void*>(to), &result, std::min(size, sizeof result));
}

// A launch over nothing is a mistake, as it is in C++ and Python; a missing extent is 1.
inline Dim3 extents(const heddle_dim3& from, const char* function, const char* what) {
  if (from.x == 0)
    refuse(std::string(function) + ": " + what + " (0, " + std::to_string(from.y) + ", " + std::to_string(from.z) +
           "): x must be at least 1");
  return {from.x, std::max(from.y, 1u), std::max(from.z, 1u)};
}

// One of the values 0 to `last` of an option.
inline int choice(int value, int last, const char* function, const char* option) {
  if (value < 0 || value > last)
    refuse(std::string(function) + ": " + option + " is " + std::to_string(value) + ", which is none of its values");
  return value;
}

}  // namespace heddle::c_api
