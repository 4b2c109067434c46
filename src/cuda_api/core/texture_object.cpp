#include "cuda_api/core/texture_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/thread_safety.hpp"
#include "cuda_api/core/array.hpp"
#include "cuda_api/core/box.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/texel_format.hpp"

namespace heddle::cuda_api {
namespace {

constexpr unsigned surface_access = 2;  // CUDA_ARRAY3D_SURFACE_LDST

// All objects of the process, by the device and the handle. Never destroyed, as the process's state is not.
struct Objects {
  heddle::base::Mutex mutex;
  std::map<std::pair<int, std::uint64_t>, ImageObject> all HEDDLE_GUARDED_BY(mutex);
};
Objects& objects() {
  static Objects* const made = new Objects;
  return *made;
}

[[noreturn]] void invalid(const std::string& what) { throw Failure(cudaErrorInvalidValue, what); }

// Memory of the program's, which must be all of one allocation.
void check_memory(CUdeviceptr address, std::size_t bytes, unsigned texel) {
  const auto block = Process::get().memory.find(address);
  if (!block || bytes > block->size - (address - block->address))
    invalid(fmt::format("a texture of {} bytes at {:#x}, which is not memory of a device", bytes, address));
  if (address % texel != 0)
    invalid(fmt::format("a texture at {:#x}, which is no multiple of its texel's size", address));
}

heddle::Image linear_image(const CUDA_RESOURCE_DESC& resource) {
  const auto& linear = resource.res.linear;
  heddle::Image image;
  image.shape = heddle::ImageShape::linear;
  image.format = texel_format(linear.format, linear.numChannels);
  const std::size_t texels = linear.sizeInBytes / image.format.bytes();
  constexpr std::size_t most = std::size_t{1} << 28;
  if (texels == 0 || texels > most) invalid(fmt::format("a texture of {} texels; there can be 1 to {}", texels, most));
  check_memory(linear.devPtr, linear.sizeInBytes, image.format.bits / 8u);
  heddle::ImageLevel& level = image.level[0];
  level.address = linear.devPtr;
  level.width = static_cast<std::uint32_t>(texels);
  level.row_bytes = level.slice_bytes = linear.sizeInBytes;
  return image;
}

heddle::Image pitched_image(const CUDA_RESOURCE_DESC& resource) {
  const auto& pitched = resource.res.pitch2D;
  heddle::Image image;
  image.shape = heddle::ImageShape::two;
  image.format = texel_format(pitched.format, pitched.numChannels);
  const std::size_t row = pitched.width * image.format.bytes();
  constexpr std::size_t most = std::size_t{1} << 24;
  if (pitched.width == 0 || pitched.height == 0 || pitched.width > most || pitched.height > most ||
      pitched.pitchInBytes < row)
    invalid(fmt::format("a texture of {} x {} texels with {} bytes from row to row", pitched.width, pitched.height,
                        pitched.pitchInBytes));
  check_memory(pitched.devPtr, plus(times(pitched.height - 1, pitched.pitchInBytes), row), image.format.bits / 8u);
  heddle::ImageLevel& level = image.level[0];
  level.address = pitched.devPtr;
  level.width = static_cast<std::uint32_t>(pitched.width);
  level.height = static_cast<std::uint32_t>(pitched.height);
  level.row_bytes = pitched.pitchInBytes;
  level.slice_bytes = pitched.pitchInBytes * pitched.height;
  return image;
}

heddle::Image image_of(const CUDA_RESOURCE_DESC& resource) {
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY: return array_of(resource.res.array.hArray).image;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY: return array_of(resource.res.mipmap.hMipmappedArray).image;
    case CU_RESOURCE_TYPE_LINEAR: return linear_image(resource);
    case CU_RESOURCE_TYPE_PITCH2D: return pitched_image(resource);
  }
  invalid("there is no such kind of resource");
}

// Other texels of the same size, and a part of the levels and layers.
void look_at(heddle::Image& image, const CUDA_RESOURCE_VIEW_DESC& view) {
  if (view.format != 0) {
    const heddle::TexelFormat format = view_format(view.format);
    if (format.bytes() != image.format.bytes()) invalid("a view with texels of another size than the array's");
    image.format = format;
  }
  if (view.firstMipmapLevel > view.lastMipmapLevel || view.lastMipmapLevel >= image.levels)
    invalid(
        fmt::format("a view of the levels {} to {} of {}", view.firstMipmapLevel, view.lastMipmapLevel, image.levels));
  image.levels = view.lastMipmapLevel - view.firstMipmapLevel + 1;
  std::move(image.level.begin() + view.firstMipmapLevel, image.level.begin() + view.lastMipmapLevel + 1,
            image.level.begin());
  if (view.firstLayer == 0 && view.lastLayer == 0) return;
  if (view.firstLayer > view.lastLayer || view.lastLayer >= image.layers)
    invalid(fmt::format("a view of the layers {} to {} of {}", view.firstLayer, view.lastLayer, image.layers));
  image.layers = view.lastLayer - view.firstLayer + 1;
  for (std::uint32_t i = 0; i < image.levels; ++i)
    image.level[i].address += view.firstLayer * image.level[i].slice_bytes;
}

heddle::Sampler sampler_of(const heddle::Image& image, const CUDA_TEXTURE_DESC& texture) {
  heddle::Sampler sampler;
  const bool linear = image.shape == heddle::ImageShape::linear;
  for (unsigned d = 0; d < 3; ++d) {
    if (texture.addressMode[d] < CU_TR_ADDRESS_MODE_WRAP || texture.addressMode[d] > CU_TR_ADDRESS_MODE_BORDER)
      invalid("there is no such addressing mode");
    sampler.address[d] = static_cast<heddle::AddressMode>(texture.addressMode[d]);
  }
  const auto filter = [](CUfilter_mode mode) {
    if (mode != CU_TR_FILTER_MODE_POINT && mode != CU_TR_FILTER_MODE_LINEAR) invalid("there is no such filter");
    return mode == CU_TR_FILTER_MODE_LINEAR ? heddle::TexelFilter::linear : heddle::TexelFilter::point;
  };
  const bool integers = image.format.kind == heddle::ChannelKind::signed_integer ||
                        image.format.kind == heddle::ChannelKind::unsigned_integer;
  sampler.normalized_values = integers && image.format.bits < 32 && !(texture.flags & read_as_integer);
  // Plain memory is read by the number of the texel: modes and filters do not matter.
  if (!linear) {
    sampler.filter = filter(texture.filterMode);
    sampler.normalized_coordinates = texture.flags & normalized_coordinates;
  }
  if (image.levels > 1) sampler.level_filter = filter(texture.mipmapFilterMode);
  sampler.srgb = (texture.flags & read_as_srgb) && image.format.bits == 8 &&
                 (sampler.normalized_values || image.format.kind == heddle::ChannelKind::unsigned_normalized);
  sampler.seamless = texture.flags & seamless_cube;
  std::copy_n(texture.borderColor, 4, sampler.border.begin());
  sampler.level_bias = texture.mipmapLevelBias;
  sampler.least_level = texture.minMipmapLevelClamp;
  sampler.most_level = texture.maxMipmapLevelClamp;
  return sampler;
}

void remember(const Context& context, std::uint64_t handle, ImageObject object) {
  object.owner = context.slot();
  const heddle::base::Lock lock(objects().mutex);
  objects().all.insert_or_assign({context.number(), handle}, std::move(object));
}

}  // namespace

std::uint64_t make_texture(Context& context, const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& texture,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  heddle::TextureTable& table = textures_of(context);
  heddle::Image image = image_of(resource);
  if (view) {
    if (resource.resType != CU_RESOURCE_TYPE_ARRAY && resource.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
      invalid("a view of memory that is no array");
    look_at(image, *view);
  }
  const std::uint64_t handle = table.add_texture(image, sampler_of(image, texture));
  ImageObject object{resource, texture, std::nullopt, false, 0};
  if (view) object.view = *view;
  remember(context, handle, std::move(object));
  return handle;
}

std::uint64_t make_surface(Context& context, const CUDA_RESOURCE_DESC& resource) {
  heddle::TextureTable& table = textures_of(context);
  if (resource.resType != CU_RESOURCE_TYPE_ARRAY) invalid("a surface of something else than an array");
  const CUarray_st& array = array_of(resource.res.array.hArray);
  if (!(array.descriptor.Flags & surface_access))
    invalid("a surface of an array that was not made for it (cudaArraySurfaceLoadStore)");
  const std::uint64_t handle = table.add_surface(array.image);
  remember(context, handle, {resource, {}, std::nullopt, true, 0});
  return handle;
}

ImageObject object_of(Context& context, std::uint64_t handle, bool is_surface) {
  const heddle::base::Lock lock(objects().mutex);
  const auto found = objects().all.find({context.number(), handle});
  if (found == objects().all.end() || found->second.is_surface != is_surface)
    invalid(fmt::format("{:#x} is no {} of the device", handle, is_surface ? "surface" : "texture"));
  return found->second;
}

void destroy_object(Context& context, std::uint64_t handle, bool is_surface) {
  if (handle == 0) return;
  object_of(context, handle, is_surface);
  context.synchronize();  // launches that were made may read it
  const heddle::base::Lock lock(objects().mutex);
  objects().all.erase({context.number(), handle});
  textures_of(context).remove(handle);
}

void forget_objects(const Context& context) {
  const heddle::base::Lock lock(objects().mutex);
  std::erase_if(objects().all, [&](const auto& one) {
    if (one.second.owner != context.slot()) return false;
    context.device().textures()->remove(one.first.second);
    return true;
  });
}

}  // namespace heddle::cuda_api
