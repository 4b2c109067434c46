#include "cuda_api/core/array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/thread_safety.hpp"
#include "cuda_api/core/allocation.hpp"
#include "cuda_api/core/box.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/texel_format.hpp"

namespace heddle::cuda_api {
namespace {

constexpr unsigned flag_layered = 1, flag_surface = 2, flag_cube = 4, flag_gather = 8, flag_color = 0x20;
constexpr unsigned known_flags = flag_layered | flag_surface | flag_cube | flag_gather | flag_color;

// All arrays of the process. Never destroyed, as the process's state is not.
struct Arrays {
  heddle::base::Mutex mutex;
  std::map<const CUarray_st*, std::unique_ptr<CUarray_st>> plain HEDDLE_GUARDED_BY(mutex);
  std::map<const CUmipmappedArray_st*, std::unique_ptr<CUmipmappedArray_st>> mipmapped HEDDLE_GUARDED_BY(mutex);
};
Arrays& arrays() {
  static Arrays* const made = new Arrays;
  return *made;
}

[[noreturn]] void invalid(const std::string& what) { throw Failure(cudaErrorInvalidValue, what); }

// Shape and layers of an array that is asked for so; its levels have no memory yet.
heddle::Image shape_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  if (d.Flags & ~known_flags)
    throw Failure(cudaErrorNotSupported,
                  fmt::format("an array with the flags {:#x} (sparse, or with deferred memory) is not supported by "
                              "Heddle",
                              d.Flags));
  constexpr std::size_t most = std::size_t{1} << 28;
  if (d.Width == 0 || d.Width > most || d.Height > most || d.Depth > most)
    invalid(fmt::format("an array of {} x {} x {}", d.Width, d.Height, d.Depth));
  heddle::Image image;
  image.format = texel_format(d.Format, d.NumChannels);
  const bool cube = d.Flags & flag_cube;
  image.layered = d.Flags & flag_layered;
  if (cube && (d.Width != d.Height || d.Depth == 0 || d.Depth % 6 != 0 || (!image.layered && d.Depth != 6)))
    invalid(fmt::format("a cube of {} x {} with {} faces: faces are squares, six for each cube", d.Width, d.Height,
                        d.Depth));
  if (image.layered && d.Depth == 0) invalid("an array with layers has at least one");
  if (!image.layered && d.Depth != 0 && d.Height == 0) invalid("an array of three dimensions has a height");
  image.shape = cube                            ? heddle::ImageShape::cube
                : image.layered || d.Depth == 0 ? (d.Height == 0 ? heddle::ImageShape::one : heddle::ImageShape::two)
                                                : heddle::ImageShape::three;
  if (image.layered || cube) image.layers = static_cast<std::uint32_t>(d.Depth);
  heddle::ImageLevel& first = image.level[0];
  first.width = static_cast<std::uint32_t>(d.Width);
  first.height = static_cast<std::uint32_t>(std::max<std::size_t>(d.Height, 1));
  first.depth = image.shape == heddle::ImageShape::three ? static_cast<std::uint32_t>(d.Depth) : 1;
  return image;
}

// Sets the sizes of all levels, and their places from an address on. Returns the bytes of all of them.
std::size_t lay_out(heddle::Image& image, std::uint64_t address) {
  constexpr std::uint64_t alignment = 512;
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < image.levels; ++i) {
    heddle::ImageLevel& level = image.level[i];
    const auto smaller = [&](std::uint32_t size) { return std::max(size >> i, 1u); };
    if (i > 0) {
      level = image.level[0];
      level.width = smaller(level.width);
      level.height = smaller(level.height);
      level.depth = smaller(level.depth);
    }
    level.row_bytes = std::uint64_t{level.width} * image.format.bytes();
    level.slice_bytes = level.row_bytes * level.height;
    level.address = address + at;
    const std::uint64_t slices = image.shape == heddle::ImageShape::three ? level.depth : image.layers;
    if (slices > (std::uint64_t{1} << 50) / level.slice_bytes) invalid("an array of more bytes than can be addressed");
    at = (at + slices * level.slice_bytes + alignment - 1) / alignment * alignment;
  }
  return at;
}

void* allocate_image(Context& context, heddle::Image& image) {
  const std::size_t bytes = lay_out(image, 0);
  void* const memory = allocate(context, bytes, BlockKind::device);
  lay_out(image, reinterpret_cast<std::uint64_t>(memory));
  return memory;
}

unsigned most_levels(const heddle::ImageLevel& first) {
  unsigned levels = 1;
  for (std::uint32_t size = std::max({first.width, first.height, first.depth}); size > 1; size >>= 1) ++levels;
  return std::min(levels, heddle::Image::most_levels);
}

std::unique_ptr<CUarray_st> single_level(const CUmipmappedArray_st& all, std::uint32_t number) {
  auto array = std::make_unique<CUarray_st>();
  array->image = all.image;
  array->image.levels = 1;
  array->image.level[0] = all.image.level[number];
  array->descriptor = all.descriptor;
  const heddle::ImageLevel& level = array->image.level[0];
  array->descriptor.Width = level.width;
  if (all.descriptor.Height != 0) array->descriptor.Height = level.height;
  if (all.image.shape == heddle::ImageShape::three) array->descriptor.Depth = level.depth;
  array->device = all.device;
  array->owner = all.owner;
  return array;
}

}  // namespace

heddle::TextureTable& textures_of(const Context& context) {
  heddle::TextureTable* const table = context.device().textures();
  if (!table)
    throw Failure(
        cudaErrorNotSupported,
        fmt::format("arrays, textures and surfaces on {} are not supported by Heddle's CUDA runtime; programs "
                    "that keep NVIDIA's runtime have them",
                    context.info().id));
  return *table;
}

CUarray make_array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  textures_of(context);
  auto array = std::make_unique<CUarray_st>();
  array->descriptor = descriptor;
  array->image = shape_of(descriptor);
  array->memory = allocate_image(context, array->image);
  array->device = context.number();
  array->owner = context.slot();
  const heddle::base::Lock lock(arrays().mutex);
  CUarray_st* const made = array.get();
  arrays().plain.emplace(made, std::move(array));
  return made;
}

CUmipmappedArray make_mipmapped_array(Context& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels) {
  textures_of(context);
  if (levels == 0) invalid("a mipmapped array without levels");
  auto array = std::make_unique<CUmipmappedArray_st>();
  array->descriptor = descriptor;
  array->image = shape_of(descriptor);
  array->image.levels = std::min(levels, most_levels(array->image.level[0]));
  array->memory = allocate_image(context, array->image);
  array->device = context.number();
  array->owner = context.slot();
  for (std::uint32_t i = 0; i < array->image.levels; ++i) array->levels.push_back(single_level(*array, i));
  const heddle::base::Lock lock(arrays().mutex);
  CUmipmappedArray_st* const made = array.get();
  arrays().mipmapped.emplace(made, std::move(array));
  return made;
}

CUarray_st& array_of(CUarray array) {
  const heddle::base::Lock lock(arrays().mutex);
  if (const auto found = arrays().plain.find(array); found != arrays().plain.end()) return *found->second;
  for (const auto& [key, mipmapped] : arrays().mipmapped)
    for (const auto& level : mipmapped->levels)
      if (level.get() == array) return *level;
  throw Failure(cudaErrorInvalidResourceHandle, "the array was not made, or was destroyed");
}

CUmipmappedArray_st& array_of(CUmipmappedArray array) {
  const heddle::base::Lock lock(arrays().mutex);
  const auto found = arrays().mipmapped.find(array);
  if (found == arrays().mipmapped.end())
    throw Failure(cudaErrorInvalidResourceHandle, "the mipmapped array was not made, or was destroyed");
  return *found->second;
}

CUarray level_of(CUmipmappedArray array, unsigned level) {
  const CUmipmappedArray_st& all = array_of(array);
  if (level >= all.levels.size())
    invalid(fmt::format("level {} of a mipmapped array that has {}", level, all.levels.size()));
  return all.levels[level].get();
}

void destroy_array(CUarray array) {
  if (!array) return;
  void* const memory = array_of(array).memory;
  if (!memory) invalid("a level of a mipmapped array, which is destroyed with all of it");
  release(memory, false, "the end of an array");
  const heddle::base::Lock lock(arrays().mutex);
  arrays().plain.erase(array);
}

void destroy_array(CUmipmappedArray array) {
  if (!array) return;
  release(array_of(array).memory, false, "the end of a mipmapped array");
  const heddle::base::Lock lock(arrays().mutex);
  arrays().mipmapped.erase(array);
}

void forget_arrays(const Context& context) {
  const heddle::base::Lock lock(arrays().mutex);
  std::erase_if(arrays().plain, [&](const auto& one) { return one.second->owner == context.slot(); });
  std::erase_if(arrays().mipmapped, [&](const auto& one) { return one.second->owner == context.slot(); });
}

BoxEnd end_in(const CUarray_st& array, std::size_t x, std::size_t y, std::size_t z, const BoxSize& size) {
  const heddle::ImageLevel& level = array.image.level[0];
  const std::size_t slices = array.image.shape == heddle::ImageShape::three ? level.depth : array.image.layers;
  const auto within = [](std::size_t begin, std::size_t count, std::size_t all) {
    return begin <= all && count <= all - begin;
  };
  if (!within(x, size.width, level.row_bytes) || !within(y, size.height, level.height) ||
      !within(z, size.depth, slices))
    invalid(fmt::format("a copy of {} bytes x {} x {} from ({}, {}, {}) on in an array of {} bytes x {} x {}",
                        size.width, size.height, size.depth, x, y, z, level.row_bytes, level.height, slices));
  return {reinterpret_cast<void*>(level.address + z * level.slice_bytes + y * level.row_bytes + x), level.row_bytes,
          level.slice_bytes};
}

void* part_of(const CUarray_st& array, std::size_t x, std::size_t y, std::size_t size) {
  const heddle::ImageLevel& level = array.image.level[0];
  const std::uint64_t slices = array.image.shape == heddle::ImageShape::three ? level.depth : array.image.layers;
  const std::uint64_t all = level.slice_bytes * slices, begin = y * level.row_bytes + x;
  if (x > level.row_bytes || y > level.height * slices || begin > all || size > all - begin)
    invalid(fmt::format("a copy of {} bytes from ({}, {}) on in an array of {} bytes", size, x, y, all));
  return reinterpret_cast<void*>(level.address + begin);
}

cudaMemcpy3DParms without_arrays(const cudaMemcpy3DParms& p) {
  if (!p.srcArray && !p.dstArray) return p;
  const auto array = [](cudaArray_t of) { return of ? &array_of(reinterpret_cast<CUarray>(of)) : nullptr; };
  const CUarray_st *from = array(p.srcArray), *to = array(p.dstArray);
  const std::size_t texel = (from ? from : to)->image.format.bytes();
  if (from && to && to->image.format.bytes() != texel)
    invalid("a copy between arrays whose texels have different sizes");
  cudaMemcpy3DParms plain = p;
  plain.srcArray = plain.dstArray = nullptr;
  plain.extent.width = times(plain.extent.width, texel);
  const auto end = [&](const CUarray_st& of, const cudaPos& at) -> cudaPitchedPtr {
    const BoxEnd found =
        end_in(of, times(at.x, texel), at.y, at.z, {plain.extent.width, p.extent.height, p.extent.depth});
    return {found.address, found.row, plain.extent.width, found.plane / found.row};
  };
  if (from) {
    plain.srcPtr = end(*from, p.srcPos);
    plain.srcPos = {};
  }
  if (to) {
    plain.dstPtr = end(*to, p.dstPos);
    plain.dstPos = {};
  }
  return plain;
}

}  // namespace heddle::cuda_api
