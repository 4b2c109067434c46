// DLPack capsules of host memory (https://dmlc.github.io/dlpack): layouts of versions 0.x ("dltensor") and 1.0.
#include <cstdint>
#include <utility>

#include "gil.hpp"
#include "objects.hpp"

namespace heddle::python {
namespace {

struct DlTensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t dimensions;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};

struct Managed {
  DlTensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

struct ManagedVersioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  DlTensor tensor;
};

constexpr std::int32_t cpu_device = 1;

// What a tensor refers to, and the tensor itself.
template <typename Tensor>
struct Exported {
  Tensor managed{};
  std::shared_ptr<Buffer> buffer;
  std::vector<std::int64_t> shape, strides;

  // The consumer calls this from any thread, with or without the GIL.
  static void destroy(Tensor* tensor) {
    auto* const self = static_cast<Exported*>(tensor->context);
    if (Py_IsInitialized() == 0) return;  // too late: the buffer goes with the process
    const PyGILState_STATE state = ensure_gil();
    delete self;
    PyGILState_Release(state);
  }
};

// Of a capsule that nobody has taken; who takes it renames it.
template <typename Tensor>
void destroy_capsule(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;
  auto* const tensor = static_cast<Tensor*>(PyCapsule_GetPointer(capsule, name));
  tensor->deleter(tensor);
}

std::size_t bytes_of(const std::vector<std::int64_t>& shape, int bits) {
  auto bytes = static_cast<std::size_t>(bits / 8);
  for (const std::int64_t extent : shape) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

template <typename Tensor>
py::capsule exported(const std::shared_ptr<Buffer>& buffer, std::size_t offset, const std::vector<std::int64_t>& shape,
                     int code, int bits, const char* name, PyCapsule_Destructor destructor) {
  auto made = std::make_unique<Exported<Tensor>>();
  made->buffer = buffer;
  made->shape = shape;
  made->strides.resize(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i]) made->strides[i] = stride;
  Tensor& managed = made->managed;
  managed.context = made.get();
  managed.deleter = &Exported<Tensor>::destroy;
  managed.tensor = {Buffer::write(buffer, offset, bytes_of(shape, bits)),
                    cpu_device,
                    0,
                    static_cast<std::int32_t>(shape.size()),
                    static_cast<std::uint8_t>(code),
                    static_cast<std::uint8_t>(bits),
                    1,
                    made->shape.data(),
                    made->strides.data(),
                    0};
  if constexpr (std::is_same_v<Tensor, ManagedVersioned>) managed.major = 1;
  PyObject* const capsule = PyCapsule_New(&managed, name, destructor);
  if (capsule == nullptr) throw py::error_already_set();
  made.release();
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace

py::capsule dlpack(const std::shared_ptr<Buffer>& buffer, std::size_t offset, const std::vector<std::int64_t>& shape,
                   int code, int bits, bool versioned) {
  if (versioned) {
    return exported<ManagedVersioned>(buffer, offset, shape, code, bits, "dltensor_versioned", [](PyObject* capsule) {
      destroy_capsule<ManagedVersioned>(capsule, "dltensor_versioned");
    });
  }
  return exported<Managed>(buffer, offset, shape, code, bits, "dltensor",
                           [](PyObject* capsule) { destroy_capsule<Managed>(capsule, "dltensor"); });
}

}  // namespace heddle::python
