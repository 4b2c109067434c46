// What txq and suq tell (PTX ISA, "Texture Instructions: txq"): formats by OpenCL's numbers (cl.h), modes by the PTX
// ISA's.
#include <algorithm>

#include "texture/sample.hpp"

namespace heddle::texture {
namespace {

std::uint64_t data_type(const TexelFormat& format) {
  const unsigned step = format.bits == 8 ? 0 : format.bits == 16 ? 1 : 2;
  switch (format.kind) {
    case ChannelKind::signed_normalized: return 0x10d0 + step;
    case ChannelKind::unsigned_normalized: return 0x10d2 + step;
    case ChannelKind::signed_integer: return 0x10d7 + step;
    case ChannelKind::unsigned_integer: return 0x10da + step;
    case ChannelKind::floating: break;
  }
  return format.bits == 16 ? 0x10dd : 0x10de;
}

std::uint64_t channel_order(unsigned channels) { return channels == 1 ? 0x10b0 : channels == 2 ? 0x10b2 : 0x10b5; }

std::uint64_t address_mode(AddressMode mode) {
  switch (mode) {
    case AddressMode::wrap: return 0;
    case AddressMode::mirror: return 1;
    case AddressMode::clamp: return 2;  // to the edge
    case AddressMode::border: break;
  }
  return 3;
}

}  // namespace

std::uint64_t answer_kind(const Texture* texture, Query query) {
  if (!texture) return 0;
  if (query == Query::is_texture) return texture->use == Use::texture;
  return query == Query::is_surface && texture->use == Use::surface;
}

std::uint64_t answer(const Texture& texture, const Operation& operation, const std::uint64_t* arguments) {
  const Image& image = texture.image;
  const Sampler& sampler = texture.sampler;
  std::uint32_t level = 0;
  if (operation.level == LevelBy::level)
    level = static_cast<std::uint32_t>(std::min<std::uint64_t>(arguments[0], image.levels - 1));
  const ImageLevel& at = image.level[level];
  switch (operation.query) {
    case Query::width: return at.width;
    case Query::height: return image.shape == ImageShape::one || image.shape == ImageShape::linear ? 0 : at.height;
    case Query::depth: return image.shape == ImageShape::three ? at.depth : 0;
    case Query::channel_data_type: return data_type(image.format);
    case Query::channel_order: return channel_order(image.format.channels);
    case Query::normalized_coordinates: return sampler.normalized_coordinates;
    case Query::array_size: return image.layered ? image.layers : 0;
    case Query::levels: return image.levels;
    case Query::samples: return 1;
    case Query::memory_layout: return 0;
    case Query::unnormalized_forced: return 0;
    case Query::filter_mode: return sampler.filter == TexelFilter::linear;
    case Query::address_mode_0: return address_mode(sampler.address[0]);
    case Query::address_mode_1: return address_mode(sampler.address[1]);
    case Query::address_mode_2: return address_mode(sampler.address[2]);
    case Query::is_texture:
    case Query::is_sampler:
    case Query::is_surface: return answer_kind(&texture, operation.query);
  }
  return 0;
}

}  // namespace heddle::texture
