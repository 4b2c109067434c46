// References to textures and surfaces: variables of modules (.texref, .surfref) that the driver API binds. The variable
// holds the handle of an object, which is made anew whenever something of the reference changes.
#pragma once

#include <cstdint>
#include <functional>

#include "cuda_api/abi/driver.hpp"
#include "cuda_api/core/context.hpp"

struct CUtexref_st {
  heddle::cuda_api::Context* context = nullptr;
  std::uint64_t variable = 0;  // its address
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  unsigned channels = 1;
  bool bound = false;
  CUDA_RESOURCE_DESC resource = {};
  CUDA_TEXTURE_DESC texture = {};
  std::uint64_t handle = 0;
};

struct CUsurfref_st {
  heddle::cuda_api::Context* context = nullptr;
  std::uint64_t variable = 0;
  CUarray array = nullptr;
  std::uint64_t handle = 0;
};

namespace heddle::cuda_api {

// Those of a variable. They live as long as the process.
CUtexref texture_reference(Context& context, std::uint64_t variable);
CUsurfref surface_reference(Context& context, std::uint64_t variable);

// Throw cudaErrorInvalidResourceHandle for what is no reference.
CUtexref_st& reference_of(CUtexref reference);
CUsurfref_st& reference_of(CUsurfref reference);

// Makes the object of what the reference says now, when the work of the context is done, and puts its handle into the
// variable. Settings come one after the other: as long as they do not fit each other, the variable holds 0, which is no
// texture. Throws cudaErrorInvalidResourceHandle if the module is gone.
void bind(CUtexref_st& reference);
void bind(CUsurfref_st& reference);

}  // namespace heddle::cuda_api
