// Objects of the C interface as Python holds them. All of it needs the GIL, except where it says otherwise.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "heddle/heddle.h"
#include "waiting.hpp"

namespace heddle::python {

// Shared by all objects of a runtime, which keep it alive.
class RuntimeState {
 public:
  explicit RuntimeState(heddle_runtime* handle, bool sync) : handle_(handle), sync_(sync) {}
  ~RuntimeState();
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;

  // The handle. Raises InvalidArgument when the runtime was closed, or was made before a fork().
  heddle_runtime* use() const;
  // Raises after a fork(); data that a closed runtime has left can still be read.
  void check_process() const;
  const std::shared_ptr<WaitState>& waits() const { return waits_; }
  bool sync() const { return sync_; }  // every launch waits
  void close() { closed_ = true; }
  bool closed() const { return closed_; }
  heddle_runtime* handle() const { return handle_; }

 private:
  heddle_runtime* handle_;
  std::shared_ptr<WaitState> waits_ = std::make_shared<WaitState>();
  bool sync_, closed_ = false;
};

// The bytes of an array and its views.
class Buffer {
 public:
  Buffer(std::shared_ptr<RuntimeState> runtime, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t bytes() const { return bytes_; }
  heddle_array* handle() const { return handle_; }
  const std::shared_ptr<RuntimeState>& runtime() const { return runtime_; }
  // As heddle_array_read and heddle_array_write.
  static const void* read(const std::shared_ptr<Buffer>& buffer);
  static void* write(const std::shared_ptr<Buffer>& buffer);
  // As heddle_array_read_part and heddle_array_write_part.
  static const void* read(const std::shared_ptr<Buffer>& buffer, std::size_t offset, std::size_t bytes);
  static void* write(const std::shared_ptr<Buffer>& buffer, std::size_t offset, std::size_t bytes);
  std::uint64_t address(const std::string& device);
  void prefetch(std::size_t offset, std::size_t bytes);
  // A launch is about to use it: the host may have to wait from now on.
  void used(heddle_access access) {
    if (access == HEDDLE_ACCESS_NONE) return;
    ++uses_;
    may_write_ = false;
    if (access != HEDDLE_ACCESS_READ) may_read_ = false;
  }

 private:
  std::shared_ptr<RuntimeState> runtime_;
  heddle_array* handle_ = nullptr;
  std::size_t bytes_;
  // Whether there is nothing to wait for, as far as is known here; then the GIL need not be released.
  bool may_read_ = true, may_write_ = true, pinned_ = false;
  std::uint64_t uses_ = 0;
};

// An array or a view of one: the argument of kernels. heddle.Array adds shape and element type.
struct ArrayBase {
  std::shared_ptr<Buffer> buffer;
  std::size_t offset = 0, bytes = 0;
  heddle_element element = HEDDLE_ELEMENT_UNKNOWN;
};

// An array with the caller's annotation, for a launch.
struct Said {
  py::object array;
  heddle_argument_kind kind;
};
// An address of memory that belongs to no array.
struct Opaque {
  std::uint64_t address;
};

// Host memory of an array for the buffer protocol, with the object that keeps it alive.
struct HostSpan {
  std::shared_ptr<Buffer> buffer;
  void* data = nullptr;
  std::size_t bytes = 0;
  bool writable = false;
};

class Launch {
 public:
  Launch(std::shared_ptr<RuntimeState> runtime, std::shared_ptr<heddle_kernel> kernel, heddle_launch* handle);
  bool done() const;
  void wait() const;
  double seconds() const;
  std::string device() const;
  std::string describe() const;  // for repr(): what was launched, where, and whether it is done; does not wait
  const std::shared_ptr<heddle_launch>& handle() const { return handle_; }

 private:
  std::shared_ptr<RuntimeState> runtime_;
  std::shared_ptr<heddle_kernel>
      kernel_;  // null for calls; so that freeing a launch never means freeing the kernel, which may wait
  std::shared_ptr<heddle_launch> handle_;
};

// Owns a handle whose freeing may wait.
template <typename T>
std::shared_ptr<T> owned(const std::shared_ptr<RuntimeState>& runtime, T* handle, void (*free)(T*)) {
  return std::shared_ptr<T>(handle,
                            [waits = runtime->waits(), free](T* of) { let_go(waits, [of, free] { free(of); }); });
}

// A tenant, for launches. Freeing it waits for them.
struct Tenant {
  std::shared_ptr<RuntimeState> runtime;
  std::shared_ptr<heddle_tenant> handle;
};

// heddle_launch_options with what its pointers point to.
struct Shape {
  heddle_launch_options options{};
  std::shared_ptr<Tenant> tenant;
  std::string device;
  std::vector<std::uint32_t> processors;
};

// A parameter of a kernel in the form that converts arguments.
struct Plan {
  enum class Kind { pointer, integer, floating, bits, structure };
  Kind kind = Kind::bits;
  std::string name, type;          // as in the PTX
  std::string label, source_type;  // as in the source: "x", "const float*"; empty where that is not known
  std::uint32_t bytes = 0;
  bool pointer = false, may_be_index = false;
  heddle_access access = HEDDLE_ACCESS_NONE;
  // Of integers: the range. PTX does not show whether an integer is signed; if the source's type is not known, both
  // ranges are accepted.
  std::int64_t least = 0;
  std::uint64_t most = 0;
  heddle_element element = HEDDLE_ELEMENT_UNKNOWN;  // of the memory that it points to
};

class Kernel {
 public:
  Kernel(std::shared_ptr<RuntimeState> runtime, heddle_kernel* handle);
  const std::shared_ptr<RuntimeState>& runtime() const { return runtime_; }
  heddle_kernel* handle() const { return handle_.get(); }
  const std::string& name() const { return name_; }  // as in the PTX
  const std::string& readable() const { return readable_; }
  const std::vector<Plan>& parameters() const { return parameters_; }
  Launch launch(const Shape& shape, const py::args& arguments) const;
  py::dict info() const;
  py::list occupancy(const Shape& shape) const;

 private:
  std::shared_ptr<RuntimeState> runtime_;
  std::shared_ptr<heddle_kernel> handle_;
  std::string name_, readable_;
  std::vector<Plan> parameters_;
};

// "blur(float*, int)" of a mangled name; else the name.
std::string readable_name(const std::string& name);
// What the parameter takes.
Plan plan(const heddle_parameter& parameter);
// "x (const float*)" where the source is known; else "saxpy_param_2 (.u64, a pointer)".
std::string described(const Plan& parameter);

// The arguments of a launch, and what they refer to.
struct Converted {
  std::vector<heddle_argument> list;
  std::vector<std::pair<std::shared_ptr<Buffer>, heddle_access>> buffers;  // kept while the launch is made
  std::vector<std::unique_ptr<unsigned char[]>> structures;
};
// Converts one argument. Raises InvalidArgument (and TypeError, OverflowError), naming kernel and parameter.
void convert(const Kernel& kernel, std::size_t index, py::handle value, Converted& to);

// A DLPack capsule of writable host memory.
py::capsule dlpack(const std::shared_ptr<Buffer>& buffer, std::size_t offset, const std::vector<std::int64_t>& shape,
                   int code, int bits, bool versioned);

// Waits for everything of every existing runtime, at the end of the process.
void finish_all();
void remember(const std::shared_ptr<RuntimeState>& runtime);

// `kind`: of the dtype, as in NumPy. Structures, text and times are bytes whose meaning is not known here.
inline heddle_element element_of(char kind, std::size_t bytes) {
  const bool integer = kind == 'i' || kind == 'u' || kind == 'b';
  if (!integer && kind != 'f') return kind == 'c' ? HEDDLE_ELEMENT_OTHER : HEDDLE_ELEMENT_UNKNOWN;
  switch (bytes) {
    case 1: return HEDDLE_ELEMENT_I8;
    case 2: return integer ? HEDDLE_ELEMENT_I16 : HEDDLE_ELEMENT_F16;
    case 4: return integer ? HEDDLE_ELEMENT_I32 : HEDDLE_ELEMENT_F32;
    case 8: return integer ? HEDDLE_ELEMENT_I64 : HEDDLE_ELEMENT_F64;
    default: return HEDDLE_ELEMENT_OTHER;
  }
}

}  // namespace heddle::python
