// Which mistakes of kernels and programs are looked for while they run.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

struct Checks {
  bool memory = false;  // accesses outside of allocations, misaligned ones, writes to constants
  bool race = false;    // two threads access the same bytes, one writes, and nothing orders them
  bool init = false;    // reads of memory that nobody has written
  bool sync = false;    // barriers and warp operations that not all of their threads reach
  bool api = false;     // calls of CUDA that return an error (programs of CUDA only)
  bool leak = false;    // memory that nobody has freed at the end (device heap; allocations of programs of CUDA)

  constexpr Checks() = default;
  // The check that is meant where none is named: of memory.
  constexpr Checks(bool on) : memory(on) {}  // NOLINT(google-explicit-constructor)
  static constexpr Checks all() {
    Checks made(true);
    made.race = made.init = made.sync = made.api = made.leak = true;
    return made;
  }
  // "race,init", "all", "memory"; empty: memory. Throws invalid_argument for other names, with the nearest one.
  static Checks parse(std::string_view names);

  // Whether anything is looked for.
  constexpr explicit operator bool() const { return kernels() || api || leak; }
  // Whether kernels need code for it.
  constexpr bool kernels() const { return memory || race || init || sync; }
  // "memory,race"; empty where nothing is looked for. parse() takes it, unless it is empty.
  std::string names() const;
  friend constexpr bool operator==(const Checks&, const Checks&) = default;
};

}  // namespace heddle
