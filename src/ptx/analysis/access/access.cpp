#include "ptx/analysis/access/access.hpp"

#include <algorithm>
#include <utility>

#include "ptx/analysis/access/access_solver.hpp"
#include "ptx/analysis/effects/calls.hpp"

namespace heddle::ptx::analysis {
namespace {

bool same(const AccessSummary& a, const AccessSummary& b) {
  const auto same_use = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.reads == y.second.reads && x.second.writes == y.second.writes &&
           x.second.unknown == y.second.unknown && x.second.pointer == y.second.pointer &&
           x.second.in_addresses == y.second.in_addresses && x.second.handed_on == y.second.handed_on &&
           x.second.stored == y.second.stored;
  };
  return a.reads_elsewhere == b.reads_elsewhere && a.writes_elsewhere == b.writes_elsewhere && a.returns == b.returns &&
         std::equal(a.uses.begin(), a.uses.end(), b.uses.begin(), b.uses.end(), same_use);
}

AccessMode mode_of(bool reads, bool writes, bool unknown) {
  if (unknown) return AccessMode::unknown;
  if (reads && writes) return AccessMode::read_write;
  return reads ? AccessMode::read : writes ? AccessMode::write : AccessMode::none;
}

FunctionAccess report(const Module& module, const Function& function, const AccessSummary& summary) {
  FunctionAccess access;
  access.elsewhere = mode_of(summary.reads_elsewhere, summary.writes_elsewhere, false);
  access.elsewhere_reason = summary.elsewhere_reason;
  std::vector<SourceUse> whole(function.parameters.size());
  for (const auto& [source, use] : summary.uses) {
    const AccessMode mode = mode_of(use.reads, use.writes, use.unknown);
    if (source.kind == Source::Kind::module_variable) {
      if (source.index < module.variables.size() && mode != AccessMode::none)
        access.variables.push_back({source.index, 0, mode, true, false, use.reason, use.read_at, use.written_at});
      continue;
    }
    if (source.index >= whole.size()) continue;
    if (mode != AccessMode::none || use.pointer)
      access.fields.push_back({source.index, static_cast<std::uint64_t>(source.offset), mode, use.pointer,
                               use.pointer && !use.alone, use.reason, use.read_at, use.written_at});
    SourceUse& all = whole[source.index];
    const bool better = !all.reason.present() || (use.unknown && !all.unknown);
    if (better && use.reason.present()) all.reason = use.reason;
    if (!all.read_at.present()) all.read_at = use.read_at;
    if (!all.written_at.present()) all.written_at = use.written_at;
    all.reads |= use.reads;
    all.writes |= use.writes;
    all.unknown |= use.unknown;
    all.pointer |= use.pointer;
    all.in_addresses |= use.in_addresses;
    all.alone |= use.alone;
  }
  for (std::uint32_t p = 0; p < whole.size(); ++p) {
    const bool declared = function.parameters[p].is_pointer;
    const SourceUse& use = whole[p];
    access.parameters.push_back({p, 0, mode_of(use.reads, use.writes, use.unknown), use.pointer || declared,
                                 use.pointer && !use.alone && !declared, use.reason, use.read_at, use.written_at});
    access.parameters.back().in_addresses = use.in_addresses;
  }
  return access;
}

FunctionAccess nothing_known(const Function& function) {
  FunctionAccess access;
  access.elsewhere = AccessMode::read_write;
  for (std::uint32_t p = 0; p < function.parameters.size(); ++p) {
    const bool pointer = function.parameters[p].size() >= 8;
    access.parameters.push_back({p, 0, AccessMode::unknown, pointer, pointer, {}});
  }
  return access;
}

}  // namespace

const char* name(AccessMode mode) {
  switch (mode) {
    case AccessMode::none: return "none";
    case AccessMode::read: return "read";
    case AccessMode::write: return "write";
    case AccessMode::read_write: return "read-write";
    case AccessMode::unknown: return "unknown";
  }
  return "unknown";
}

std::vector<FunctionAccess> find_access(const Module& module) {
  std::vector<AccessSummary> summaries(module.functions.size());
  bool first = true;
  for (bool changed = true; changed; first = false) {
    changed = false;
    for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
      const Function& function = module.functions[f];
      if (function.is_declaration || (!first && !has_calls(function))) continue;
      AccessSummary next = AccessSolver(module, f, summaries).solve();
      changed |= !same(next, summaries[f]);
      summaries[f] = std::move(next);
    }
  }
  std::vector<FunctionAccess> result;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const Function& function = module.functions[f];
    result.push_back(function.is_declaration ? nothing_known(function) : report(module, function, summaries[f]));
  }
  return result;
}

}  // namespace heddle::ptx::analysis
