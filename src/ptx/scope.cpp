#include "ptx/scope.hpp"

namespace heddle::ptx {

NameTable::NameTable() : slots_(64) {}

NameTable::Slot& NameTable::slot(std::string_view name, std::uint32_t hash) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& s = slots_[i];
    if (s.generation != generation_ || (s.hash == hash && s.name == name)) return s;
  }
}

Binding* NameTable::find(std::string_view name, std::uint32_t hash) {
  Slot& s = slot(name, hash);
  return s.generation == generation_ ? &s.binding : nullptr;
}

Binding& NameTable::insert(std::string_view name, std::uint32_t hash) {
  if (used_ * 2 >= slots_.size()) grow();
  Slot& s = slot(name, hash);
  if (s.generation != generation_) {
    s = {name, hash, generation_, {}};
    ++used_;
  }
  return s.binding;
}

void NameTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& s : old)
    if (s.generation == generation_) slot(s.name, s.hash) = s;
}

void NameTable::clear() {
  ++generation_;
  used_ = 0;
}

void ScopedNames::clear() {
  table_.clear();
  depth_ = 0;
}

void ScopedNames::open() {
  if (undo_.size() == depth_) undo_.emplace_back();
  undo_[depth_++].clear();
}

void ScopedNames::close() {
  auto& undo = undo_[--depth_];
  for (auto entry = undo.rbegin(); entry != undo.rend(); ++entry) table_.insert(entry->name, entry->hash) = entry->old;
}

Binding* ScopedNames::find(std::string_view name, std::uint32_t hash) {
  Binding* binding = table_.find(name, hash);
  return binding != nullptr && binding->kind != NameKind::none ? binding : nullptr;
}

void ScopedNames::bind(std::string_view name, std::uint32_t hash, NameKind kind, std::uint32_t index) {
  bind_at(depth_, name, hash, kind, index);
}

void ScopedNames::bind_at(std::uint32_t depth, std::string_view name, std::uint32_t hash, NameKind kind,
                          std::uint32_t index) {
  Binding& binding = table_.insert(name, hash);
  undo_[depth - 1].push_back({name, hash, binding});
  binding = {kind, depth, index};
}

void UniqueNames::clear() {
  taken_.clear();
  made_.clear();
}

std::string_view UniqueNames::take(std::string_view wanted, std::uint32_t hash) {
  Binding& first = taken_.insert(wanted, hash);
  if (first.kind == NameKind::none) {
    first.kind = NameKind::reg;
    return wanted;
  }
  for (std::uint32_t suffix = first.index + 1;; ++suffix) {
    std::string name = std::string(wanted) + "_" + std::to_string(suffix);
    const std::uint32_t name_hash = hash_text(name);
    if (taken_.find(name, name_hash) != nullptr) continue;
    taken_.find(wanted, hash)->index = suffix;
    made_.push_back(std::move(name));
    taken_.insert(made_.back(), name_hash).kind = NameKind::reg;
    return made_.back();
  }
}

}  // namespace heddle::ptx
