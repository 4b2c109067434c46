// Texture and surface objects. CUDA 11 has two forms of a texture's description: the second one ends with
// `seamlessCubemap`, as all of later versions do.
#include "cuda_api/core/texture_object.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cuda_api/core/array.hpp"
#include "cuda_api/core/texel_format.hpp"
#include "cuda_api/runtime/call.hpp"

using namespace heddle::cuda_api;

namespace {

// Of the form without a second one.
constexpr std::size_t description_bytes =
    HEDDLE_CUDART_MAJOR < 12 ? offsetof(cudaTextureDesc, seamlessCubemap) : sizeof(cudaTextureDesc);

CUDA_RESOURCE_DESC resource_of(const cudaResourceDesc* p) {
  require(p, cudaErrorInvalidValue, "no description of the resource");
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = static_cast<CUresourcetype>(p->resType);
  switch (p->resType) {
    case cudaResourceTypeArray: resource.res.array.hArray = reinterpret_cast<CUarray>(p->res.array.array); break;
    case cudaResourceTypeMipmappedArray:
      resource.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(p->res.mipmap.mipmap);
      break;
    case cudaResourceTypeLinear: {
      const ChannelFormat format = channel_format(p->res.linear.desc);
      resource.res.linear = {reinterpret_cast<CUdeviceptr>(p->res.linear.devPtr), format.format, format.channels,
                             p->res.linear.sizeInBytes};
      break;
    }
    case cudaResourceTypePitch2D: {
      const ChannelFormat format = channel_format(p->res.pitch2D.desc);
      resource.res.pitch2D = {reinterpret_cast<CUdeviceptr>(p->res.pitch2D.devPtr),
                              format.format,
                              format.channels,
                              p->res.pitch2D.width,
                              p->res.pitch2D.height,
                              p->res.pitch2D.pitchInBytes};
      break;
    }
    default: throw Failure(cudaErrorInvalidValue, "there is no such kind of resource");
  }
  return resource;
}

cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC& resource) {
  cudaResourceDesc p = {};
  p.resType = static_cast<cudaResourceType>(resource.resType);
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY: p.res.array.array = reinterpret_cast<cudaArray_t>(resource.res.array.hArray); break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      p.res.mipmap.mipmap = reinterpret_cast<cudaMipmappedArray_t>(resource.res.mipmap.hMipmappedArray);
      break;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = resource.res.linear;
      p.res.linear = {reinterpret_cast<void*>(linear.devPtr), channel_desc({linear.format, linear.numChannels}),
                      linear.sizeInBytes};
      break;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& pitched = resource.res.pitch2D;
      p.res.pitch2D = {reinterpret_cast<void*>(pitched.devPtr), channel_desc({pitched.format, pitched.numChannels}),
                       pitched.width, pitched.height, pitched.pitchInBytes};
      break;
    }
  }
  return p;
}

CUDA_TEXTURE_DESC texture_of(const cudaTextureDesc& p) {
  CUDA_TEXTURE_DESC texture = {};
  for (unsigned d = 0; d < 3; ++d) texture.addressMode[d] = static_cast<CUaddress_mode>(p.addressMode[d]);
  texture.filterMode = static_cast<CUfilter_mode>(p.filterMode);
  texture.flags = (p.readMode == cudaReadModeElementType ? read_as_integer : 0) |
                  (p.normalizedCoords ? normalized_coordinates : 0) | (p.sRGB ? read_as_srgb : 0) |
                  (p.seamlessCubemap ? seamless_cube : 0);
  texture.maxAnisotropy = p.maxAnisotropy;
  texture.mipmapFilterMode = static_cast<CUfilter_mode>(p.mipmapFilterMode);
  texture.mipmapLevelBias = p.mipmapLevelBias;
  texture.minMipmapLevelClamp = p.minMipmapLevelClamp;
  texture.maxMipmapLevelClamp = p.maxMipmapLevelClamp;
  std::copy_n(p.borderColor, 4, texture.borderColor);
  return texture;
}

cudaTextureDesc texture_of(const CUDA_TEXTURE_DESC& texture) {
  cudaTextureDesc p = {};
  for (unsigned d = 0; d < 3; ++d) p.addressMode[d] = static_cast<cudaTextureAddressMode>(texture.addressMode[d]);
  p.filterMode = static_cast<cudaTextureFilterMode>(texture.filterMode);
  p.readMode = texture.flags & read_as_integer ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  p.normalizedCoords = texture.flags & normalized_coordinates ? 1 : 0;
  p.sRGB = texture.flags & read_as_srgb ? 1 : 0;
  p.seamlessCubemap = texture.flags & seamless_cube ? 1 : 0;
  p.maxAnisotropy = texture.maxAnisotropy;
  p.mipmapFilterMode = static_cast<cudaTextureFilterMode>(texture.mipmapFilterMode);
  p.mipmapLevelBias = texture.mipmapLevelBias;
  p.minMipmapLevelClamp = texture.minMipmapLevelClamp;
  p.maxMipmapLevelClamp = texture.maxMipmapLevelClamp;
  std::copy_n(texture.borderColor, 4, p.borderColor);
  return p;
}

// `bytes`: of the description that the program has.
cudaError_t create(const char* function, cudaTextureObject_t* made, const cudaResourceDesc* resource,
                   const cudaTextureDesc* texture, const cudaResourceViewDesc* view, std::size_t bytes) {
  return with_context(function, [&](Context& context) {
    require(made && texture, cudaErrorInvalidValue, "no place for the texture, or no description of it");
    cudaTextureDesc own = {};
    std::memcpy(&own, texture, bytes);
    require(own.readMode == cudaReadModeElementType || own.readMode == cudaReadModeNormalizedFloat,
            cudaErrorInvalidValue, "there is no such way of reading");
    CUDA_RESOURCE_VIEW_DESC seen = {};
    if (view) {
      seen.format = view->format;
      seen.width = view->width;
      seen.height = view->height;
      seen.depth = view->depth;
      seen.firstMipmapLevel = view->firstMipmapLevel;
      seen.lastMipmapLevel = view->lastMipmapLevel;
      seen.firstLayer = view->firstLayer;
      seen.lastLayer = view->lastLayer;
    }
    *made = make_texture(context, resource_of(resource), texture_of(own), view ? &seen : nullptr);
  });
}

cudaError_t describe(const char* function, cudaTextureDesc* p, cudaTextureObject_t texture, std::size_t bytes) {
  return with_context(function, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the description");
    const cudaTextureDesc own = texture_of(object_of(context, texture, false).texture);
    std::memcpy(p, &own, bytes);
  });
}

cudaError_t describe_resource(const char* function, cudaResourceDesc* p, std::uint64_t handle, bool is_surface) {
  return with_context(function, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the description");
    *p = resource_of(object_of(context, handle, is_surface).resource);
  });
}

}  // namespace

HEDDLE_CUDA_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* made, const cudaResourceDesc* resource,
                                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  HEDDLE_ARGUMENTS(made, resource, texture, view);
  return create(__func__, made, resource, texture, view, description_bytes);
}
HEDDLE_CUDA_API cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t* made, const cudaResourceDesc* resource,
                                                       const cudaTextureDesc* texture,
                                                       const cudaResourceViewDesc* view) {
  HEDDLE_ARGUMENTS(made, resource, texture, view);
  return create(__func__, made, resource, texture, view, sizeof(cudaTextureDesc));
}
HEDDLE_CUDA_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  HEDDLE_ARGUMENTS(texture);
  return with_context(__func__, [&](Context& context) { destroy_object(context, texture, false); });
}
HEDDLE_CUDA_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* p, cudaTextureObject_t texture) {
  HEDDLE_ARGUMENTS(p, texture);
  return describe_resource(__func__, p, texture, false);
}
HEDDLE_CUDA_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* p, cudaTextureObject_t texture) {
  HEDDLE_ARGUMENTS(p, texture);
  return describe(__func__, p, texture, description_bytes);
}
HEDDLE_CUDA_API cudaError_t cudaGetTextureObjectTextureDesc_v2(cudaTextureDesc* p, cudaTextureObject_t texture) {
  HEDDLE_ARGUMENTS(p, texture);
  return describe(__func__, p, texture, sizeof(cudaTextureDesc));
}
HEDDLE_CUDA_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* p, cudaTextureObject_t texture) {
  HEDDLE_ARGUMENTS(p, texture);
  return with_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the description");
    const ImageObject object = object_of(context, texture, false);
    require(object.view.has_value(), cudaErrorInvalidValue, "the texture was made without a view");
    const CUDA_RESOURCE_VIEW_DESC& view = *object.view;
    *p = {static_cast<cudaResourceViewFormat>(view.format),
          view.width,
          view.height,
          view.depth,
          view.firstMipmapLevel,
          view.lastMipmapLevel,
          view.firstLayer,
          view.lastLayer};
  });
}

HEDDLE_CUDA_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* made, const cudaResourceDesc* resource) {
  HEDDLE_ARGUMENTS(made, resource);
  return with_context(__func__, [&](Context& context) {
    require(made, cudaErrorInvalidValue, "no place for the surface");
    *made = make_surface(context, resource_of(resource));
  });
}
HEDDLE_CUDA_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  HEDDLE_ARGUMENTS(surface);
  return with_context(__func__, [&](Context& context) { destroy_object(context, surface, true); });
}
HEDDLE_CUDA_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* p, cudaSurfaceObject_t surface) {
  HEDDLE_ARGUMENTS(p, surface);
  return describe_resource(__func__, p, surface, true);
}

HEDDLE_CUDA_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, const cudaChannelFormatDesc* desc,
                                                                 int device) {
  HEDDLE_ARGUMENTS(texels, desc, device);
  return guarded(__func__, [&] {
    require(texels && desc, cudaErrorInvalidValue, "no place for the width, or no description of the channels");
    channel_format(*desc);
    textures_of(Process::get().context(device));
    constexpr std::size_t most = std::size_t{1} << 28;
    *texels = most;
  });
}
