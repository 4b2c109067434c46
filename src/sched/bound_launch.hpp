// A launch with its arguments resolved. Placement, early starts, footprints, replay and transfers all read it, and so
// does the code that passes the launch to the device.
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

// What the scheduler needs to know about a kernel. Functions need the core's lock unless they state otherwise.
class LaunchedKernel {
 public:
  explicit LaunchedKernel(std::uint64_t id) : id_(id) {}
  virtual ~LaunchedKernel() = default;
  std::uint64_t id() const { return id_; }      // unique, never reused; any thread
  virtual const std::string& name() const = 0;  // any thread
  virtual const std::shared_ptr<KernelHistory>& history() = 0;
  // The parameter's offset in the packed arguments, in bytes. Any thread, after a launch of the kernel was bound.
  virtual std::uint32_t offset_of(std::size_t parameter) const = 0;
  // The access to the variables of its module; nothing: it uses none. Any thread, after a launch of the kernel was
  // bound.
  virtual std::optional<graph::Mode> variables() const = 0;
  // The same as an access on the place.
  virtual graph::Access variables_access(std::size_t place, graph::Mode mode) = 0;
  // Whether the variables may have different values on different devices. Each device has its own, and they may have
  // been changed.
  virtual bool variables_differ() const = 0;
  // The object of the DAG of held tasks for the variables of its module.
  virtual graph::ObjectId logical_variables() = 0;
  // The kernel's form that may start before its arrays have arrived. Null if it has none, or if that is not known yet.
  virtual EarlyForm* early_form(std::size_t place) = 0;
  // Whether make_early_form() has been called, so that early_form() is final. Any thread.
  virtual bool early_form_known(std::size_t place) const = 0;
  // Makes the form that early_form() returns, unless that has been tried before. Takes as long as loading the kernel.
  // Any thread, without the core's lock.
  virtual void make_early_form(std::size_t place) = 0;

 private:
  const std::uint64_t id_;
};

// An array, or a slice of one, that was passed to a launch.
struct ArrayUse {
  memory::Array* array = nullptr;
  std::uint64_t given = 0;           // offset in the array of the address that was passed
  std::uint64_t begin = 0, end = 0;  // bytes of the array that were passed; of these, what the blocks access if known
  graph::Mode mode = graph::Mode::read_write;
  bool used = false;                   // the kernel accesses the bytes
  bool reads = false, writes = false;  // what it may do there
  std::uint32_t argument = 0;          // index in the list of arguments
  std::uint32_t packed_at = 0;         // offset of its address in the packed arguments
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
  bool whole = true;                                  // false: the program launches a part of the grid
  const std::vector<unsigned>* processors = nullptr;  // to which it is restricted; null: all
  boost::container::small_vector<ArrayUse, 8> arrays;
  // Once it has its place in the order of held tasks: the arrays whose address was taken by then, which it may access
  // as well.
  std::optional<std::vector<memory::Array*>> pinned;
  // The packed arguments. put_addresses() writes the addresses of the arrays, once they have copies on the launch's
  // place.
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
