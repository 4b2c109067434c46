#include "random/registers.hpp"

#include <fmt/format.h>

#include "ptx/type_rules.hpp"

namespace heddle::test::random_kernel {

using ptx::Type;

bool may_stand(const Reg& reg, Type wanted, bool relaxed, Use use) {
  if (!ptx::register_fits(reg.type, wanted, relaxed)) return false;
  // Floating-point numbers have their own width only.
  if ((ptx::is_float(wanted) || ptx::is_float(reg.type)) && ptx::bit_width(reg.type) != ptx::bit_width(wanted))
    return false;
  if (reg.type == Type::f16x2 && wanted != Type::f16x2 && wanted != Type::b32) return false;
  const bool writes = use == Use::write || use == Use::write_exact;
  if (reg.type == Type::f64) return wanted == Type::f64;
  if (reg.type == Type::f32) {
    if (writes) return wanted == Type::f32 && use == Use::write;
    return true;
  }
  if (writes && wanted == Type::f64) return false;
  if (wanted == Type::f32 && reg.type != Type::f32) return use == Use::read || use == Use::write_exact;
  return true;
}

void Registers::add(const std::string& prefix, Type type, unsigned count) {
  if (count == 0) return;
  groups_.push_back({prefix, type, count});
  for (unsigned i = 0; i < count; ++i) all_.push_back({fmt::format("%{}{}", prefix, i), type});
}

std::vector<const Reg*> Registers::candidates(Type wanted, bool relaxed, Use use) const {
  std::vector<const Reg*> result;
  for (const Reg& reg : all_)
    if (may_stand(reg, wanted, relaxed, use)) result.push_back(&reg);
  return result;
}

const Reg* Registers::pick(Random& random, Type wanted, bool relaxed, Use use) const {
  const auto list = candidates(wanted, relaxed, use);
  return list.empty() ? nullptr : random.pick(list);
}

std::string Registers::declarations() const {
  std::string text;
  for (const Group& group : groups_)
    text += fmt::format("  .reg .{} %{}<{}>;\n", ptx::name(group.type), group.prefix, group.count);
  return text;
}

std::string Temporaries::make(Type type) {
  for (Group& group : groups_)
    if (group.type == type) return fmt::format("%t_{}_{}", ptx::name(type), group.count++);
  groups_.push_back({type, 1});
  return fmt::format("%t_{}_0", ptx::name(type));
}

std::string Temporaries::declarations() const {
  std::string text;
  for (const Group& group : groups_)
    text += fmt::format("  .reg .{} %t_{}_<{}>;\n", ptx::name(group.type), ptx::name(group.type), group.count);
  return text;
}

}  // namespace heddle::test::random_kernel
