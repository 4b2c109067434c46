// Kernels: what is known of them, and launches.
#include <algorithm>
#include <utility>

#include "gil.hpp"
#include "objects.hpp"

namespace heddle::python {
namespace {

const char* access_name(heddle_access access) {
  switch (access) {
    case HEDDLE_ACCESS_NONE: return "none";
    case HEDDLE_ACCESS_READ: return "read";
    case HEDDLE_ACCESS_WRITE: return "write";
    case HEDDLE_ACCESS_READ_WRITE: return "read-write";
    case HEDDLE_ACCESS_UNKNOWN: break;
  }
  return "unknown";
}

heddle_kernel_info information(heddle_kernel* kernel) {
  heddle_kernel_info info{};
  info.size = sizeof info;
  check(heddle_kernel_get_info(kernel, &info));
  return info;
}

std::string parameter_list(const Kernel& kernel) {
  std::string result;
  for (const Plan& parameter : kernel.parameters()) {
    result += (result.empty() ? "" : ", ") + described(parameter);
  }
  return result.empty() ? "nothing" : result;
}

}  // namespace

std::string described(const Plan& parameter) {
  const bool known = !parameter.source_type.empty();
  return (parameter.label.empty() ? parameter.name : parameter.label) + " (" +
         (known ? parameter.source_type : "." + parameter.type) + (parameter.pointer && !known ? ", a pointer)" : ")");
}

Kernel::Kernel(std::shared_ptr<RuntimeState> runtime, heddle_kernel* handle)
    : runtime_(std::move(runtime)), handle_(owned(runtime_, handle, &heddle_kernel_free)) {
  const heddle_kernel_info info = information(handle);
  name_ = info.name;
  readable_ = info.signature;
  for (std::uint32_t i = 0; i < info.parameter_count; ++i) {
    heddle_parameter parameter{};
    parameter.size = sizeof parameter;
    check(heddle_kernel_get_parameter(handle, i, &parameter));
    parameters_.push_back(plan(parameter));
  }
}

Launch Kernel::launch(const Shape& shape, const py::args& arguments) const {
  heddle_runtime* const runtime = runtime_->use();
  const std::size_t count = arguments.size();
  if (count != parameters_.size())
    raise(Wrong::type, "kernel " + readable_ + " takes " + std::to_string(parameters_.size()) +
                           " arguments and was given " + std::to_string(count) + ": " + parameter_list(*this));
  auto converted = std::make_shared<Converted>();
  converted->list.reserve(count);
  for (std::size_t i = 0; i < count; ++i) convert(*this, i, PyTuple_GET_ITEM(arguments.ptr(), i), *converted);

  // Before, since another thread may read meanwhile, and afterwards, since it may have done so too early.
  const auto mark = [&] {
    for (const auto& [buffer, access] : converted->buffers) buffer->used(access);
  };
  mark();
  heddle_launch* handle = nullptr;
  if (runtime_->sync()) {  // waits for the kernel
    struct Result {
      heddle_launch* handle = nullptr;
      ~Result() { heddle_launch_free(handle); }
    };
    const auto result = std::make_shared<Result>();
    const auto kept = std::make_shared<Shape>(shape);
    kept->options.device = kept->device.c_str();
    kept->options.processors = kept->processors.data();
    wait_for(runtime_->waits(), [runtime = runtime_, kernel = handle_, kept, converted, result] {
      return failure(heddle_launch_kernel(runtime->handle(), kernel.get(), &kept->options, converted->list.data(),
                                          converted->list.size(), &result->handle));
    });
    std::swap(handle, result->handle);
    return {runtime_, handle_, handle};
  }
  Failure wrong;
  {
    const ReleasedGil released;
    wrong =
        failure(heddle_launch_kernel(runtime, handle_.get(), &shape.options, converted->list.data(), count, &handle));
  }
  mark();
  if (wrong) raise(wrong);
  return {runtime_, handle_, handle};
}

py::dict Kernel::info() const {
  const heddle_kernel_info info = information(handle_.get());
  py::dict result;
  result["name"] = info.name;
  result["signature"] = readable_;
  result["registers"] = info.registers;
  result["shared_bytes"] = info.shared_bytes;
  result["dynamic_shared"] = info.dynamic_shared != 0;
  result["local_bytes"] = info.local_bytes;
  result["barriers"] = info.barriers;
  result["atomics"] = info.atomics;
  result["max_threads"] = info.max_threads;
  result["blocks_independent"] = info.blocks_independent != 0;
  result["dependence"] = info.dependence;
  py::list parameters;
  for (const Plan& parameter : parameters_) {
    py::dict one;
    one["name"] = parameter.name;
    one["type"] = parameter.type;
    one["label"] = parameter.label;
    one["source_type"] = parameter.source_type;
    one["bytes"] = parameter.bytes;
    one["pointer"] = parameter.pointer;
    one["access"] = access_name(parameter.access);
    parameters.append(one);
  }
  result["parameters"] = parameters;
  return result;
}

py::list Kernel::occupancy(const Shape& shape) const {
  std::vector<heddle_occupancy> found(8);
  std::size_t count = found.size();
  found[0].size = sizeof found[0];
  check(heddle_kernel_occupancy(runtime_->use(), handle_.get(), shape.options.block, shape.options.shared,
                                shape.device.c_str(), found.data(), &count));
  py::list result;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) {
    py::dict one;
    one["form"] = found[i].form;
    one["registers"] = found[i].registers;
    one["local_bytes"] = found[i].local_bytes;
    one["shared_bytes"] = found[i].shared_bytes;
    one["blocks"] = found[i].blocks;
    one["share"] = found[i].share;
    result.append(one);
  }
  return result;
}

}  // namespace heddle::python
