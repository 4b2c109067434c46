// The entry point: devices, modules, arrays and launches.
//
//   heddle::Runtime runtime;
//   auto module = runtime.compile_file("saxpy.cu");
//   auto x = runtime.array<float>(n), y = runtime.array<float>(n);
//   runtime.launch(module.kernel("saxpy"), {.grid = {blocks}, .block = {256}}, n, 2.0f, x, y);
//   std::span<const float> result = y.read();
//
// Write the program as if everything ran in order. Launches that do not touch the same bytes, or only read them, run at
// the same time. The host continues, and waits only where it reads or writes an array that is in use. Data moves
// between devices when a launch needs it elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/array.hpp"
#include "heddle/call.hpp"
#include "heddle/checks.hpp"
#include "heddle/compile.hpp"
#include "heddle/device.hpp"
#include "heddle/devices.hpp"
#include "heddle/error.hpp"
#include "heddle/launch.hpp"
#include "heddle/module.hpp"
#include "heddle/scheduling.hpp"
#include "heddle/tenant.hpp"

namespace heddle {

namespace core {
class Core;
}

struct RuntimeOptions {
  // Ids in order of preference, comma separated: "cpu", "cuda:0,cpu"; empty: all that are found, GPUs first; "gpus":
  // all GPUs that are found, or the CPU if there is no GPU. A device that is not opened costs no time.
  std::string devices = {};
  // Mistakes of kernels to look for: `true` for bad accesses to memory, or Checks::parse("memory,race"); slow. Without
  // a list of devices, only devices that can check are opened.
  Checks check = false;
  // Gets the text of each mistake after which a kernel can go on (race, init, sync), and the launch succeeds; on any
  // thread. Without it, a launch with such mistakes fails with all of them, when it has run to its end.
  std::function<void(const std::string&)> on_finding = {};
  unsigned workers = 0;  // threads of the CPU device; 0: one for each core the process may use
  // Queues of the explicit level cut launches into ranges of so many blocks, if the kernel's blocks are independent and
  // the device can run parts of its grid; 0: they do not. Results are the same.
  std::uint64_t slice = 0;
  // Kernels may be launched in parts, by ranges of blocks (explicit level). Without this, and without `slice`, GPUs
  // refuse parts of a grid. They then compile less when they load a module that must contain the code for parts.
  bool ranges = true;
  Scheduling scheduling = {};
  // When launches of arrays and of explicit queues are submitted to devices. "direct" or empty: when they are made.
  // "slice:BLOCKS": the same, in ranges of so many blocks. "bounded:MICROSECONDS": so that the work in flight on a
  // device is never predicted to take longer; queues of higher priority go first. "lithos" and others: for tenants. See
  // docs/policies.md. Not with `slice`.
  std::string policy = {};
  // Bytes of each device's memory that arrays may take; 0: all of it. If arrays need more, the least recently used ones
  // are evicted to the host. The host then gets copies of arrays, not the device's own memory.
  std::uint64_t memory_budget = 0;
  // Milliseconds that a launch may run, from the start of its first block. Then it fails with KernelFault::timeout, and
  // the error says where its warps stood. 0: for ever. The CPU device, the interpreter and simulated GPUs can do it;
  // without a list of devices, only the CPU device is opened, and GPUs refuse it (unsupported).
  std::uint64_t launch_timeout_ms = 0;
  // A file for the timeline of all devices' launches, copies and fills, and their dependences. A name that ends in .svg
  // makes a picture, .dot a graph for Graphviz. Any other name makes JSON for Perfetto, chrome://tracing, `heddle
  // timeline`, `heddle graph` and `heddle metrics`. Empty: no file. The file exists from the start.
  std::string trace = {};
};

// What a policy has counted since the runtime was made: "predictions missed", "unit seconds".
struct PolicyFigure {
  std::string name;
  double value = 0;
};

// Throws invalid_argument for an unknown name of RuntimeOptions::policy, with the known ones. Any thread.
void check_policy(std::string_view name);

// Owns its devices. Several may exist. Any thread may call any member function. A runtime that was moved from throws
// invalid_argument.
class Runtime {
 public:
  // Throws not_found for a device that does not exist, with the existing ones; invalid_argument for an unknown policy,
  // with the known ones.
  explicit Runtime(const RuntimeOptions& options = {});
  ~Runtime();  // waits for what is in flight; errors that were not thrown yet are logged
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;

  // What kernels have allocated with malloc() and not freed so far: a sentence for each block, with its place if
  // RuntimeOptions::check has `leak`. Then the runtime also hands them to on_finding when it ends, or logs them. Of CPU
  // devices only.
  std::vector<std::string> device_heap() const;

  // In order of preference: launches that name no device run on the first, unless Scheduling::placement chooses
  // another.
  std::vector<DeviceInfo> devices() const;
  // The explicit level of a device, by its id, or by its number: the place in devices(). Throws not_found.
  Device device(std::string_view id = {}) const;
  Device device(int number) const;
  // Bytes read plus bytes written per second by a large copy on the device; measured on first call (up to 200 ms).
  double measured_bandwidth(std::string_view device = {}) const;
  // Bytes per second of a large copy from one device to another, through their link. "host" (or a device that uses the
  // host's memory, as the CPU device does) stands for host memory. Measured at each call (some 100 ms), while other
  // work continues. Throws not_found; invalid_argument for two that are the same or both the host's.
  double measured_link(std::string_view from, std::string_view to) const;

  // The speed of that link that Scheduling::placement uses, the same both ways: measured on first need (some 100 ms for
  // each pair of the runtime's devices and the host) and kept on disk. `from` and `to` are ids, or "host"; each device
  // counts as a memory of its own. Throws not_found; invalid_argument for two that are the same.
  double placement_link(std::string_view from, std::string_view to) const;

  // CUDA C++. Throws compile_error with the compiler's messages.
  Module compile_file(const std::filesystem::path& file, const CompileOptions& options = {});
  Module compile(std::string_view source, std::string_view name = "source.cu", const CompileOptions& options = {});
  // PTX. Throws parse_error with line and column. `name` is its name in messages.
  Module load_ptx(std::string_view text, std::string_view name = "ptx");
  Module load_ptx_file(const std::filesystem::path& file);
  // By the file's ending: .cu is compiled, .ptx is loaded.
  Module load_file(const std::filesystem::path& file, const CompileOptions& options = {});

  // `count` zeros. Memory of a device is allocated when a launch first needs it there. Throws out_of_memory.
  template <typename T>
  Array<T> array(std::size_t count) {
    return Array<T>(make_buffer(count, sizeof(T)));
  }
  // A copy of `values`.
  template <typename T>
  Array<T> array(std::span<const T> values) {
    Array<T> made = array<T>(values.size());
    copy(made.write(), values);
    return made;
  }
  template <typename T>
  Array<T> array(const std::vector<T>& values) {
    return array<T>(std::span<const T>(values));
  }

  // Runs a kernel. Returns at once. Launch::wait, Array::read and write, and synchronize throw errors that occur later.
  // Throws invalid_argument when the arguments do not fit the kernel, naming the parameter, or when the shape exceeds
  // the device's limits; unsupported when the device cannot run the kernel.
  template <typename... Arguments>
  Launch launch(const Kernel& kernel, const LaunchOptions& options, const Arguments&... arguments) {
    static_assert((!std::is_pointer_v<Arguments> && ...),
                  "pass a heddle::Array, not a pointer, or heddle::opaque(pointer)");
    const std::array<Argument, sizeof...(Arguments)> list = {Argument(arguments)...};
    return launch_list(kernel, options, list);
  }
  Launch launch_list(const Kernel& kernel, const LaunchOptions& options, std::span<const Argument> arguments);

  // Runs a function as a task, concurrently with launches and in order with them by `arrays`: arrays and slices,
  // annotated or else counted as read and modified. Returns at once.
  //
  // On NVIDIA GPUs the function is called on the host, now or when the stream may be used. It puts its work into
  // Call::stream(), as libraries do that take a stream, and must not wait for that stream. On other devices it runs in
  // the order of a queue, on a thread of Heddle's, and does the work itself.
  //
  // The function must not use the runtime, nor arrays and launches for which it would have to wait: that throws
  // invalid_argument inside the function. Its exception is thrown to every thread that waits for the task or for a task
  // that depends on it, as a kernel's failure is. Throws invalid_argument if an argument is not an array.
  template <typename... Arrays>
  Launch call(const CallOptions& options, CallFunction function, const Arrays&... arrays) {
    const std::array<Argument, sizeof...(Arrays)> list = {Argument(arrays)...};
    return call_list(options, std::move(function), list);
  }
  Launch call_list(const CallOptions& options, CallFunction function, std::span<const Argument> arrays);
  // Runs a function on the host, in this thread: waits for the launches that use the arrays, as Array::read and write
  // do, and returns when the function has returned. For work of which only the arrays are known. An exception of the
  // function is passed on.
  template <typename... Arrays>
  void call_host(const CallFunction& function, const Arrays&... arrays) {
    const std::array<Argument, sizeof...(Arrays)> list = {Argument(arrays)...};
    call_host_list(function, list);
  }
  void call_host_list(const CallFunction& function, std::span<const Argument> arrays);

  // A tenant: launches and queues that the policy treats as one client (heddle/tenant.hpp). Without a policy, tenants
  // share devices as launches do. Throws invalid_argument for an empty name, a quota that is not 0 to 1, or a slip that
  // is neither 0 nor from 1 on.
  Tenant tenant(const TenantOptions& options);

  // What the policy of RuntimeOptions::policy has counted; those of "lithos" are listed in docs/tenants.md. Empty
  // without a policy, and for policies that count nothing.
  std::vector<PolicyFigure> policy_figures() const;

  // How blocks of this shape with so many bytes of dynamic shared memory fill the device's SMs (default: the runtime's
  // first device), one entry for each form of the kernel; the first is that of whole grids. Empty if a device has no
  // SMs: a worker of the CPU device runs one block at a time. Throws not_found; on GPUs invalid_argument when a block
  // exceeds the device's or the kernel's limits, compile_error when the driver refuses the module.
  std::vector<Occupancy> occupancy(const Kernel& kernel, const Dim3& block, std::uint32_t shared = 0,
                                   std::string_view device = {}) const;

  // Waits for everything in flight; throws the first Error that was not thrown yet.
  void synchronize();
  // Updates the file of RuntimeOptions::trace; the runtime's destructor does so too. Throws io_error.
  void write_trace();
  // Writes the record so far to another file: .json, .svg or .dot. It has what has run; call synchronize() before to
  // have all that was launched. Throws invalid_argument for another ending, or when RuntimeOptions::trace was empty;
  // io_error when the file cannot be written, its folder does not exist, or the record itself could not be kept.
  void trace(const std::filesystem::path& path);

 private:
  std::shared_ptr<runtime::Buffer> make_buffer(std::size_t count, std::size_t element_bytes);
  template <typename T>
  static void copy(std::span<T> to, std::span<const T> from) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
  }

  std::shared_ptr<core::Core> core_;
};

}  // namespace heddle
