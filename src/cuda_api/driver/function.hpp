// Kernels in the driver API. A CUfunction and a CUkernel are both a KernelEntry, and so is the cudaFunction_t of the
// runtime API: each is accepted where another is expected.
#pragma once

#include "cuda_api/core/library.hpp"
#include "cuda_api/driver/call.hpp"

namespace heddle::cuda_api {

inline CUfunction function_handle(KernelEntry& entry) { return reinterpret_cast<CUfunction>(&entry); }
inline CUkernel kernel_handle(KernelEntry& entry) { return reinterpret_cast<CUkernel>(&entry); }
// Throws cudaErrorInvalidResourceHandle for an invalid handle, or one whose module was unloaded.
KernelEntry& entry_of(const void* handle);

// The context in which a function runs and is queried: its module's, or the current one. Throws
// cudaErrorInvalidResourceHandle if it does not belong to the current thread's context.
Context& function_context(KernelEntry& entry, Context& current);

int function_attribute(KernelEntry& entry, Context& context, CUfunction_attribute attribute);
void set_function_attribute(KernelEntry& entry, Context& context, CUfunction_attribute attribute, int value);
// Throws cudaErrorInvalidValue when there is no such parameter.
void parameter_info(const LoadedKernel& kernel, std::size_t index, std::size_t* offset, std::size_t* size);

}  // namespace heddle::cuda_api
