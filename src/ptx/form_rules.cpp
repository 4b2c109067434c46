#include "ptx/form_rules.hpp"

#include <algorithm>

namespace heddle::ptx {
namespace {

enum class HintKind : std::uint8_t { none, l1_eviction, l2_eviction, cache_hint, prefetch_size };

HintKind hint_kind(Modifier m) {
  switch (m) {
    case Modifier::l1_evict_normal:
    case Modifier::l1_evict_unchanged:
    case Modifier::l1_evict_first:
    case Modifier::l1_evict_last:
    case Modifier::l1_no_allocate: return HintKind::l1_eviction;
    case Modifier::l2_evict_first:
    case Modifier::l2_evict_last:
    case Modifier::l2_evict_normal:
    case Modifier::l2_evict_unchanged: return HintKind::l2_eviction;
    case Modifier::l2_cache_hint: return HintKind::cache_hint;
    case Modifier::l2_64b:
    case Modifier::l2_128b:
    case Modifier::l2_256b: return HintKind::prefetch_size;
    default: return HintKind::none;
  }
}

std::string dotted(Modifier m) { return "." + std::string(name(m)); }

bool has_other_space(const Decoded& d) { return d.space != Space::generic && d.space != Space::global; }

// Bits that one thread moves.
unsigned access_bits(const Decoded& d) { return bit_width(d.type) * d.vector; }

bool is_widest_access(const Decoded& d) { return access_bits(d) == 256; }

std::optional<SuffixConflict> check_hints(Opcode opcode, const ModifierList& modifiers, const Decoded& d) {
  const bool load_or_store = opcode == Opcode::ld || opcode == Opcode::st;
  for (Modifier m : modifiers) {
    const HintKind kind = hint_kind(m);
    if (kind == HintKind::none) continue;
    if (has_other_space(d)) return SuffixConflict{m, dotted(m) + " only with .global or generic addresses"};
    if (kind == HintKind::l2_eviction && load_or_store && !is_widest_access(d))
      return SuffixConflict{m, dotted(m) + " only with 256-bit accesses (.v8.b32, .v4.b64)"};
  }
  return std::nullopt;
}

Modifier vector_modifier(const Decoded& d) {
  return d.vector == 2 ? Modifier::v2 : d.vector == 4 ? Modifier::v4 : Modifier::v8;
}

std::optional<SuffixConflict> check_width(Opcode opcode, const ModifierList& modifiers, const Decoded& d) {
  if (d.vector == 1) return std::nullopt;
  const bool wide = (opcode == Opcode::ld || opcode == Opcode::st) && !modifiers.has(Modifier::proxy_async);
  const unsigned bits = access_bits(d);
  if (d.type == Type::b128) return SuffixConflict{vector_modifier(d), ".b128 without a vector"};
  if (bits > 128 && !wide) return SuffixConflict{vector_modifier(d), "vectors of at most 128 bits"};
  if (bits > 256) return SuffixConflict{vector_modifier(d), "vectors of at most 256 bits"};
  if (bits > 128 && has_other_space(d))
    return SuffixConflict{vector_modifier(d), "vectors of more than 128 bits only with .global or generic addresses"};
  return std::nullopt;
}

bool is_order(Modifier m) { return m == Modifier::relaxed || m == Modifier::acquire || m == Modifier::release; }
bool is_scope(Modifier m) {
  return m == Modifier::cta || m == Modifier::cluster || m == Modifier::gpu || m == Modifier::sys;
}

// mbarrier and multimem: an order needs a scope, a scope needs an order, .weak has neither.
std::optional<SuffixConflict> check_order(const ModifierList& modifiers) {
  const Modifier* order = std::find_if(modifiers.begin(), modifiers.end(), is_order);
  const Modifier* scope = std::find_if(modifiers.begin(), modifiers.end(), is_scope);
  const bool has_order = order != modifiers.end(), has_scope = scope != modifiers.end();
  if (has_order && !has_scope) return SuffixConflict{*order, dotted(*order) + " with a scope (.cta, .cluster, ...)"};
  if (has_scope && !has_order) return SuffixConflict{*scope, dotted(*scope) + " with an order (.relaxed, ...)"};
  return std::nullopt;
}

// Tensor copies: gather4 and scatter4 are two-dimensional, im2col has at least one spatial dimension beside c and n.
std::optional<SuffixConflict> check_tensor(const ModifierList& modifiers) {
  const bool low = modifiers.has(Modifier::dim_1d) || modifiers.has(Modifier::dim_2d);
  for (Modifier m : modifiers) {
    switch (m) {
      case Modifier::tile_gather4:
      case Modifier::tile_scatter4:
        if (!modifiers.has(Modifier::dim_2d)) return SuffixConflict{m, dotted(m) + " only with .2d"};
        break;
      case Modifier::im2col:
      case Modifier::im2col_w:
      case Modifier::im2col_w_128:
      case Modifier::im2col_no_offs:
        if (low) return SuffixConflict{m, dotted(m) + " only with .3d, .4d or .5d"};
        break;
      default: break;
    }
  }
  return std::nullopt;
}

void raise(Since& since, Since other) {
  since.ptx = std::max(since.ptx, other.ptx);
  since.sm = std::max(since.sm, other.sm);
}

Since modifier_since(Modifier m) {
  if (m == modifier_of(Type::b128)) return {83, 70};
  switch (m) {
    case Modifier::shared_cta: return {78, 30};
    case Modifier::shared_cluster: return {78, 90};
    case Modifier::param_entry:
    case Modifier::param_func: return {83, 0};
    case Modifier::cluster: return {78, 90};
    case Modifier::l1_evict_normal:
    case Modifier::l1_evict_unchanged:
    case Modifier::l1_evict_first:
    case Modifier::l1_evict_last:
    case Modifier::l1_no_allocate: return {74, 70};
    case Modifier::l2_cache_hint: return {74, 80};
    case Modifier::l2_64b:
    case Modifier::l2_128b: return {74, 75};
    case Modifier::l2_256b: return {74, 80};
    case Modifier::v8: return {81, 90};
    case Modifier::satfinite: return {81, 0};
    case Modifier::mmio: return {82, 70};
    default: return {};
  }
}

}  // namespace

std::optional<SuffixConflict> find_conflict(Opcode opcode, const ModifierList& modifiers, const Decoded& d) {
  switch (opcode) {
    case Opcode::ld:
    case Opcode::st:
    case Opcode::ldu:
    case Opcode::atom:
    case Opcode::red: break;
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::mov: return check_width(opcode, modifiers, d);
    case Opcode::mbarrier:
    case Opcode::multimem: return check_order(modifiers);
    case Opcode::cp: return check_tensor(modifiers);
    default: return std::nullopt;
  }
  if (std::optional<SuffixConflict> conflict = check_width(opcode, modifiers, d)) return conflict;
  return check_hints(opcode, modifiers, d);
}

Since since(const Form& form, const ModifierList& modifiers) {
  Since result = form.since;
  for (Modifier m : modifiers) raise(result, modifier_since(m));
  return result;
}

}  // namespace heddle::ptx
