// Linking: several PTX texts become one, which is what cuLinkComplete gives out and cuModuleLoadData takes.
#include <fmt/format.h>

#include "cuda_api/core/code.hpp"
#include "cuda_api/core/jit_options.hpp"
#include "cuda_api/core/library.hpp"
#include "cuda_api/core/linking.hpp"
#include "cuda_api/driver/call.hpp"
#include "cuda_api/image/device_runtime.hpp"
#include "heddle/link.hpp"

using namespace heddle::cuda_api;

namespace {

const char* name_of_type(CUjitInputType type) {
  switch (type) {
    case CU_JIT_INPUT_CUBIN: return "machine code of a GPU (a cubin)";
    case CU_JIT_INPUT_OBJECT: return "an object of the host (CU_JIT_INPUT_OBJECT)";
    case CU_JIT_INPUT_LIBRARY: return "a library of the host (CU_JIT_INPUT_LIBRARY)";
    default: return "NVVM code (CU_JIT_INPUT_NVVM)";
  }
}

// The result of a link is PTX, and may be an input of the next one whatever it is called.
std::string text_of(const Context& context, CUjitInputType type, const void* data, std::size_t size) {
  require(type >= CU_JIT_INPUT_CUBIN && type < CU_JIT_NUM_INPUT_TYPES, cudaErrorInvalidValue,
          "there is no such type of code");
  if (is_device_runtime(std::as_bytes(std::span(static_cast<const char*>(data), size))))
    return std::string(device_runtime_ptx());
  const bool machine_code = size >= 4 && std::string_view(static_cast<const char*>(data), 4) ==
                                             "\x7f"
                                             "ELF";
  if (machine_code || type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY || type == CU_JIT_INPUT_NVVM)
    not_supported(std::string("linking ") + name_of_type(machine_code ? CU_JIT_INPUT_CUBIN : type));
  const FatBinary binary = read_image(data, size);
  const FatPtx* const ptx = ptx_for(binary, context);
  if (!ptx)
    throw Failure(cudaErrorNoKernelImageForDevice,
                  "the fat binary has no PTX for the device, which is what Heddle links");
  return ptx->text;
}

void add(Context& context, CUlinkState_st& state, CUjitInputType type, const void* data, std::size_t size,
         const std::string& name) {
  state.options.load([&] {
    std::string text = text_of(context, type, data, size);
    Process::get().runtime().load_ptx(text, name);  // what is wrong with it is told now
    state.inputs.push_back({std::move(text), name});
    return true;
  });
}

}  // namespace

HEDDLE_DRIVER_API cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
  return in_context(__func__, [&](Context&) {
    require(state, cudaErrorInvalidValue, "no place for the link");
    *state = &links().make(JitOptions(count, options, values));
  });
}
HEDDLE_DRIVER_API cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, std::size_t size,
                                   const char* name, unsigned, CUjit_option*, void**) {
  return in_context(__func__, [&](Context& context) {
    require(data && size > 0, cudaErrorInvalidValue, "no code");
    CUlinkState_st& into = links().find(state);
    add(context, into, type, data, size, name ? name : fmt::format("input {}", into.inputs.size() + 1));
  });
}
HEDDLE_DRIVER_API cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* file, unsigned, CUjit_option*,
                                   void**) {
  return in_context(__func__, [&](Context& context) {
    require(file, cudaErrorInvalidValue, "no file");
    CUlinkState_st& into = links().find(state);
    const std::string bytes = read_image_file(file);
    add(context, into, type, bytes.data(), bytes.size(), file);
  });
}
HEDDLE_DRIVER_API cuLinkComplete(CUlinkState state, void** image, std::size_t* size) {
  return in_context(__func__, [&](Context&) {
    require(image, cudaErrorInvalidValue, "no place for the image");
    CUlinkState_st& ended = links().find(state);
    require(!ended.inputs.empty(), cudaErrorInvalidValue, "a link of nothing");
    ended.options.load([&] {
      std::vector<heddle::PtxSource> sources;
      sources.reserve(ended.inputs.size());
      for (const CUlinkState_st::Input& input : ended.inputs) sources.push_back({input.text, input.name});
      ended.linked = heddle::link_ptx(sources);
      return true;
    });
    *image = ended.linked.data();
    if (size) *size = ended.linked.size() + 1;  // with the zero byte behind it
  });
}
HEDDLE_DRIVER_API cuLinkDestroy(CUlinkState state) {
  return driver(__func__, [&] { links().end(state); });
}
