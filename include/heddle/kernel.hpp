// A kernel of a module and what is known of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/dim3.hpp"
#include "heddle/direction.hpp"
#include "heddle/element.hpp"

namespace heddle {

namespace runtime {
class KernelState;
}

// What a kernel does with the memory that a pointer parameter points to, found from its PTX.
enum class Access {
  none,  // never dereferenced
  read,
  write,
  read_write,
  unknown,  // not found: the pointer is stored or passed to code that is not in the module; counts as read_write
};
const char* name(Access access);

struct Parameter {
  std::string name = {};      // as in the PTX: "saxpy_param_2"
  std::string type = {};      // "u32", "f32", "b8[24]" for structures
  std::uint32_t offset = 0;   // bytes, in the packed parameters
  std::uint32_t size = 0;     // bytes
  bool pointer = false;       // used as an address of memory
  bool may_be_index = false;  // a pointer only in sums with another one, so that either may be an index
  // Access to the memory that it points to. Unknown, too, for 64-bit numbers that are added to addresses: the kernel
  // may access an array through them.
  Access access = Access::none;
  // Of a kernel with a signature (Module::kernel): the direction in it.
  Direction direction = Direction::found;
  // As in the source, where that is known: from a signature, debug information in the PTX, the kernel's mangled name,
  // or the source that Heddle has compiled. Else empty.
  std::string label = {};        // its name: "x"
  std::string source_type = {};  // "const float*"
  // What follows from the source's type: the type of what a pointer points to, and what a number is.
  ElementType element = ElementType::unknown;
  Number number = Number::unknown;
};

struct KernelInfo {
  std::string name = {};
  std::string signature =
      {};  // "saxpy(int, float, const float*, float*)" where the source's types are known; else the name
  std::vector<Parameter> parameters = {};
  unsigned registers = 0;           // 32-bit registers a thread needs: live at once, from the PTX; an estimate
  std::uint64_t shared_bytes = 0;   // static
  bool dynamic_shared = false;      // uses memory whose size the launch gives
  std::uint64_t local_bytes = 0;    // a thread's
  unsigned barriers = 0;            // barrier instructions
  unsigned atomics = 0;             // atomic and reduction instructions on memory
  unsigned max_threads = 0;         // of a block, as the kernel declares it (.maxntid, .reqntid); 0: not declared
  bool blocks_independent = false;  // any range of blocks may run alone, in any order
  std::string dependence = {};      // if not: the instruction and line that prevent it
};

// The resources of an SM that one compiled form of a kernel needs: the form for whole grids, and those that run a part
// of one.
struct Occupancy {
  std::string form = {};           // "whole grid", "range (box)", "range (linear)", "range (prelude)", "range (pool)"
  unsigned registers = 0;          // a thread's
  std::uint64_t local_bytes = 0;   // a thread's: arrays, and registers that were spilled
  std::uint64_t shared_bytes = 0;  // a block's, static and dynamic
  unsigned blocks = 0;             // at once on an SM
  double share = 0;                // threads of those blocks over the most that an SM holds
};

// History of a kernel's launches through the runtime: on all devices, in this process. (GrCUDA keeps the same:
// Parravicini et al., IPDPS 2021, section IV-A.)
struct KernelHistory {
  std::uint64_t launches = 0;  // that were made
  std::uint64_t timed = 0;     // of those that are done, how many were timed: the first ones, then one of 64, later
                               // one of 256, and all with LaunchOptions::timed
  double mean_seconds = 0;     // of the timed ones, on their device
  double last_seconds = 0;     // of the last timed one that is done
  std::uint64_t last_timed_blocks = 0;   // its blocks
  Dim3 last_grid = {}, last_block = {};  // of the last launch that was made
  std::uint32_t last_shared = 0;         // bytes
};

// A light handle, valid as long as anything refers to it; copies refer to the same kernel. Any thread. A handle that
// was moved from throws invalid_argument.
class Kernel {
 public:
  explicit Kernel(std::shared_ptr<runtime::KernelState> state) : state_(std::move(state)) {}
  const std::string& name() const;
  // Analysed on first use.
  const KernelInfo& info() const;
  KernelHistory history() const;
  const std::shared_ptr<runtime::KernelState>& state() const { return state_; }

 private:
  std::shared_ptr<runtime::KernelState> state_;
};

}  // namespace heddle
