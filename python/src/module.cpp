// heddle._core: the native part of the Python package, on the C interface. heddle/*.py makes a Python interface of it.
#include <pybind11/stl.h>

#include <deque>
#include <optional>
#include <string>
#include <tuple>

#include "calls.hpp"
#include "gil.hpp"
#include "objects.hpp"
#include "trees.hpp"

namespace heddle::python {
namespace {

using Extents = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
using Strings = std::vector<std::string>;

// ---- Runtime

// `given`: a value for each option, as the C interface has it.
std::shared_ptr<RuntimeState> open(const py::dict& given) {
  heddle_runtime_options options{};
  options.size = sizeof options;
  std::deque<std::string> texts;
#define HEDDLE_TEXT(name) options.name = texts.emplace_back(given[#name].cast<std::string>()).c_str();
#define HEDDLE_NUMBER(name) options.name = given[#name].cast<decltype(options.name)>();
#define HEDDLE_CHECKS(name) HEDDLE_NUMBER(name)
#define HEDDLE_CHOICE(name, last) HEDDLE_NUMBER(name)
#define HEDDLE_SWITCH(name) HEDDLE_NUMBER(name)
#define HEDDLE_LIMIT(name, off) HEDDLE_NUMBER(name)
#include "runtime_options.def"
  heddle_runtime* handle = nullptr;
  Failure wrong;
  {
    const ReleasedGil released;
    wrong = failure(heddle_runtime_create(&options, &handle));
  }
  if (wrong) raise(wrong);
  auto made = std::make_shared<RuntimeState>(handle, options.execution == HEDDLE_EXECUTION_SYNC);
  remember(made);
  return made;
}

py::list devices(const RuntimeState& runtime) {
  std::size_t count = 0;
  check(heddle_device_count(runtime.use(), &count));
  py::list result;
  for (std::size_t i = 0; i < count; ++i) {
    heddle_device_info info{};
    info.size = sizeof info;
    check(heddle_device_get_info(runtime.handle(), i, &info));
    py::dict one;
    one["id"] = info.id;
    one["name"] = info.name;
    one["processors"] = info.processors;
    one["warp_size"] = info.warp_size;
    one["vector_bits"] = info.vector_bits;
    one["memory_bytes"] = info.memory_bytes;
    one["host_memory"] = info.host_memory != 0;
    one["capability"] = py::make_tuple(info.capability / 10, info.capability % 10);
    one["max_threads_per_block"] = info.max_threads_per_block;
    one["max_shared_per_block"] = info.max_shared_per_block;
    result.append(one);
  }
  return result;
}

// Calls with a number as their result that take a while.
template <typename Call>
double measured(const std::shared_ptr<RuntimeState>& runtime, Call call) {
  runtime->use();
  const auto result = std::make_shared<double>(0);
  wait_for(runtime->waits(), [runtime, result, call] { return failure(call(runtime->handle(), result.get())); });
  return *result;
}

void synchronize(const std::shared_ptr<RuntimeState>& runtime) {
  runtime->use();
  sweep_calls();
  wait_for(runtime->waits(), [runtime] { return failure(heddle_runtime_synchronize(runtime->handle())); });
}

void write_trace(const std::shared_ptr<RuntimeState>& runtime) {
  runtime->use();
  wait_for(runtime->waits(), [runtime] { return failure(heddle_runtime_write_trace(runtime->handle())); });
}

void close_runtime(const std::shared_ptr<RuntimeState>& runtime) {
  runtime->check_process();
  if (runtime->closed()) return;
  synchronize(runtime);
  if (runtime->closed()) return;  // by another thread, while this one waited
  write_trace(runtime);
  runtime->close();
}

// ---- Module

struct Module {
  std::shared_ptr<RuntimeState> runtime;
  std::shared_ptr<heddle_module> handle;
};

// What a compilation needs, kept until it has ended, which it may do after a Ctrl-C.
struct Compilation {
  std::string text, name, arch;
  Strings defines, include_paths, extra;
  std::vector<const char*> lists[3];
  heddle_compile_options options{};
  heddle_module* made = nullptr;
  ~Compilation() { heddle_module_free(made); }

  void complete() {
    const Strings* const all[] = {&defines, &include_paths, &extra};
    for (int i = 0; i < 3; ++i)
      for (const std::string& one : *all[i]) lists[i].push_back(one.c_str());
    options.size = sizeof options;
    options.defines = lists[0].data();
    options.define_count = lists[0].size();
    options.include_paths = lists[1].data();
    options.include_path_count = lists[1].size();
    options.extra = lists[2].data();
    options.extra_count = lists[2].size();
    options.arch = arch.c_str();
  }
};

Module finished(const std::shared_ptr<RuntimeState>& runtime, Compilation& compilation) {
  heddle_module* handle = nullptr;
  std::swap(handle, compilation.made);
  return {runtime, owned(runtime, handle, &heddle_module_free)};
}

// `form`: "text", "file" or "ptx".
Module compile(const std::shared_ptr<RuntimeState>& runtime, const std::string& form, const std::string& text,
               const std::string& name, Strings defines, Strings include_paths, Strings extra, const std::string& arch,
               bool fast_math, int opt, bool line_info, int compiler) {
  runtime->use();
  const auto work = std::make_shared<Compilation>();
  work->text = text;
  work->name = name;
  work->arch = arch;
  work->defines = std::move(defines);
  work->include_paths = std::move(include_paths);
  work->extra = std::move(extra);
  work->complete();
  work->options.fast_math = fast_math ? 1 : 0;
  work->options.opt = opt + 1;
  work->options.no_line_info = line_info ? 0 : 1;
  work->options.compiler = compiler;
  wait_for(runtime->waits(), [runtime, work, form] {
    heddle_runtime* const on = runtime->handle();
    const char* const given = work->text.c_str();
    const char* const called = work->name.c_str();
    if (form == "ptx") return failure(heddle_module_load_ptx(on, given, called, &work->made));
    if (form == "file") return failure(heddle_module_load_file(on, given, &work->options, &work->made));
    return failure(heddle_module_compile(on, given, called, &work->options, &work->made));
  });
  return finished(runtime, *work);
}

Strings kernel_names(const Module& module) {
  std::size_t count = 0;
  check(heddle_module_kernel_count(module.handle.get(), &count));
  Strings result;
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    check(heddle_module_kernel_name(module.handle.get(), i, &name));
    result.emplace_back(name);
  }
  return result;
}

Kernel kernel(const Module& module, const std::string& name, const std::optional<std::string>& signature) {
  module.runtime->use();
  heddle_kernel* handle = nullptr;
  if (signature)
    check(heddle_module_kernel_with_signature(module.handle.get(), name.c_str(), signature->c_str(), &handle));
  else
    check(heddle_module_kernel(module.handle.get(), name.c_str(), &handle));
  return {module.runtime, handle};
}

py::bytes get_variable(const Module& module, const std::string& name, char kind, std::size_t itemsize,
                       std::size_t bytes, const std::string& device) {
  module.runtime->use();
  const auto data = std::make_shared<std::string>(bytes, '\0');
  const heddle_element element = element_of(kind, itemsize);
  wait_for(module.runtime->waits(), [module, name, element, device, data] {
    return failure(heddle_module_get_variable(module.handle.get(), name.c_str(), element, data->data(), data->size(),
                                              device.c_str()));
  });
  return *data;
}

// The dtype of the numbers of a variable in NumPy's letters ("f4"; "" where that is not known), whether it is an array,
// and its bytes.
py::tuple variable_type(const Module& module, const std::string& name) {
  module.runtime->use();
  heddle_variable_info info{};
  info.size = sizeof info;
  check(heddle_module_get_variable_info(module.handle.get(), name.c_str(), &info));
  const char* dtype = "";
  switch (info.element) {
    case HEDDLE_ELEMENT_I8: dtype = "i1"; break;
    case HEDDLE_ELEMENT_I16: dtype = "i2"; break;
    case HEDDLE_ELEMENT_I32: dtype = "i4"; break;
    case HEDDLE_ELEMENT_I64: dtype = "i8"; break;
    case HEDDLE_ELEMENT_F16: dtype = "f2"; break;
    case HEDDLE_ELEMENT_F32: dtype = "f4"; break;
    case HEDDLE_ELEMENT_F64: dtype = "f8"; break;
    default: break;
  }
  return py::make_tuple(dtype, info.is_array != 0, info.bytes);
}

void set_variable(const Module& module, const std::string& name, char kind, std::size_t itemsize,
                  const py::bytes& bytes, const std::string& device) {
  module.runtime->use();
  const auto data = std::make_shared<std::string>(bytes);
  const heddle_element element = element_of(kind, itemsize);
  wait_for(module.runtime->waits(), [module, name, element, device, data] {
    return failure(heddle_module_set_variable(module.handle.get(), name.c_str(), element, data->data(), data->size(),
                                              device.c_str()));
  });
}

// ---- Launches

std::unique_ptr<Shape> shape(const Extents& grid, const Extents& block, std::uint32_t shared, std::string device,
                             const std::optional<std::pair<std::uint64_t, std::uint64_t>>& blocks, bool cooperative,
                             std::vector<std::uint32_t> processors, bool timed, std::shared_ptr<Tenant> tenant) {
  auto made = std::make_unique<Shape>();
  made->tenant = std::move(tenant);
  made->device = std::move(device);
  made->processors = std::move(processors);
  heddle_launch_options& options = made->options;
  options.size = sizeof options;
  options.grid = {std::get<0>(grid), std::get<1>(grid), std::get<2>(grid)};
  options.block = {std::get<0>(block), std::get<1>(block), std::get<2>(block)};
  options.shared = shared;
  options.device = made->device.c_str();
  if (blocks) {
    options.has_blocks = 1;
    options.block_begin = blocks->first;
    options.block_end = blocks->second;
  }
  options.cooperative = cooperative ? 1 : 0;
  options.timed = timed ? 1 : 0;
  options.tenant = made->tenant ? made->tenant->handle.get() : nullptr;
  options.processors = made->processors.data();
  options.processor_count = static_cast<std::uint32_t>(made->processors.size());
  return made;
}

// ---- Tenants

heddle_tenant_options tenant_options(const std::string& name, bool latency, double quota, double slip) {
  heddle_tenant_options options{};
  options.size = sizeof options;
  options.name = name.c_str();
  options.kind = latency ? HEDDLE_TENANT_LATENCY : HEDDLE_TENANT_BATCH;
  options.quota = quota;
  options.slip = slip;
  return options;
}

std::shared_ptr<Tenant> tenant(const std::shared_ptr<RuntimeState>& runtime, const std::string& name, bool latency,
                               double quota, double slip) {
  const heddle_tenant_options options = tenant_options(name, latency, quota, slip);
  heddle_tenant* handle = nullptr;
  check(heddle_tenant_create(runtime->use(), &options, &handle));
  return std::make_shared<Tenant>(Tenant{runtime, owned(runtime, handle, heddle_tenant_free)});
}

void set_tenant(const Tenant& tenant, const std::string& name, bool latency, double quota, double slip) {
  tenant.runtime->use();
  const heddle_tenant_options options = tenant_options(name, latency, quota, slip);
  check(heddle_tenant_set(tenant.handle.get(), &options));
}

// ---- Arrays

HostSpan host_span(const ArrayBase& array, bool writable) {
  void* const data = writable ? Buffer::write(array.buffer, array.offset, array.bytes)
                              : const_cast<void*>(Buffer::read(array.buffer, array.offset, array.bytes));
  return {array.buffer, data, array.bytes, writable};
}

void bind_arrays(py::module_& m) {
  py::class_<Buffer, std::shared_ptr<Buffer>>(m, "Buffer")
      .def(py::init<std::shared_ptr<RuntimeState>, std::size_t>())
      .def("address", &Buffer::address)
      .def("prefetch", &Buffer::prefetch);
  py::class_<HostSpan>(m, "HostSpan", py::buffer_protocol())
      .def_buffer([](const HostSpan& span) {
        return py::buffer_info(span.data, 1, "B", 1, {static_cast<py::ssize_t>(span.bytes)}, {py::ssize_t{1}},
                               !span.writable);
      })
      .def_property_readonly("address",
                             [](const HostSpan& span) { return reinterpret_cast<std::uintptr_t>(span.data); });
  py::class_<Said>(m, "Said").def(py::init([](py::object array, const std::string& direction) {
    if (!array.is_none() && !py::isinstance<ArrayBase>(array))
      raise(Wrong::type, "heddle." + direction +
                             "(...) takes a heddle.Array, a view of one or None, not a value of type " +
                             Py_TYPE(array.ptr())->tp_name);
    const heddle_argument_kind kind = direction == "in_"   ? HEDDLE_ARGUMENT_IN
                                      : direction == "out" ? HEDDLE_ARGUMENT_OUT
                                                           : HEDDLE_ARGUMENT_INOUT;
    return Said{std::move(array), kind};
  }));
  py::class_<Opaque>(m, "Opaque").def(py::init([](std::uint64_t address) { return Opaque{address}; }));
  py::class_<ArrayBase>(m, "ArrayBase")
      .def(py::init([](std::shared_ptr<Buffer> buffer, std::size_t offset, std::size_t bytes, char kind,
                       std::size_t element_bytes) {
        return ArrayBase{std::move(buffer), offset, bytes, element_of(kind, element_bytes)};
      }))
      .def_readonly("_buffer", &ArrayBase::buffer)
      .def_readonly("_offset", &ArrayBase::offset)
      .def("_span", &host_span)
      // Where the values are now; waits as _span does, and makes no object.
      .def("_pointer", [](const ArrayBase& array,
                          bool writable) { return reinterpret_cast<std::uintptr_t>(host_span(array, writable).data); })
      .def("_dlpack",
           [](const ArrayBase& array, const std::vector<std::int64_t>& extents, int code, int bits, bool versioned) {
             return dlpack(array.buffer, array.offset, extents, code, bits, versioned);
           });
}

void bind_kernels(py::module_& m) {
  py::class_<Module>(m, "Module")
      .def_property_readonly("ptx",
                             [](const Module& module) {
                               const char* text = nullptr;
                               check(heddle_module_ptx(module.handle.get(), &text));
                               return std::string(text);
                             })
      .def("kernel_names", &kernel_names)
      .def("kernel", &kernel, py::arg("name"), py::arg("signature") = py::none())
      .def("get_variable", &get_variable)
      .def("variable_type", &variable_type)
      .def("set_variable", &set_variable);
  py::class_<Tenant, std::shared_ptr<Tenant>>(m, "Tenant").def(py::init(&tenant)).def("set", &set_tenant);
  py::class_<Shape>(m, "Shape").def(py::init(&shape));
  py::class_<Kernel>(m, "Kernel")
      .def_property_readonly("name", &Kernel::name)
      .def_property_readonly("signature", &Kernel::readable)
      .def("info", &Kernel::info)
      .def("occupancy", &Kernel::occupancy)
      .def("launch", &Kernel::launch);
  py::class_<Launch>(m, "Launch", "A launch that was made. May be dropped: the launch goes on. Any thread may use it.")
      .def(py::init([](const py::args&, const py::kwargs&) -> std::unique_ptr<Launch> {
        raise(Wrong::type, "kernel[grid, block](...) makes launches; they are not made by their constructor");
      }))
      .def_property_readonly("done", &Launch::done, "Whether it has ended; does not wait.")
      .def("wait", &Launch::wait,
           "Waits until it has ended. Raises its error, or that of one before it that made it be skipped.")
      .def_property_readonly(
          "seconds", &Launch::seconds,
          "The time that the device spent on it; waits. Copies that had to come first do not count. For "
          "launches with options(timed=True).")
      .def_property_readonly("device", &Launch::device, "The id of the device that it ran on.")
      .def("__repr__", &Launch::describe);
  py::class_<AsyncCall>(m, "AsyncCall")
      .def(py::init<const std::shared_ptr<RuntimeState>&, py::function, const std::string&,
                    const std::vector<const ArrayBase*>&, const std::vector<const ArrayBase*>&>())
      .def("launch", &AsyncCall::launch, py::return_value_policy::reference_internal)
      .def("value", &AsyncCall::value)
      .def("raised", &AsyncCall::raised);
}

}  // namespace
}  // namespace heddle::python

PYBIND11_MODULE(_core, m) {
  using namespace heddle::python;
  m.doc() = "The native part of heddle. Use the package, not this module.";
  m.def("version", &heddle_version);
  m.def("finish_all", &finish_all);
  m.def("readable_name", &readable_name);
  py::class_<RuntimeState, std::shared_ptr<RuntimeState>>(m, "Runtime")
      .def(py::init(&open))
      .def("devices", &devices)
      .def("compile", &compile)
      .def("synchronize", &synchronize)
      .def("close", &close_runtime)
      .def_property_readonly("closed", &RuntimeState::closed)
      .def("trace",
           [](const std::shared_ptr<RuntimeState>& runtime, const std::string& path) {
             runtime->use();
             wait_for(runtime->waits(),
                      [runtime, path] { return failure(heddle_runtime_trace(runtime->handle(), path.c_str())); });
           })
      .def("write_trace", &write_trace)
      .def("measured_bandwidth",
           [](const std::shared_ptr<RuntimeState>& runtime, const std::string& device) {
             return measured(runtime, [device](heddle_runtime* on, double* result) {
               return heddle_measured_bandwidth(on, device.c_str(), result);
             });
           })
      .def("measured_link",
           [](const std::shared_ptr<RuntimeState>& runtime, const std::string& from, const std::string& to) {
             return measured(runtime, [from, to](heddle_runtime* on, double* result) {
               return heddle_measured_link(on, from.c_str(), to.c_str(), result);
             });
           });
  bind_kernels(m);
  bind_arrays(m);
  define_trees(m);
}
