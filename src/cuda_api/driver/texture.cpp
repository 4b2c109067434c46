// Texture and surface objects.
#include "cuda_api/core/array.hpp"
#include "cuda_api/core/texel_format.hpp"
#include "cuda_api/core/texture_object.hpp"
#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

CUresult describe_resource(const char* name, CUDA_RESOURCE_DESC* p, std::uint64_t handle, bool is_surface) {
  return in_context(name, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the description");
    *p = object_of(context, handle, is_surface).resource;
  });
}

}  // namespace

HEDDLE_DRIVER_API cuTexObjectCreate(CUtexObject* made, const CUDA_RESOURCE_DESC* resource,
                                    const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  HEDDLE_ARGUMENTS(made, resource, texture, view);
  return in_context(__func__, [&](Context& context) {
    require(made && resource && texture, cudaErrorInvalidValue, "no place for the texture, or no description of it");
    *made = make_texture(context, *resource, *texture, view);
  });
}
HEDDLE_DRIVER_API cuTexObjectDestroy(CUtexObject texture) {
  HEDDLE_ARGUMENTS(texture);
  return in_context(__func__, [&](Context& context) { destroy_object(context, texture, false); });
}
HEDDLE_DRIVER_API cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* p, CUtexObject texture) {
  HEDDLE_ARGUMENTS(p, texture);
  return describe_resource(__func__, p, texture, false);
}
HEDDLE_DRIVER_API cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* p, CUtexObject texture) {
  HEDDLE_ARGUMENTS(p, texture);
  return in_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the description");
    *p = object_of(context, texture, false).texture;
  });
}
HEDDLE_DRIVER_API cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* p, CUtexObject texture) {
  HEDDLE_ARGUMENTS(p, texture);
  return in_context(__func__, [&](Context& context) {
    require(p, cudaErrorInvalidValue, "no place for the description");
    const ImageObject object = object_of(context, texture, false);
    require(object.view.has_value(), cudaErrorInvalidValue, "the texture was made without a view");
    *p = *object.view;
  });
}

HEDDLE_DRIVER_API cuSurfObjectCreate(CUsurfObject* made, const CUDA_RESOURCE_DESC* resource) {
  HEDDLE_ARGUMENTS(made, resource);
  return in_context(__func__, [&](Context& context) {
    require(made && resource, cudaErrorInvalidValue, "no place for the surface, or no description of it");
    *made = make_surface(context, *resource);
  });
}
HEDDLE_DRIVER_API cuSurfObjectDestroy(CUsurfObject surface) {
  HEDDLE_ARGUMENTS(surface);
  return in_context(__func__, [&](Context& context) { destroy_object(context, surface, true); });
}
HEDDLE_DRIVER_API cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* p, CUsurfObject surface) {
  HEDDLE_ARGUMENTS(p, surface);
  return describe_resource(__func__, p, surface, true);
}

HEDDLE_DRIVER_API cuDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, CUarray_format format, unsigned channels,
                                                     CUdevice device) {
  HEDDLE_ARGUMENTS(texels, format, channels, device);
  return driver(__func__, [&] {
    require(texels, cudaErrorInvalidValue, "no place for the width");
    texel_format(format, channels);
    textures_of(device_context(device));
    constexpr std::size_t most = std::size_t{1} << 28;
    *texels = most;
  });
}
