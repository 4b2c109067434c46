// References to textures and surfaces, which CUDA 12 calls deprecated.
#include "cuda_api/core/texture_reference.hpp"

#include <algorithm>

#include "cuda_api/core/array.hpp"
#include "cuda_api/core/library.hpp"
#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

// Changes something of a reference, and binds it anew.
template <class Change>
CUresult change(const char* name, CUtexref reference, Change&& f) {
  return in_context(name, [&](Context&) {
    CUtexref_st& changed = reference_of(reference);
    f(changed);
    bind(changed);
  });
}

// Tells something of a reference.
template <class Value, class Read>
CUresult tell(const char* name, CUtexref reference, Value* value, Read&& f) {
  return in_context(name, [&](Context&) {
    require(value, cudaErrorInvalidValue, "no place for the answer");
    *value = f(static_cast<const CUtexref_st&>(reference_of(reference)));
  });
}

// The variable of a module that a reference is.
std::uint64_t variable_of(CUmodule module, const char* name) {
  require(name, cudaErrorInvalidValue, "no name");
  CUmod_st& from = libraries().find(module);
  return libraries().variable(*from.library, *from.context, name).address;
}

void check_dimension(int dimension) {
  require(dimension >= 0 && dimension < 3, cudaErrorInvalidValue, "there is no such dimension");
}

void bind_rows(CUtexref_st& r, const CUDA_ARRAY_DESCRIPTOR* p, CUdeviceptr address, std::size_t pitch) {
  require(p, cudaErrorInvalidValue, "no description of the rows");
  r.format = p->Format;
  r.channels = p->NumChannels;
  r.resource = {};
  r.resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  r.resource.res.pitch2D = {address, p->Format, p->NumChannels, p->Width, p->Height, pitch};
  r.bound = true;
}

constexpr unsigned override_format = 1;  // CU_TRSA_OVERRIDE_FORMAT

}  // namespace

HEDDLE_DRIVER_API cuModuleGetTexRef(CUtexref* found, CUmodule module, const char* name) {
  HEDDLE_ARGUMENTS(found, module, name);
  return in_context(__func__, [&](Context& context) {
    require(found, cudaErrorInvalidValue, "no place for the reference");
    textures_of(context);
    *found = texture_reference(context, variable_of(module, name));
  });
}
HEDDLE_DRIVER_API cuModuleGetSurfRef(CUsurfref* found, CUmodule module, const char* name) {
  HEDDLE_ARGUMENTS(found, module, name);
  return in_context(__func__, [&](Context& context) {
    require(found, cudaErrorInvalidValue, "no place for the reference");
    textures_of(context);
    *found = surface_reference(context, variable_of(module, name));
  });
}

HEDDLE_DRIVER_API cuSurfRefSetArray(CUsurfref reference, CUarray array, unsigned flags) {
  HEDDLE_ARGUMENTS(reference, array, flags);
  return in_context(__func__, [&](Context&) {
    require(flags == 0, cudaErrorInvalidValue, "the flags must be 0");
    array_of(array);
    CUsurfref_st& changed = reference_of(reference);
    changed.array = array;
    bind(changed);
  });
}
HEDDLE_DRIVER_API cuSurfRefGetArray(CUarray* array, CUsurfref reference) {
  HEDDLE_ARGUMENTS(array, reference);
  return in_context(__func__, [&](Context&) {
    require(array, cudaErrorInvalidValue, "no place for the array");
    *array = reference_of(reference).array;
    require(*array, cudaErrorInvalidValue, "the reference is not bound");
  });
}

HEDDLE_DRIVER_API cuTexRefSetArray(CUtexref reference, CUarray array, unsigned flags) {
  HEDDLE_ARGUMENTS(reference, array, flags);
  return change(__func__, reference, [&](CUtexref_st& r) {
    require(flags == override_format, cudaErrorInvalidValue, "flags other than CU_TRSA_OVERRIDE_FORMAT");
    const CUDA_ARRAY3D_DESCRIPTOR& p = array_of(array).descriptor;
    r.format = p.Format;
    r.channels = p.NumChannels;
    r.resource = {};
    r.resource.resType = CU_RESOURCE_TYPE_ARRAY;
    r.resource.res.array.hArray = array;
    r.bound = true;
  });
}
HEDDLE_DRIVER_API cuTexRefSetMipmappedArray(CUtexref reference, CUmipmappedArray array, unsigned flags) {
  HEDDLE_ARGUMENTS(reference, array, flags);
  return change(__func__, reference, [&](CUtexref_st& r) {
    require(flags == override_format, cudaErrorInvalidValue, "flags other than CU_TRSA_OVERRIDE_FORMAT");
    array_of(array);
    r.resource = {};
    r.resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    r.resource.res.mipmap.hMipmappedArray = array;
    r.bound = true;
  });
}
HEDDLE_DRIVER_API cuTexRefSetAddress_v2(std::size_t* offset, CUtexref reference, CUdeviceptr address,
                                        std::size_t bytes) {
  HEDDLE_ARGUMENTS(offset, reference, address, bytes);
  return change(__func__, reference, [&](CUtexref_st& r) {
    if (offset) *offset = 0;  // any address will do
    r.resource = {};
    r.resource.resType = CU_RESOURCE_TYPE_LINEAR;
    r.resource.res.linear = {address, r.format, r.channels, bytes};
    r.bound = address != 0;
  });
}
HEDDLE_DRIVER_API cuTexRefSetAddress2D_v2(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR* p, CUdeviceptr address,
                                          std::size_t pitch) {
  HEDDLE_ARGUMENTS(reference, p, address, pitch);
  return change(__func__, reference, [&](CUtexref_st& r) { bind_rows(r, p, address, pitch); });
}
HEDDLE_DRIVER_API cuTexRefSetAddress2D_v3(CUtexref reference, const CUDA_ARRAY_DESCRIPTOR* p, CUdeviceptr address,
                                          std::size_t pitch) {
  HEDDLE_ARGUMENTS(reference, p, address, pitch);
  return change(__func__, reference, [&](CUtexref_st& r) { bind_rows(r, p, address, pitch); });
}
HEDDLE_DRIVER_API cuTexRefSetFormat(CUtexref reference, CUarray_format format, int channels) {
  HEDDLE_ARGUMENTS(reference, format, channels);
  return change(__func__, reference, [&](CUtexref_st& r) {
    r.format = format;
    r.channels = static_cast<unsigned>(channels);
    if (r.resource.resType != CU_RESOURCE_TYPE_LINEAR) return;
    r.resource.res.linear.format = r.format;
    r.resource.res.linear.numChannels = r.channels;
  });
}
HEDDLE_DRIVER_API cuTexRefSetAddressMode(CUtexref reference, int dimension, CUaddress_mode mode) {
  HEDDLE_ARGUMENTS(reference, dimension, mode);
  return change(__func__, reference, [&](CUtexref_st& r) {
    check_dimension(dimension);
    r.texture.addressMode[dimension] = mode;
  });
}
HEDDLE_DRIVER_API cuTexRefSetFilterMode(CUtexref reference, CUfilter_mode mode) {
  HEDDLE_ARGUMENTS(reference, mode);
  return change(__func__, reference, [&](CUtexref_st& r) { r.texture.filterMode = mode; });
}
HEDDLE_DRIVER_API cuTexRefSetFlags(CUtexref reference, unsigned flags) {
  HEDDLE_ARGUMENTS(reference, flags);
  return change(__func__, reference, [&](CUtexref_st& r) { r.texture.flags = flags; });
}
HEDDLE_DRIVER_API cuTexRefSetMaxAnisotropy(CUtexref reference, unsigned most) {
  HEDDLE_ARGUMENTS(reference, most);
  return change(__func__, reference, [&](CUtexref_st& r) { r.texture.maxAnisotropy = most; });
}
HEDDLE_DRIVER_API cuTexRefSetBorderColor(CUtexref reference, float* color) {
  HEDDLE_ARGUMENTS(reference, color);
  return change(__func__, reference, [&](CUtexref_st& r) {
    require(color, cudaErrorInvalidValue, "no colour");
    std::copy_n(color, 4, r.texture.borderColor);
  });
}
HEDDLE_DRIVER_API cuTexRefSetMipmapFilterMode(CUtexref reference, CUfilter_mode mode) {
  HEDDLE_ARGUMENTS(reference, mode);
  return change(__func__, reference, [&](CUtexref_st& r) { r.texture.mipmapFilterMode = mode; });
}
HEDDLE_DRIVER_API cuTexRefSetMipmapLevelBias(CUtexref reference, float bias) {
  HEDDLE_ARGUMENTS(reference, bias);
  return change(__func__, reference, [&](CUtexref_st& r) { r.texture.mipmapLevelBias = bias; });
}
HEDDLE_DRIVER_API cuTexRefSetMipmapLevelClamp(CUtexref reference, float least, float most) {
  HEDDLE_ARGUMENTS(reference, least, most);
  return change(__func__, reference, [&](CUtexref_st& r) {
    r.texture.minMipmapLevelClamp = least;
    r.texture.maxMipmapLevelClamp = most;
  });
}

HEDDLE_DRIVER_API cuTexRefGetArray(CUarray* array, CUtexref reference) {
  HEDDLE_ARGUMENTS(array, reference);
  return tell(__func__, reference, array, [](const CUtexref_st& r) {
    require(r.bound && r.resource.resType == CU_RESOURCE_TYPE_ARRAY, cudaErrorInvalidValue, "no array is bound");
    return r.resource.res.array.hArray;
  });
}
HEDDLE_DRIVER_API cuTexRefGetMipmappedArray(CUmipmappedArray* array, CUtexref reference) {
  HEDDLE_ARGUMENTS(array, reference);
  return tell(__func__, reference, array, [](const CUtexref_st& r) {
    require(r.bound && r.resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, cudaErrorInvalidValue,
            "no mipmapped array is bound");
    return r.resource.res.mipmap.hMipmappedArray;
  });
}
HEDDLE_DRIVER_API cuTexRefGetAddress_v2(CUdeviceptr* address, CUtexref reference) {
  HEDDLE_ARGUMENTS(address, reference);
  return tell(__func__, reference, address, [](const CUtexref_st& r) {
    const bool linear = r.resource.resType == CU_RESOURCE_TYPE_LINEAR;
    require(r.bound && (linear || r.resource.resType == CU_RESOURCE_TYPE_PITCH2D), cudaErrorInvalidValue,
            "no memory is bound");
    return linear ? r.resource.res.linear.devPtr : r.resource.res.pitch2D.devPtr;
  });
}
HEDDLE_DRIVER_API cuTexRefGetAddressMode(CUaddress_mode* mode, CUtexref reference, int dimension) {
  HEDDLE_ARGUMENTS(mode, reference, dimension);
  return tell(__func__, reference, mode, [&](const CUtexref_st& r) {
    check_dimension(dimension);
    return r.texture.addressMode[dimension];
  });
}
HEDDLE_DRIVER_API cuTexRefGetFilterMode(CUfilter_mode* mode, CUtexref reference) {
  HEDDLE_ARGUMENTS(mode, reference);
  return tell(__func__, reference, mode, [](const CUtexref_st& r) { return r.texture.filterMode; });
}
HEDDLE_DRIVER_API cuTexRefGetFlags(unsigned* flags, CUtexref reference) {
  HEDDLE_ARGUMENTS(flags, reference);
  return tell(__func__, reference, flags, [](const CUtexref_st& r) { return r.texture.flags; });
}
HEDDLE_DRIVER_API cuTexRefGetFormat(CUarray_format* format, int* channels, CUtexref reference) {
  HEDDLE_ARGUMENTS(format, channels, reference);
  return in_context(__func__, [&](Context&) {
    const CUtexref_st& r = reference_of(reference);
    if (format) *format = r.format;
    if (channels) *channels = static_cast<int>(r.channels);
  });
}
HEDDLE_DRIVER_API cuTexRefGetMaxAnisotropy(int* most, CUtexref reference) {
  HEDDLE_ARGUMENTS(most, reference);
  return tell(__func__, reference, most,
              [](const CUtexref_st& r) { return static_cast<int>(r.texture.maxAnisotropy); });
}
HEDDLE_DRIVER_API cuTexRefGetBorderColor(float* color, CUtexref reference) {
  HEDDLE_ARGUMENTS(color, reference);
  return in_context(__func__, [&](Context&) {
    require(color, cudaErrorInvalidValue, "no place for the colour");
    std::copy_n(reference_of(reference).texture.borderColor, 4, color);
  });
}
HEDDLE_DRIVER_API cuTexRefGetMipmapFilterMode(CUfilter_mode* mode, CUtexref reference) {
  HEDDLE_ARGUMENTS(mode, reference);
  return tell(__func__, reference, mode, [](const CUtexref_st& r) { return r.texture.mipmapFilterMode; });
}
HEDDLE_DRIVER_API cuTexRefGetMipmapLevelBias(float* bias, CUtexref reference) {
  HEDDLE_ARGUMENTS(bias, reference);
  return tell(__func__, reference, bias, [](const CUtexref_st& r) { return r.texture.mipmapLevelBias; });
}
HEDDLE_DRIVER_API cuTexRefGetMipmapLevelClamp(float* least, float* most, CUtexref reference) {
  HEDDLE_ARGUMENTS(least, most, reference);
  return in_context(__func__, [&](Context&) {
    const CUtexref_st& r = reference_of(reference);
    if (least) *least = r.texture.minMipmapLevelClamp;
    if (most) *most = r.texture.maxMipmapLevelClamp;
  });
}
