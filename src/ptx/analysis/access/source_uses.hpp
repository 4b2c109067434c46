// What the instructions of a function do with the memory behind each source, as far as it has been found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/analysis/access/access_summary.hpp"
#include "ptx/analysis/access/pointer_value.hpp"

namespace heddle::ptx::analysis {

// Functions that add a use return whether it is new.
class SourceUses {
 public:
  // `function`: whose instructions these are, in the module. `sources` must outlive the object.
  SourceUses(std::uint32_t function, const SourceTable& sources) : function_(function), sources_(sources) {}

  // What is written and read by the call in progress is done at these places of the callee; null: by the instruction.
  void set_callee_use(const SourceUse* use) { callee_use_ = use; }
  // A pass over the function begins: what is found anew in each.
  void begin_pass();

  bool add_access(std::uint32_t source, std::uint32_t instruction, bool reads, bool writes);
  bool add_unknown(std::uint32_t source, std::uint32_t instruction, const char* why);
  // The sources are addresses. `alone`: they are no sums of several sources.
  bool add_pointers(const SourceSet& sources, bool alone);
  // The sources' values are added to addresses of something else.
  bool add_in_addresses(const SourceSet& sources, std::uint32_t instruction);
  // What was loaded from the memory of a source is stored; something is stored in memory of these. Only of parameters,
  // for callers.
  bool add_handed_on(std::uint32_t source);
  bool add_stored(const SourceSet& sources);
  bool add_elsewhere(std::uint32_t instruction, bool reads, bool writes, const char* why);

  // All but AccessSummary::returns.
  AccessSummary summary();

 private:
  SourceUse& use_of(std::uint32_t source);
  AccessReason reason(std::uint32_t instruction, std::string text) const;

  std::uint32_t function_;
  const SourceTable& sources_;
  std::vector<SourceUse> uses_;  // by source
  bool reads_elsewhere_ = false, writes_elsewhere_ = false;
  AccessReason elsewhere_reason_;
  const SourceUse* callee_use_ = nullptr;
};

}  // namespace heddle::ptx::analysis
