#include "ptx/analysis/access/source_uses.hpp"

#include <utility>

namespace heddle::ptx::analysis {

using Kind = Source::Kind;

SourceUse& SourceUses::use_of(std::uint32_t source) {
  if (uses_.size() <= source) uses_.resize(sources_.size());
  return uses_[source];
}

AccessReason SourceUses::reason(std::uint32_t i, std::string text) const { return {function_, i, std::move(text)}; }

// Sets of sources grow from pass to pass: a source that was alone may no longer be.
void SourceUses::begin_pass() {
  for (SourceUse& use : uses_) use.alone = false;
}

bool SourceUses::add_access(std::uint32_t source, std::uint32_t i, bool reads, bool writes) {
  SourceUse& use = use_of(source);
  const bool is_new = (reads && !use.reads) || (writes && !use.writes);
  use.reads |= reads;
  use.writes |= writes;
  const AccessWitness here{function_, i};
  const auto witness = [&](AccessWitness SourceUse::* at) {
    return callee_use_ && (callee_use_->*at).present() ? callee_use_->*at : here;
  };
  if (reads && !use.read_at.present()) use.read_at = witness(&SourceUse::read_at);
  if (writes && !use.written_at.present()) use.written_at = witness(&SourceUse::written_at);
  if (!use.reason.present())
    use.reason = reason(i, reads && writes ? "read and written here" : reads ? "read here" : "written here");
  return is_new;
}

bool SourceUses::add_unknown(std::uint32_t source, std::uint32_t i, const char* why) {
  SourceUse& use = use_of(source);
  const bool is_new = !use.unknown;
  use.unknown = true;
  if (!use.reason_is_unknown) use.reason = reason(i, why);
  use.reason_is_unknown = true;
  return is_new;
}

bool SourceUses::add_pointers(const SourceSet& sources, bool alone) {
  bool is_new = false;
  for (const std::uint32_t source : sources) {
    const Kind kind = sources_[source].kind;
    if (kind != Kind::parameter && kind != Kind::module_variable) continue;
    SourceUse& use = use_of(source);
    is_new |= !use.pointer;
    use.pointer = true;
    use.alone |= alone && sources.size() == 1;
  }
  return is_new;
}

bool SourceUses::add_in_addresses(const SourceSet& sources, std::uint32_t i) {
  bool is_new = false;
  for (const std::uint32_t source : sources) {
    if (sources_[source].kind != Kind::parameter) continue;
    SourceUse& use = use_of(source);
    is_new |= !use.in_addresses;
    use.in_addresses = true;
    if (!use.added_at.present())
      use.added_at = reason(i, "its value is added to another address, as the distance from there");
  }
  return is_new;
}

bool SourceUses::add_handed_on(std::uint32_t source) {
  if (sources_[source].kind != Kind::parameter) return false;
  return !std::exchange(use_of(source).handed_on, true);
}

bool SourceUses::add_stored(const SourceSet& sources) {
  bool is_new = false;
  for (const std::uint32_t source : sources)
    if (sources_[source].kind == Kind::parameter) is_new |= !std::exchange(use_of(source).stored, true);
  return is_new;
}

bool SourceUses::add_elsewhere(std::uint32_t i, bool reads, bool writes, const char* why) {
  const bool is_new = (reads && !reads_elsewhere_) || (writes && !writes_elsewhere_);
  reads_elsewhere_ |= reads;
  writes_elsewhere_ |= writes;
  if (!elsewhere_reason_.present()) elsewhere_reason_ = reason(i, why);
  return is_new;
}

AccessSummary SourceUses::summary() {
  AccessSummary result;
  result.reads_elsewhere = reads_elsewhere_;
  result.writes_elsewhere = writes_elsewhere_;
  result.elsewhere_reason = elsewhere_reason_;
  uses_.resize(sources_.size());
  for (std::uint32_t s = 0; s < sources_.size(); ++s) {
    const Source& source = sources_[s];
    if (source.kind == Kind::parameter || source.kind == Kind::module_variable) result.uses[source] = uses_[s];
  }
  for (auto& [source, use] : result.uses) {
    // A number that is added to addresses is an index; a pointer is a distance.
    if (!use.in_addresses || !use.pointer || use.unknown) continue;
    use.unknown = use.reason_is_unknown = true;
    use.reason = use.added_at;
  }
  return result;
}

}  // namespace heddle::ptx::analysis
