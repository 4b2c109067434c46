// Texture and surface objects: what a kernel reads and writes images by.
#pragma once

#include <cstdint>
#include <optional>

#include "cuda_api/abi/driver.hpp"
#include "cuda_api/core/context.hpp"

namespace heddle::cuda_api {

// What an object was made from.
struct ImageObject {
  CUDA_RESOURCE_DESC resource = {};
  CUDA_TEXTURE_DESC texture = {};  // of a texture
  std::optional<CUDA_RESOURCE_VIEW_DESC> view;
  bool is_surface = false;
  int owner = 0;
};

// Flags of CUDA_TEXTURE_DESC.
inline constexpr unsigned read_as_integer = 0x01, normalized_coordinates = 0x02, read_as_srgb = 0x10,
                          seamless_cube = 0x40;

// Throw cudaErrorInvalidValue for what makes no sense, cudaErrorInvalidResourceHandle for arrays that do not exist,
// cudaErrorNotSupported on devices without textures.
std::uint64_t make_texture(Context& context, const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& texture,
                           const CUDA_RESOURCE_VIEW_DESC* view);
std::uint64_t make_surface(Context& context, const CUDA_RESOURCE_DESC& resource);
// Throw cudaErrorInvalidValue if the context's device has no such object. Destroying 0 does nothing.
void destroy_object(Context& context, std::uint64_t handle, bool is_surface);
ImageObject object_of(Context& context, std::uint64_t handle, bool is_surface);
// The context's objects are gone.
void forget_objects(const Context& context);

}  // namespace heddle::cuda_api
