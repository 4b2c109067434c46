#include "ptx/decode_suffixes.hpp"

namespace heddle::ptx {
namespace {

bool is_type(Modifier m) { return m > Modifier::first_type_; }
Type type_of(Modifier m) {
  return static_cast<Type>(static_cast<unsigned>(m) - static_cast<unsigned>(Modifier::first_type_));
}

void add_type(Decoded& d, Type type) {
  if (d.type == Type::none)
    d.type = type;
  else if (d.type2 == Type::none)
    d.type2 = type;
  else if (d.type3 == Type::none)
    d.type3 = type;
  else if (d.type4 == Type::none)
    d.type4 = type;
}

bool compares(Opcode opcode) {
  switch (opcode) {
    case Opcode::set:
    case Opcode::setp:
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4: return true;
    default: return false;
  }
}

bool reduces(Opcode opcode) { return !compares(opcode) && opcode != Opcode::lop3; }

// .uni is a kind of vote, and a promise about a branch.
bool votes(Opcode opcode) { return opcode == Opcode::vote || opcode == Opcode::match; }

bool decode_rounding(Modifier m, Decoded& d) {
  switch (m) {
    case Modifier::rn: d.rounding = Rounding::rn; return true;
    case Modifier::rz: d.rounding = Rounding::rz; return true;
    case Modifier::rm: d.rounding = Rounding::rm; return true;
    case Modifier::rp: d.rounding = Rounding::rp; return true;
    case Modifier::rna: d.rounding = Rounding::rna; return true;
    case Modifier::rs: d.rounding = Rounding::rs; return true;
    case Modifier::rni: d.rounding = Rounding::rni; return true;
    case Modifier::rzi: d.rounding = Rounding::rzi; return true;
    case Modifier::rmi: d.rounding = Rounding::rmi; return true;
    case Modifier::rpi: d.rounding = Rounding::rpi; return true;
    default: return false;
  }
}

Compare compare_of(Modifier m) {
  switch (m) {
    case Modifier::eq: return Compare::eq;
    case Modifier::ne: return Compare::ne;
    case Modifier::lt: return Compare::lt;
    case Modifier::le: return Compare::le;
    case Modifier::gt: return Compare::gt;
    case Modifier::ge: return Compare::ge;
    case Modifier::lo: return Compare::lo;
    case Modifier::ls: return Compare::ls;
    case Modifier::hi: return Compare::hi;
    case Modifier::hs: return Compare::hs;
    case Modifier::equ: return Compare::equ;
    case Modifier::neu: return Compare::neu;
    case Modifier::ltu: return Compare::ltu;
    case Modifier::leu: return Compare::leu;
    case Modifier::gtu: return Compare::gtu;
    case Modifier::geu: return Compare::geu;
    case Modifier::num: return Compare::num;
    case Modifier::is_nan: return Compare::nan;
    default: return Compare::none;
  }
}

bool decode_compare(Opcode opcode, Modifier m, Decoded& d) {
  const Compare compare = compares(opcode) ? compare_of(m) : Compare::none;
  if (compare != Compare::none) d.compare = compare;
  return compare != Compare::none;
}

bool decode_operation(Opcode opcode, Modifier m, Decoded& d) {
  const bool reduce = reduces(opcode);
  switch (m) {
    case Modifier::and_: reduce ? void(d.reduce = ReduceOp::and_) : void(d.bool_op = BoolOp::and_); return true;
    case Modifier::or_: reduce ? void(d.reduce = ReduceOp::or_) : void(d.bool_op = BoolOp::or_); return true;
    case Modifier::xor_: reduce ? void(d.reduce = ReduceOp::xor_) : void(d.bool_op = BoolOp::xor_); return true;
    case Modifier::exch: d.reduce = ReduceOp::exch; return true;
    case Modifier::cas: d.reduce = ReduceOp::cas; return true;
    case Modifier::add: d.reduce = ReduceOp::add; return true;
    case Modifier::inc: d.reduce = ReduceOp::inc; return true;
    case Modifier::dec: d.reduce = ReduceOp::dec; return true;
    case Modifier::min: d.reduce = ReduceOp::min; return true;
    case Modifier::max: d.reduce = ReduceOp::max; return true;
    case Modifier::popc: d.reduce = ReduceOp::popc; return true;
    case Modifier::lo: d.half = Half::lo; return true;
    case Modifier::hi: d.half = Half::hi; return true;
    case Modifier::wide: d.half = Half::wide; return true;
    default: return false;
  }
}

// The first space counts: it is where the instruction writes when there are two (cp.async.ca.shared.global).
bool decode_space(Modifier m, Decoded& d, bool& seen) {
  Space space = Space::generic;
  switch (m) {
    case Modifier::global: space = Space::global; break;
    case Modifier::shared:
    case Modifier::shared_cta:
    case Modifier::shared_cluster: space = Space::shared; break;
    case Modifier::local: space = Space::local; break;
    case Modifier::const_: space = Space::constant; break;
    case Modifier::param:
    case Modifier::param_entry:
    case Modifier::param_func: space = Space::param; break;
    default: return false;
  }
  if (!seen) d.space = space;
  return seen = true;
}

bool decode_ordering(Modifier m, Decoded& d) {
  switch (m) {
    case Modifier::volatile_: d.order = Order::volatile_; return true;
    case Modifier::relaxed: d.order = d.order == Order::mmio ? Order::mmio : Order::relaxed; return true;
    case Modifier::acquire: d.order = Order::acquire; return true;
    case Modifier::release: d.order = d.order == Order::mmio ? Order::mmio : Order::release; return true;
    case Modifier::acq_rel: d.order = Order::acq_rel; return true;
    case Modifier::sc: d.order = Order::sc; return true;
    case Modifier::mmio: d.order = Order::mmio; return true;
    case Modifier::cta: d.scope = Scope::cta; return true;
    case Modifier::cluster: d.scope = Scope::cluster; return true;
    case Modifier::gpu:
    case Modifier::gl: d.scope = Scope::gpu; return true;
    case Modifier::sys: d.scope = Scope::sys; return true;
    default: return false;
  }
}

bool decode_warp(Opcode opcode, Modifier m, Decoded& d) {
  switch (m) {
    case Modifier::up: d.warp = WarpMode::up; return true;
    case Modifier::down: d.warp = WarpMode::down; return true;
    case Modifier::bfly: d.warp = WarpMode::bfly; return true;
    case Modifier::idx: d.warp = WarpMode::idx; return true;
    case Modifier::all: d.warp = WarpMode::all; return true;
    case Modifier::any: d.warp = WarpMode::any; return true;
    case Modifier::ballot: d.warp = WarpMode::ballot; return true;
    case Modifier::uni:
      if (votes(opcode))
        d.warp = WarpMode::uni;
      else
        d.uniform = true;
      return true;
    case Modifier::sync: d.sync = true; return true;
    default: return false;
  }
}

void decode_flag(Modifier m, Decoded& d) {
  switch (m) {
    case Modifier::v2: d.vector = 2; break;
    case Modifier::v4: d.vector = 4; break;
    case Modifier::v8: d.vector = 8; break;
    case Modifier::ftz: d.ftz = true; break;
    case Modifier::sat: d.sat = true; break;
    case Modifier::satfinite: d.satfinite = true; break;
    case Modifier::relu: d.relu = true; break;
    case Modifier::approx: d.approx = true; break;
    case Modifier::full: d.full = true; break;
    case Modifier::nan: d.nan = true; break;
    case Modifier::xorsign: d.xorsign_abs = true; break;
    case Modifier::cc: d.carry_out = true; break;
    case Modifier::to: d.to = true; break;
    case Modifier::nc: d.nc = true; break;
    default: break;
  }
}

void add_defaults(Opcode opcode, const ModifierList& modifiers, Decoded& d) {
  switch (opcode) {
    case Opcode::atom:
    case Opcode::red:
      if (d.order == Order::weak) d.order = Order::relaxed;
      if (d.scope == Scope::none) d.scope = Scope::gpu;
      break;
    case Opcode::fence:
      if (d.order == Order::weak && !modifiers.has(Modifier::proxy)) d.order = Order::acq_rel;
      break;
    case Opcode::membar:
      if (!modifiers.has(Modifier::proxy)) d.order = Order::sc;
      break;
    case Opcode::barrier:
      if (modifiers.has(Modifier::cluster) && d.order == Order::weak)
        d.order = modifiers.has(Modifier::arrive) ? Order::release : Order::acquire;
      break;
    default: break;
  }
}

}  // namespace

unsigned vector_suffix(const ModifierList& modifiers) {
  for (Modifier m : modifiers) {
    if (m == Modifier::v2) return 2;
    if (m == Modifier::v4) return 4;
    if (m == Modifier::v8) return 8;
  }
  return 1;
}

Decoded decode_suffixes(Opcode opcode, const ModifierList& modifiers) {
  Decoded d;
  bool space_seen = false;
  for (Modifier m : modifiers) {
    if (is_type(m))
      add_type(d, type_of(m));
    else if (!decode_rounding(m, d) && !decode_compare(opcode, m, d) && !decode_operation(opcode, m, d) &&
             !decode_space(m, d, space_seen) && !decode_ordering(m, d) && !decode_warp(opcode, m, d))
      decode_flag(m, d);
  }
  add_defaults(opcode, modifiers, d);
  return d;
}

}  // namespace heddle::ptx
