#include "texture/table.hpp"

#include "base/fail.hpp"
#include "texture/texel.hpp"

namespace heddle::texture {
namespace {

void check_image(const Image& image) {
  const TexelFormat& format = image.format;
  const bool bits = format.bits == 8 || format.bits == 16 || format.bits == 32;
  const bool channels = format.channels == 1 || format.channels == 2 || format.channels == 4;
  const bool normalized =
      format.kind == ChannelKind::signed_normalized || format.kind == ChannelKind::unsigned_normalized;
  if (!bits || !channels || (format.kind == ChannelKind::floating && format.bits == 8) ||
      (normalized && format.bits == 32))
    base::fail(ErrorCode::invalid_argument, "there are no texels of {} channels with {} bits of this kind",
               unsigned{format.channels}, unsigned{format.bits});
  if (image.levels == 0 || image.levels > Image::most_levels || image.layers == 0)
    base::fail(ErrorCode::invalid_argument,
               "an image has 1 to {} levels and at least one layer; this one has {} and {}", Image::most_levels,
               image.levels, image.layers);
  if (image.shape == ImageShape::cube && image.layers % 6 != 0)
    base::fail(ErrorCode::invalid_argument, "a cube has six faces, and several have whole multiples; this one has {}",
               image.layers);
  for (std::uint32_t i = 0; i < image.levels; ++i) {
    const ImageLevel& level = image.level[i];
    if (level.address == 0 || level.width == 0 || level.height == 0 || level.depth == 0)
      base::fail(ErrorCode::invalid_argument, "level {} of the image has no memory or no texels", i);
    if (image.shape == ImageShape::cube && level.width != level.height)
      base::fail(ErrorCode::invalid_argument, "the faces of a cube are squares; these are {} x {}", level.width,
                 level.height);
  }
}

void check_sampler(const Image& image, const Sampler& sampler) {
  const bool reals = reads_reals(image.format, sampler.normalized_values);
  if (!reals && (sampler.filter == TexelFilter::linear || sampler.level_filter == TexelFilter::linear))
    base::fail(ErrorCode::invalid_argument, "integers cannot be filtered: read them as normalized numbers");
  if (sampler.normalized_values && image.format.bits == 32 && image.format.kind != ChannelKind::floating)
    base::fail(ErrorCode::invalid_argument, "integers of 32 bits cannot be read as normalized numbers");
  if (sampler.srgb && (!reals || image.format.bits != 8))
    base::fail(ErrorCode::invalid_argument, "sRGB is for channels of 8 bits that are read as normalized numbers");
}

}  // namespace

Table::~Table() {
  for (auto& chunk : chunks_) delete chunk.load(std::memory_order_relaxed);
}

std::uint64_t Table::add_texture(const Image& image, const Sampler& sampler) {
  check_image(image);
  check_sampler(image, sampler);
  return add({Use::texture, image, sampler});
}

std::uint64_t Table::add_surface(const Image& image) {
  check_image(image);
  return add({Use::surface, image, {}});
}

std::uint64_t Table::add(const Texture& texture) {
  const heddle::base::Lock lock(mutex_);
  std::uint64_t handle = 0;
  if (!free_.empty()) {
    handle = free_.front();
    free_.pop_front();
  } else {
    if (used_ == slots_of_chunk * most_chunks)
      base::fail(ErrorCode::out_of_memory, "there are {} textures and surfaces, and no room for more", used_);
    if (used_ % slots_of_chunk == 0)
      chunks_[used_ / slots_of_chunk].store(std::make_unique<Chunk>().release(), std::memory_order_release);
    handle = ++used_;
  }
  Slot& place = *slot(handle);
  place.texture = texture;
  place.handle.store(handle, std::memory_order_release);
  return handle;
}

bool Table::remove(std::uint64_t handle) {
  const heddle::base::Lock lock(mutex_);
  Slot* const place = slot(handle);
  if (!place || handle == 0 || place->handle.load(std::memory_order_relaxed) != handle) return false;
  place->handle.store(0, std::memory_order_release);
  free_.push_back(handle + (std::uint64_t{1} << 32));
  return true;
}

Table::Slot* Table::slot(std::uint64_t handle) const {
  const std::uint32_t number = static_cast<std::uint32_t>(handle) - 1;  // 0 becomes too large
  if (number / slots_of_chunk >= most_chunks) return nullptr;
  Chunk* const chunk = chunks_[number / slots_of_chunk].load(std::memory_order_acquire);
  return chunk ? &(*chunk)[number % slots_of_chunk] : nullptr;
}

const Texture* Table::find(std::uint64_t handle) const {
  const Slot* const place = slot(handle);
  if (!place || handle == 0 || place->handle.load(std::memory_order_acquire) != handle) return nullptr;
  return &place->texture;
}

}  // namespace heddle::texture
