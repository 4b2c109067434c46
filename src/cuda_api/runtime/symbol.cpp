// __device__ and __constant__ variables.
#include <fmt/format.h>

#include "cuda_api/core/copy.hpp"
#include "cuda_api/core/registry.hpp"
#include "cuda_api/runtime/call.hpp"
#include "cuda_api/runtime/symbol.hpp"

namespace heddle::cuda_api {

std::uint64_t locate(Context& context, const void* symbol, std::size_t* size) {
  VariableEntry& variable = registry().variable(symbol);
  const heddle::MemorySpan span = variable.on(context);
  if (size) *size = span.size;
  MemoryTable& memory = Process::get().memory;
  if (!memory.find(span.address)) {
    Block block;
    block.address = span.address;
    block.size = span.size;
    block.kind = BlockKind::variable;
    block.device = context.number();
    block.span = span;
    memory.add(std::move(block));
  }
  return span.address;
}

}  // namespace heddle::cuda_api

using namespace heddle::cuda_api;

namespace {

cudaError_t copy_to(const char* function, const void* symbol, const void* from, std::size_t size, std::size_t offset,
                    cudaMemcpyKind kind, cudaStream_t stream, bool per_thread, bool wait) {
  return with_context(function, [&](Context& context) {
    require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection, "a copy to a variable comes from the host or a device");
    auto* to = reinterpret_cast<void*>(locate(context, symbol) + offset);
    copy(context, context.stream(stream, per_thread), to, from, size, kind, wait);
  });
}

cudaError_t copy_from(const char* function, void* to, const void* symbol, std::size_t size, std::size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream, bool per_thread, bool wait) {
  return with_context(function, [&](Context& context) {
    require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection, "a copy from a variable goes to the host or a device");
    const auto* from = reinterpret_cast<const void*>(locate(context, symbol) + offset);
    copy(context, context.stream(stream, per_thread), to, from, size, kind, wait);
  });
}

}  // namespace

HEDDLE_CUDA_DS(cudaMemcpyToSymbol,
               (const void* symbol, const void* from, std::size_t size, std::size_t offset, cudaMemcpyKind kind), {
                 HEDDLE_ARGUMENTS(symbol, from, size, offset, kind);
                 return copy_to(__func__, symbol, from, size, offset, kind, nullptr, per_thread, true);
               })
HEDDLE_CUDA_SZ(cudaMemcpyToSymbolAsync,
               (const void* symbol, const void* from, std::size_t size, std::size_t offset, cudaMemcpyKind kind,
                cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(symbol, from, size, offset, kind, stream);
                 return copy_to(__func__, symbol, from, size, offset, kind, stream, per_thread, false);
               })
HEDDLE_CUDA_DS(cudaMemcpyFromSymbol,
               (void* to, const void* symbol, std::size_t size, std::size_t offset, cudaMemcpyKind kind), {
                 HEDDLE_ARGUMENTS(to, symbol, size, offset, kind);
                 return copy_from(__func__, to, symbol, size, offset, kind, nullptr, per_thread, true);
               })
HEDDLE_CUDA_SZ(cudaMemcpyFromSymbolAsync,
               (void* to, const void* symbol, std::size_t size, std::size_t offset, cudaMemcpyKind kind,
                cudaStream_t stream),
               {
                 HEDDLE_ARGUMENTS(to, symbol, size, offset, kind, stream);
                 return copy_from(__func__, to, symbol, size, offset, kind, stream, per_thread, false);
               })
HEDDLE_CUDA_API cudaError_t cudaGetSymbolAddress(void** p, const void* symbol) {
  HEDDLE_ARGUMENTS(p, symbol);
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the address");
    *p = reinterpret_cast<void*>(locate(context, symbol));
  });
}
HEDDLE_CUDA_API cudaError_t cudaGetSymbolSize(std::size_t* size, const void* symbol) {
  HEDDLE_ARGUMENTS(size, symbol);
  return with_context(__func__, [&](Context& context) {
    require(size, cudaErrorInvalidValue, "no place for the size");
    locate(context, symbol, size);
  });
}
