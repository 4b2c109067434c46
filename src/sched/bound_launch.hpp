// A launch with its arguments resolved, once: what placement, early starts, footprints, replay, transfers and the
// device are given is all read from here.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/queue.hpp"
#include "graph/access.hpp"
#include "heddle/dim3.hpp"
#include "heddle/kernel.hpp"
#include "memory/array.hpp"

namespace heddle::sched {

struct EarlyForm;

// What the scheduler asks of a kernel. Needs the core's lock, but for what says otherwise.
class LaunchedKernel {
 public:
  virtual ~LaunchedKernel() = default;
  virtual std::uint64_t id() const = 0;         // of no other kernel, also of later ones; any thread
  virtual const std::string& name() const = 0;  // any thread
  virtual const std::shared_ptr<KernelHistory>& history() = 0;
  // Where the packed arguments have this parameter: bytes; any thread, once its arguments are bound.
  virtual std::uint32_t offset_of(std::size_t parameter) const = 0;
  // What it does to the variables of its module; nothing: it uses none. Any thread, once its arguments are bound.
  virtual std::optional<graph::Mode> variables() const = 0;
  // The same as an access on the place.
  virtual graph::Access variables_access(std::size_t place, graph::Mode mode) = 0;
  // Whether the variables may have other values on one device than on another: each has its own, and they may have been
  // changed.
  virtual bool variables_differ() const = 0;
  // An object of the DAG of held tasks that stands for the variables of its module.
  virtual graph::ObjectId logical_variables() = 0;
  // Its form that may start before its arrays have arrived; null where it has none, or none that is known yet.
  virtual EarlyForm* early_form(std::size_t place) = 0;
  // Whether early_form() is what make_early_form() has found; any thread.
  virtual bool early_form_known(std::size_t place) const = 0;
  // Makes the form that early_form() returns, if that has not been tried. Takes as long as loading the kernel does. Any
  // thread, without the core's lock.
  virtual void make_early_form(std::size_t place) = 0;
};

// An array, or a slice of one, that a launch was given.
struct ArrayUse {
  memory::Array* array = nullptr;
  std::uint64_t given = 0;           // where in the array the address points that was given
  std::uint64_t begin = 0, end = 0;  // bytes of the array that were given, or that these blocks touch of them
  graph::Mode mode = graph::Mode::read_write;
  bool used = false;                   // the kernel touches the bytes
  bool reads = false, writes = false;  // what it may do there
  std::uint32_t argument = 0;          // its number in the list of arguments
  std::uint32_t packed_at = 0;         // where its address belongs in the packed arguments
};

struct BoundLaunch {
  LaunchedKernel* kernel = nullptr;
  device::LaunchConfig config;
  BlockRange blocks;
  std::size_t place = 0;
  bool anywhere = false;  // the program names no place
  bool opaque = false;    // some argument is a pointer to memory that belongs to no array
  bool timed = false;
  bool verified = false;                              // every access is verified
  bool whole = true;                                  // not a part of a grid that the program chose
  const std::vector<unsigned>* processors = nullptr;  // that it is limited to; null: none
  boost::container::small_vector<ArrayUse, 8> arrays;
  // The packed arguments. Addresses of arrays are put in once the launch has a place where they are.
  boost::container::small_vector<std::byte, 256> packed;

  std::span<const std::byte> arguments() const { return {packed.data(), packed.size()}; }
  void put_addresses() {
    for (const ArrayUse& use : arrays) put_address(use);
  }
  void put_address(const ArrayUse& use) {
    const std::uint64_t address = use.array->address(static_cast<memory::Space>(place)) + use.given;
    std::memcpy(packed.data() + use.packed_at, &address, sizeof address);
  }
};

}  // namespace heddle::sched
