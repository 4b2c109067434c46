// Kernels and what is known of them.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "c_api/guard.hpp"
#include "c_api/handles.hpp"

namespace {

using heddle::c_api::extents;
using heddle::c_api::given;
using heddle::c_api::guarded;
using heddle::c_api::hand_out;
using heddle::c_api::text_or;

static_assert(static_cast<int>(HEDDLE_ACCESS_NONE) == static_cast<int>(heddle::Access::none));
static_assert(static_cast<int>(HEDDLE_ACCESS_READ_WRITE) == static_cast<int>(heddle::Access::read_write));
static_assert(static_cast<int>(HEDDLE_ACCESS_UNKNOWN) == static_cast<int>(heddle::Access::unknown));

static_assert(static_cast<int>(HEDDLE_ELEMENT_I32) == static_cast<int>(heddle::ElementType::i32));
static_assert(static_cast<int>(HEDDLE_ELEMENT_OTHER) == static_cast<int>(heddle::ElementType::other));
static_assert(static_cast<int>(HEDDLE_NUMBER_FLOATING) == static_cast<int>(heddle::Number::floating));

heddle_occupancy in_c(const heddle::Occupancy& from) {
  heddle_occupancy result{};
  from.form.copy(result.form, sizeof result.form - 1);
  result.registers = from.registers;
  result.blocks = from.blocks;
  result.local_bytes = from.local_bytes;
  result.shared_bytes = from.shared_bytes;
  result.share = from.share;
  return result;
}

}  // namespace

extern "C" {

heddle_status heddle_module_kernel(heddle_module* module, const char* name, heddle_kernel** kernel) {
  return guarded([&] {
    const char* const function = "heddle_module_kernel";
    const auto& of = given(module, function, "the module").module;
    given(name, function, "the kernel's name");
    auto& result = given(kernel, function, "the place of the kernel");
    result = new heddle_kernel{of.kernel(name)};
  });
}

heddle_status heddle_module_kernel_with_signature(heddle_module* module, const char* name, const char* signature,
                                                  heddle_kernel** kernel) {
  return guarded([&] {
    const char* const function = "heddle_module_kernel_with_signature";
    const auto& of = given(module, function, "the module").module;
    given(name, function, "the kernel's name");
    given(signature, function, "the signature");
    auto& result = given(kernel, function, "the place of the kernel");
    result = new heddle_kernel{of.kernel(name, signature)};
  });
}

void heddle_kernel_free(heddle_kernel* kernel) { delete kernel; }

heddle_status heddle_kernel_get_info(heddle_kernel* kernel, heddle_kernel_info* info) {
  return guarded([&] {
    const char* const function = "heddle_kernel_get_info";
    const auto& of = given(kernel, function, "the kernel").kernel;
    given(info, function, "the place of the information");
    const heddle::KernelInfo& from = of.info();
    heddle_kernel_info result{};
    result.name = from.name.c_str();
    result.shared_bytes = from.shared_bytes;
    result.local_bytes = from.local_bytes;
    result.parameter_count = static_cast<uint32_t>(from.parameters.size());
    result.registers = from.registers;
    result.barriers = from.barriers;
    result.atomics = from.atomics;
    result.max_threads = from.max_threads;
    result.dynamic_shared = from.dynamic_shared ? 1 : 0;
    result.blocks_independent = from.blocks_independent ? 1 : 0;
    result.dependence = from.dependence.c_str();
    result.signature = from.signature.c_str();
    hand_out(result, info, info->size, function);
  });
}

heddle_status heddle_kernel_get_parameter(heddle_kernel* kernel, size_t number, heddle_parameter* parameter) {
  return guarded([&] {
    const char* const function = "heddle_kernel_get_parameter";
    const heddle::KernelInfo& info = given(kernel, function, "the kernel").kernel.info();
    given(parameter, function, "the place of the parameter");
    if (number >= info.parameters.size())
      throw heddle::Error(heddle::ErrorCode::not_found, "kernel " + info.signature + " has no parameter number " +
                                                            std::to_string(number) + "; it has " +
                                                            std::to_string(info.parameters.size()));
    const heddle::Parameter& from = info.parameters[number];
    heddle_parameter result{};
    result.name = from.name.c_str();
    result.type = from.type.c_str();
    result.offset = from.offset;
    result.bytes = from.size;
    result.pointer = from.pointer ? 1 : 0;
    result.may_be_index = from.may_be_index ? 1 : 0;
    result.access = static_cast<heddle_access>(from.access);
    result.label = from.label.c_str();
    result.source_type = from.source_type.c_str();
    result.element = static_cast<heddle_element>(from.element);
    result.number = static_cast<heddle_number>(from.number);
    hand_out(result, parameter, parameter->size, function);
  });
}

heddle_status heddle_kernel_occupancy(heddle_runtime* runtime, heddle_kernel* kernel, heddle_dim3 block,
                                      uint32_t shared, const char* device, heddle_occupancy* occupancies,
                                      size_t* count) {
  return guarded([&] {
    const char* const function = "heddle_kernel_occupancy";
    const auto& from = given(runtime, function, "the runtime").runtime;
    const auto& of = given(kernel, function, "the kernel").kernel;
    auto& room = given(count, function, "the place of the count");
    if (room > 0) given(occupancies, function, "the place of the result");
    const heddle::Dim3 shape = extents(block, function, "block");
    const std::vector<heddle::Occupancy> found = from.occupancy(of, shape, shared, text_or(device));
    const std::size_t stride = room > 0 ? occupancies->size : 0;
    auto* to = reinterpret_cast<unsigned char*>(occupancies);
    for (std::size_t i = 0; i < std::min<std::size_t>(room, found.size()); ++i)
      hand_out(in_c(found[i]), reinterpret_cast<heddle_occupancy*>(to + i * stride), stride, function);
    room = found.size();
  });
}
}
