#include "device/texture_use.hpp"

#include "ptx/forms.hpp"
#include "ptx/object_instructions.hpp"

namespace heddle::device {

using ptx::Instruction;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;
using texture::Geometry;
using texture::Kind;
using texture::LevelBy;
using texture::Query;

namespace {

constexpr const char* no_comparison = "comparisons of depths in textures are not supported";
constexpr const char* no_samples = "textures with several samples for a texel are not supported";
constexpr const char* no_samplers = "samplers apart from their textures (texmode_independent) are not supported";

class Decoder {
 public:
  explicit Decoder(const Instruction& inst) : inst_(inst), slots_(ptx::slots(inst)) {}

  TextureUse decode() {
    switch (inst_.opcode) {
      case Opcode::tex: sample(Kind::sample); break;
      case Opcode::tld4: sample(Kind::gather); break;
      case Opcode::txq:
      case Opcode::suq: query(); break;
      case Opcode::istypep: query_kind(); break;
      default: access_surface(); break;
    }
    operation().arguments = static_cast<std::uint8_t>(use_.argument_count & 31);
    operation().results = static_cast<std::uint8_t>(use_.result_count & 7);
    return use_;
  }

 private:
  texture::Operation& operation() { return use_.operation; }
  const Operand* at(unsigned slot) const {
    return slot < inst_.operands.size() && inst_.operands[slot].present() ? &inst_.operands[slot] : nullptr;
  }
  void add(const Operand& operand, Type type) { use_.argument_list[use_.argument_count++] = {&operand, type}; }
  // The first `count` elements of a vector; of a scalar operand itself.
  void add_elements(const Operand& operand, unsigned count, Type type) {
    if (operand.kind != OperandKind::vector) return add(operand, type);
    for (unsigned i = 0; i < count && i < operand.elements.size(); ++i) add(operand.elements[i], type);
  }

  // Suffixes that say which coordinates there are.
  void geometry() {
    for (const Modifier m : inst_.modifiers) switch (m) {
        case Modifier::a1d: operation().layered = true; [[fallthrough]];
        case Modifier::dim_1d: operation().geometry = Geometry::one; break;
        case Modifier::a2d: operation().layered = true; [[fallthrough]];
        case Modifier::dim_2d: operation().geometry = Geometry::two; break;
        case Modifier::dim_3d: operation().geometry = Geometry::three; break;
        case Modifier::acube: operation().layered = true; [[fallthrough]];
        case Modifier::cube: operation().geometry = Geometry::cube; break;
        case Modifier::dim_2dms:
        case Modifier::a2dms: use_.refusal = no_samples; break;
        default: break;
      }
  }

  void address(unsigned slot) {
    use_.object = &inst_.operands[slot];
    const auto& elements = use_.object->elements;
    if (elements.size() > 1) use_.refusal = no_samplers;
    if (!elements.empty())
      add_elements(elements.back(), operation().dimensions() + (operation().layered ? 1 : 0), Type::b32);
  }

  void results(const Operand& operand, Type type) {
    use_.result_type = type;
    if (operand.kind != OperandKind::vector) {
      use_.result_list[use_.result_count++] = &operand;
      return;
    }
    for (const Operand& element : operand.elements) use_.result_list[use_.result_count++] = &element;
  }

  void sample(Kind kind) {
    operation().kind = kind;
    geometry();
    operation().integer_coordinates = inst_.d.type2 == Type::s32;
    if (inst_.d.type == Type::f16) operation().result = texture::Result::half;
    if (inst_.d.type == Type::f16x2) operation().result = texture::Result::half_pairs;
    results(inst_.operands[0], inst_.d.type);
    use_.resident = at(1);
    address(2);
    unsigned next = 3;
    for (const Modifier m : inst_.modifiers) {
      const Modifier components[] = {Modifier::r, Modifier::g, Modifier::b, Modifier::a};
      for (std::uint8_t c = 0; c < 4; ++c)
        if (kind == Kind::gather && m == components[c]) operation().component = c;
    }
    if (inst_.has(Modifier::level)) level(next++);
    if (inst_.has(Modifier::grad)) {
      operation().level = LevelBy::gradient;
      for (int i = 0; i < 2; ++i) add_elements(inst_.operands[next++], operation().dimensions(), Type::b32);
    }
    if (operation().geometry != Geometry::cube) {
      if (const Operand* offset = at(next++)) {
        operation().has_offset = true;
        add_elements(*offset, operation().dimensions(), Type::b32);
      }
    }
    if (at(next)) use_.refusal = no_comparison;
  }

  void level(unsigned slot) {
    operation().level = LevelBy::level;
    operation().integer_level = slots_[slot].type != Type::f32;
    add(inst_.operands[slot], Type::b32);
  }

  void query() {
    operation().kind = Kind::query;
    results(inst_.operands[0], Type::b32);
    use_.object = &inst_.operands[1];
    if (inst_.has(Modifier::level)) level(2);
    for (const Modifier m : inst_.modifiers) switch (m) {
        case Modifier::width: operation().query = Query::width; break;
        case Modifier::height: operation().query = Query::height; break;
        case Modifier::depth: operation().query = Query::depth; break;
        case Modifier::channel_data_type: operation().query = Query::channel_data_type; break;
        case Modifier::channel_order: operation().query = Query::channel_order; break;
        case Modifier::normalized_coords: operation().query = Query::normalized_coordinates; break;
        case Modifier::array_size: operation().query = Query::array_size; break;
        case Modifier::num_mipmap_levels: operation().query = Query::levels; break;
        case Modifier::num_samples: operation().query = Query::samples; break;
        case Modifier::memory_layout: operation().query = Query::memory_layout; break;
        case Modifier::force_unnormalized_coords: operation().query = Query::unnormalized_forced; break;
        case Modifier::filter_mode: operation().query = Query::filter_mode; break;
        case Modifier::addr_mode_0: operation().query = Query::address_mode_0; break;
        case Modifier::addr_mode_1: operation().query = Query::address_mode_1; break;
        case Modifier::addr_mode_2: operation().query = Query::address_mode_2; break;
        default: break;
      }
  }

  void query_kind() {
    operation().kind = Kind::query;
    operation().query = inst_.d.type == Type::surfref  ? Query::is_surface
                        : inst_.d.type == Type::texref ? Query::is_texture
                                                       : Query::is_sampler;
    results(inst_.operands[0], Type::pred);
    use_.object = &inst_.operands[1];
  }

  void access_surface() {
    geometry();
    const bool loads = inst_.opcode == Opcode::suld, reduces = inst_.opcode == Opcode::sured;
    const bool formatted = inst_.has(Modifier::p);
    operation().kind = loads     ? Kind::load
                       : reduces ? (formatted ? Kind::reduce_formatted : Kind::reduce)
                                 : (formatted ? Kind::store_formatted : Kind::store);
    operation().bounds = inst_.has(Modifier::trap)    ? texture::OutOfBounds::trap
                         : inst_.has(Modifier::clamp) ? texture::OutOfBounds::clamp
                                                      : texture::OutOfBounds::zero;
    const Type type = inst_.d.type;
    operation().element_bytes = static_cast<std::uint8_t>(ptx::byte_size(type));
    address(loads ? 1 : 0);
    const Operand& data = inst_.operands[loads ? 0 : 1];
    operation().elements =
        static_cast<std::uint8_t>(data.kind == OperandKind::vector ? data.elements.size() : std::size_t{1});
    if (loads) {
      results(data, type);
    } else {
      add_elements(data, operation().elements, type);
    }
    if (reduces) combine();
  }

  void combine() {
    operation().is_signed = ptx::is_signed(inst_.d.type);
    const auto set = [&](Modifier m, texture::Combine combine) {
      if (inst_.has(m)) operation().combine = combine;
    };
    set(Modifier::add, texture::Combine::add);
    set(Modifier::min, texture::Combine::min);
    set(Modifier::max, texture::Combine::max);
    set(Modifier::and_, texture::Combine::and_);
    set(Modifier::or_, texture::Combine::or_);
  }

  const Instruction& inst_;
  const ptx::SlotList slots_;
  TextureUse use_;
};

}  // namespace

bool uses_textures(Opcode opcode) {
  return ptx::uses_texture(opcode) || ptx::uses_surface(opcode) || opcode == Opcode::istypep;
}

TextureUse texture_use(const Instruction& instruction) { return Decoder(instruction).decode(); }

}  // namespace heddle::device
