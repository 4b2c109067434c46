#include "texture/sample.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "texture/coordinate.hpp"
#include "texture/cube.hpp"
#include "texture/half.hpp"
#include "texture/texel.hpp"

namespace heddle::texture {
namespace {

float real_of(std::uint64_t word) { return std::bit_cast<float>(static_cast<std::uint32_t>(word)); }
std::int64_t integer_of(std::uint64_t word) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(word)); }

// The arguments of one thread, taken apart.
struct Arguments {
  std::uint32_t layer = 0;
  std::array<std::uint64_t, 3> coordinate{};
  std::array<std::int64_t, 3> offset{};
  std::array<float, 6> gradient{};  // by x, then by y
  float level = 0;

  Arguments(const Operation& operation, const std::uint64_t* word) {
    const unsigned n = operation.dimensions();
    if (operation.layered) layer = static_cast<std::uint32_t>(*word++);
    for (unsigned d = 0; d < n; ++d) coordinate[d] = *word++;
    if (operation.level == LevelBy::level) {
      level = operation.integer_level ? static_cast<float>(integer_of(*word)) : real_of(*word);
      ++word;
    } else if (operation.level == LevelBy::gradient) {
      for (unsigned i = 0; i < 2; ++i)
        for (unsigned d = 0; d < n; ++d) gradient[3 * i + d] = real_of(*word++);
    }
    for (unsigned d = 0; d < operation.offsets(); ++d) offset[d] = integer_of(*word++);
  }
};

// The places of one thread's texels on one level.
class LevelReader {
 public:
  LevelReader(const Texture& texture, const Operation& operation, const Arguments& arguments, unsigned level,
              Taps& taps)
      : texture_(texture),
        operation_(operation),
        arguments_(arguments),
        image_(texture.image),
        level_(texture.image.level[level]),
        taps_(taps) {}

  void read(double weight) {
    if (operation_.geometry == Geometry::cube) return read_cube(weight);
    const std::uint32_t size[3] = {level_.width, level_.height, level_.depth};
    const unsigned n = operation_.dimensions();
    AxisTaps axes[3];
    for (unsigned d = 0; d < n; ++d) axes[d] = axis(d, size[d]);
    const std::int64_t layer =
        image_.layered ? std::min<std::int64_t>(arguments_.layer, std::int64_t{image_.layers} - 1) : 0;
    if (operation_.kind == Kind::gather) {
      for (const auto& [i, j] : gathered) add(axes[0].index[i], axes[1].index[j], layer, 1);
      return;
    }
    combine(axes, n, layer, weight);
  }

 private:
  // The order of tld4: counter-clockwise, from the lower left texel.
  static constexpr unsigned gathered[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};

  TexelFilter filter() const {
    if (operation_.kind == Kind::gather) return TexelFilter::linear;
    return reads_reals(image_.format, texture_.sampler.normalized_values) ? texture_.sampler.filter
                                                                          : TexelFilter::point;
  }

  AxisTaps axis(unsigned d, std::uint32_t size) const {
    const std::uint64_t word = arguments_.coordinate[d];
    const AddressMode mode =
        image_.shape == ImageShape::linear ? AddressMode::border : effective_mode(texture_.sampler, d);
    if (operation_.integer_coordinates) {
      AxisTaps taps;
      taps.plain[0] = taps.plain[1] = integer_of(word) + arguments_.offset[d];
      taps.index[0] = taps.index[1] = address_index(taps.plain[0], size, mode);
      return taps;
    }
    return axis_taps(real_of(word), arguments_.offset[d], size, mode, texture_.sampler.normalized_coordinates,
                     filter());
  }

  void combine(const AxisTaps (&axes)[3], unsigned n, std::int64_t layer, double weight) {
    const bool point = axes[0].weight == 0 && axes[1].weight == 0 && axes[2].weight == 0;
    for (unsigned corner = 0; corner < (point ? 1u : 1u << n); ++corner) {
      double part = weight;
      std::int64_t at[3] = {0, 0, 0};
      for (unsigned d = 0; d < n; ++d) {
        const unsigned side = corner >> d & 1u;
        part *= side ? axes[d].weight : 1 - axes[d].weight;
        at[d] = axes[d].index[side];
      }
      if (part != 0) add(at[0], at[1], n == 3 ? at[2] : layer, part);
    }
  }

  void add(std::int64_t x, std::int64_t y, std::int64_t slice, double weight) {
    if (x == outside || y == outside || slice == outside) return taps_.add(0, weight);
    taps_.add(level_.address + static_cast<std::uint64_t>(slice) * level_.slice_bytes +
                  static_cast<std::uint64_t>(y) * level_.row_bytes +
                  static_cast<std::uint64_t>(x) * image_.format.bytes(),
              weight);
  }

  void read_cube(double weight) {
    const auto x = [&](unsigned d) { return static_cast<double>(real_of(arguments_.coordinate[d])); };
    const FacePoint point = face_of(x(0), x(1), x(2));
    const std::uint32_t cubes = std::max(1u, image_.layers / 6);
    const std::int64_t first = 6 * std::int64_t{std::min(arguments_.layer, cubes - 1)};
    const AxisTaps s = face_axis(point.s), t = face_axis(point.t);
    if (operation_.kind == Kind::gather) {
      for (const auto& [i, j] : gathered) add_of_face(first, point.face, s.plain[i], t.plain[j], 1);
      return;
    }
    for (unsigned corner = 0; corner < 4; ++corner) {
      const unsigned i = corner & 1u, j = corner >> 1;
      const double part = weight * (i ? s.weight : 1 - s.weight) * (j ? t.weight : 1 - t.weight);
      if (part != 0) add_of_face(first, point.face, s.plain[i], t.plain[j], part);
    }
  }

  AxisTaps face_axis(double at) const {
    return axis_taps(static_cast<float>(at), 0, level_.width, AddressMode::clamp, true, filter());
  }

  void add_of_face(std::int64_t first, unsigned face, std::int64_t i, std::int64_t j, double weight) {
    const auto size = static_cast<std::int64_t>(level_.width);
    const auto held = [&](std::int64_t index) { return std::clamp<std::int64_t>(index, 0, size - 1); };
    const bool beside = i != held(i), above = j != held(j);
    if (!texture_.sampler.seamless || (!beside && !above) || operation_.kind == Kind::gather)
      return add(held(i), held(j), first + face, weight);
    const auto add_behind = [&](std::int64_t x, std::int64_t y, double part) {
      const FaceTexel texel = behind_edge(face, x, y, level_.width);
      add(texel.i, texel.j, first + texel.face, part);
    };
    if (beside && above) {  // three faces meet: the mean of their texels
      add(held(i), held(j), first + face, weight / 3);
      add_behind(i, held(j), weight / 3);
      add_behind(held(i), j, weight / 3);
      return;
    }
    add_behind(i, j, weight);
  }

  const Texture& texture_;
  const Operation& operation_;
  const Arguments& arguments_;
  const Image& image_;
  const ImageLevel& level_;
  Taps& taps_;
};

// The level of detail that gradients ask for: the logarithm of the longer one, in texels of the first level (Vulkan and
// OpenGL call it isotropic filtering).
float level_of(const Texture& texture, const Operation& operation, const Arguments& arguments) {
  const ImageLevel& first = texture.image.level[0];
  const bool cube = operation.geometry == Geometry::cube;
  const double sizes[3] = {static_cast<double>(first.width), static_cast<double>(cube ? first.width : first.height),
                           static_cast<double>(cube ? first.width : first.depth)};
  double scale = 1;
  if (cube) {
    const auto x = [&](unsigned d) { return static_cast<double>(real_of(arguments.coordinate[d])); };
    scale = 0.5 / face_of(x(0), x(1), x(2)).axis;
  }
  double longest = 0;
  for (unsigned i = 0; i < 2; ++i) {
    double sum = 0;
    for (unsigned d = 0; d < operation.dimensions(); ++d) {
      const double in_texels = texture.sampler.normalized_coordinates || cube ? sizes[d] * scale : 1;
      const double part = static_cast<double>(arguments.gradient[3 * i + d]) * in_texels;
      sum += part * part;
    }
    longest = std::max(longest, std::sqrt(sum));
  }
  if (longest == 0) return std::numeric_limits<float>::lowest();
  return static_cast<float>(std::log2(longest));
}

void read_levels(const Texture& texture, const Operation& operation, const Arguments& arguments, Taps& taps) {
  if (texture.image.levels == 1) return LevelReader(texture, operation, arguments, 0, taps).read(1);
  const Sampler& sampler = texture.sampler;
  const auto last = static_cast<double>(texture.image.levels - 1);
  double level = operation.level == LevelBy::gradient ? level_of(texture, operation, arguments) : arguments.level;
  level = std::isnan(level) ? 0 : level + static_cast<double>(sampler.level_bias);
  level = std::clamp(level, static_cast<double>(sampler.least_level),
                     std::max(static_cast<double>(sampler.least_level), static_cast<double>(sampler.most_level)));
  level = std::clamp(level, 0.0, last);
  const auto read = [&](double number, double weight) {
    LevelReader(texture, operation, arguments, static_cast<unsigned>(number), taps).read(weight);
  };
  const bool filters =
      sampler.level_filter == TexelFilter::linear && reads_reals(texture.image.format, sampler.normalized_values);
  if (!filters) return read(std::floor(level + 0.5), 1);
  const double below = std::floor(level), weight = fixed_weight(level - below);
  if (weight < 1) read(below, 1 - weight);
  if (weight > 0) read(below + 1, weight);
}

std::uint64_t packed_pair(float low, float high) {
  return float_to_half(low) | static_cast<std::uint64_t>(float_to_half(high)) << 16;
}

Words result_of(const Operation& operation, const std::array<float, 4>& values) {
  switch (operation.result) {
    case Result::half:
      return {float_to_half(values[0]), float_to_half(values[1]), float_to_half(values[2]), float_to_half(values[3])};
    case Result::half_pairs: return {packed_pair(values[0], values[1]), packed_pair(values[2], values[3]), 0, 0};
    case Result::words: break;
  }
  Words words;
  for (unsigned c = 0; c < 4; ++c) words[c] = std::bit_cast<std::uint32_t>(values[c]);
  return words;
}

// What the border holds, as integers.
std::uint32_t border_word(float value) {
  const double held = std::isnan(value) ? 0.0 : std::clamp(static_cast<double>(value), -2147483648.0, 4294967295.0);
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(held));
}

std::array<float, 4> real_texel(const Texture& texture, const Tap& tap) {
  // Behind the end of plain memory there are zeros.
  if (tap.address == 0)
    return texture.image.shape == ImageShape::linear ? std::array<float, 4>{} : texture.sampler.border;
  return real_channels(texture.image.format, reinterpret_cast<const std::byte*>(tap.address),
                       texture.sampler.normalized_values, texture.sampler.srgb);
}

std::array<std::uint32_t, 4> integer_texel(const Texture& texture, const Tap& tap) {
  if (tap.address != 0) return integer_channels(texture.image.format, reinterpret_cast<const std::byte*>(tap.address));
  std::array<std::uint32_t, 4> words{};
  if (texture.image.shape != ImageShape::linear)
    for (unsigned c = 0; c < 4; ++c) words[c] = border_word(texture.sampler.border[c]);
  return words;
}

}  // namespace

Taps find_taps(const Texture& texture, const Operation& operation, const std::uint64_t* arguments) {
  Taps taps;
  const Arguments own(operation, arguments);
  if (operation.kind == Kind::gather) {
    LevelReader(texture, operation, own, 0, taps).read(1);
  } else {
    read_levels(texture, operation, own, taps);
  }
  return taps;
}

Words read_taps(const Texture& texture, const Operation& operation, const Taps& taps) {
  const bool reals = reads_reals(texture.image.format, texture.sampler.normalized_values);
  if (operation.kind == Kind::gather) {
    Words words{};
    for (unsigned i = 0; i < taps.count; ++i)
      words[i] = reals ? std::bit_cast<std::uint32_t>(real_texel(texture, taps.taps[i])[operation.component])
                       : integer_texel(texture, taps.taps[i])[operation.component];
    return words;
  }
  if (!reals) {
    const auto channels = integer_texel(texture, taps.taps[0]);
    return {channels[0], channels[1], channels[2], channels[3]};
  }
  if (taps.count == 1) return result_of(operation, real_texel(texture, taps.taps[0]));
  std::array<double, 4> sums{};
  for (const Tap& tap : taps.all()) {
    const auto values = real_texel(texture, tap);
    for (unsigned c = 0; c < 4; ++c) sums[c] += tap.weight * static_cast<double>(values[c]);
  }
  std::array<float, 4> values;
  for (unsigned c = 0; c < 4; ++c) values[c] = static_cast<float>(sums[c]);
  return result_of(operation, values);
}

}  // namespace heddle::texture
