// The record of a fault in a kernel, from which the error is made (fault_report.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::device::cpu {

enum class FaultKind : std::uint8_t {
  none,
  signal,        // the CPU or the operating system refused an instruction
  trap,          // trap
  assertion,     // __assertfail
  bad_jump,      // call or branch to nowhere
  bad_access,    // found by check()
  bad_barrier,   // wrong use of bar
  bad_mbarrier,  // wrong use of mbarrier
  bad_texture,   // wrong use of a texture or surface
  bad_free,      // free() of what malloc() did not give
  not_a_member,  // check(): a lane in a warp operation whose member mask does not include it
  output,        // what the kernel prints cannot be written
  time_limit,    // the launch has run for longer than it may (time_limit.hpp)
  no_fiber,      // code of direct shape called something that waits
  no_memory,     // none for what checks record
  no_meeting,    // no memory for lanes that wait for each other
};

// What is known at the moment of the fault. Filled without allocating: a fault can come anywhere in a kernel.
struct Fault {
  FaultKind kind = FaultKind::none;
  int signal = 0;
  bool address_known = true;  // false: the CPU does not say which (non-canonical address)
  std::uint64_t address = 0;
  const void* instruction = nullptr;  // code address: of the fault, or the return address of the runtime call
  bool in_runtime = false;            // `instruction` is a return address
  int lane = -1;                      // -1: some lane of the warp
  std::uint32_t size = 0, space = 0;  // of a bad access
  bool is_write = false, is_read = false;
  bool read_only = false;          // a write to constant memory
  bool outside_footprint = false;  // an access that the launch's footprint does not allow
  bool misaligned = false;         // the address is no multiple of the size
  std::uint64_t window = 0;        // of a bad access; the member mask
  std::uint32_t number = 0;        // barrier, line of the assertion, lane, MbarrierMisuse, Mistake, errno
  static constexpr std::size_t text_bytes = 256;
  char text[text_bytes] = {}, file[text_bytes] = {}, function[text_bytes] = {};
};

}  // namespace heddle::device::cpu
