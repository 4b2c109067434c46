#include "device/sim/policies/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/fail.hpp"

namespace heddle::device::sim {
namespace {

constexpr std::string_view formation = "divergence=dwf";
constexpr std::string_view frontier = "divergence=tf";
constexpr std::string_view sbi = "issue=sbi issue=sbi+swi";
constexpr std::string_view interwoven = "issue=sbi issue=swi issue=sbi+swi issue=wide";
constexpr std::string_view swi = "issue=swi issue=sbi+swi";
constexpr std::string_view virtual_thread = "residency=virtual-thread residency=finereg";

// An option is a line here.
constexpr PolicyOption table[] = {
    {"formation", "majority", "majority, minority, timestamp, pc, pdom-priority", 0, 0, formation,
     "which warp of the pool issues next"},
    {"register-file", "lane-aware", "lane-aware, crossbar, ideal", 0, 0, formation,
     "threads keep their lane; any lane, with conflicts of banks; any lane"},
    {"home-lanes", "simd", "simd, 1, 2, 4, 8, 16, 32", 0, 0, formation,
     "lanes that read registers at a time: as many threads of a warp as it has turns may have the same home; simd: the "
     "machine's lanes"},
    {"warp-width", "32", "8, 16, 32", 0, 0, "divergence=pdom divergence=dwf",
     "threads of the machine's warps; those of PTX are of several such"},
    {"pool", "128", "", 2, 4096, formation, "warps in the pool"},
    {"lut-entries", "64", "", 1, 4096, formation, "places at which warps are being formed"},
    {"lut-ways", "4", "", 1, 64, formation, "of a set of these"},
    {"heap-ports", "0", "", 0, 64, formation,
     "majority: reads and writes of its heap in a cycle; 0: it is in order at once"},
    {"patience", "0", "", 0, 1'000'000, formation, "issues after which the oldest warp has its turn; 0: never"},
    {"layout", "tf", "tf, asis", 0, 0, frontier, "the order of places: thread frontiers, or that of the text"},
    {"cold", "8", "", 0, 1024, frontier, "contexts of a warp in the cold table"},
    {"sorter", "64", "", 0, 4096, frontier, "most cycles for which the sorter of the cold table is busy"},
    {"exchange", "on", "on, off", 0, 0, frontier, "a cold context that precedes a hot one is exchanged with it"},
    {"constraints", "on", "on, off", 0, 0, sbi, "the secondary context waits at joins for a primary one before them"},
    {"divide", "region", "region, dominator", 0, 0, sbi,
     "where a join's region begins: before the branch or the loop; at the immediate dominator's end"},
    {"memory-splits", "on", "on, off", 0, 0, sbi,
     "threads that memory serves first go on while their instruction is issued again for the others, or do not"},
    {"slot2", "any-free-group", "any-free-group, same-warp", 0, 0, sbi,
     "a second slot without a secondary context: another warp's instruction for other units, or none"},
    {"scoreboard", "exact", "exact, matrix", 0, 0, interwoven,
     "dependences between threads, or between the slots in which they have been"},
    {"ways", "0", "", 0, 64, swi, "warps among which the second slot looks; 0: all"},
    {"fit", "lanes", "lanes, any", 0, 0, swi,
     "the second instruction's lanes are those that the first leaves; or any as many: a bound for lane maps"},
    {"swap", "on-stall", "on-stall, literal", 0, 0, virtual_thread,
     "warps at a barrier count as stalled beside one that waits for memory, or do not"},
    {"context-entries", "4", "", 1, 64, virtual_thread, "entries of a warp's stack in a context"},
    {"context-bits", "512", "", 0, 65536, virtual_thread, "of a context moved in a cycle; 0: all at once"},
    {"context-scale", "1", "", 1, 16, virtual_thread, "times the size of a context"},
    {"virtual-warps", "256", "", 1, 4096, "residency=virtual-thread residency=finereg residency=max",
     "numbers of virtual warps on an SM"},
};

const PolicyOption& find(std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table), [&](const auto& o) { return o.name == name; });
  if (found == std::end(table)) base::fail(ErrorCode::invalid_argument, "no policy has an option '{}'", name);
  return *found;
}

unsigned number_of(std::string_view text, bool& ok) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  ok = error == std::errc{} && end == text.data() + text.size();
  return value;
}

// Calls f(part) for the parts of a text between separators.
template <class F>
void split(std::string_view text, std::string_view between, F&& f) {
  while (!text.empty()) {
    const std::size_t at = text.find(between);
    f(text.substr(0, at));
    if (at == text.npos) return;
    text.remove_prefix(at + between.size());
  }
}

bool has(std::string_view list, std::string_view between, std::string_view wanted) {
  bool found = false;
  split(list, between, [&](std::string_view one) { found |= one == wanted; });
  return found;
}

}  // namespace

std::string PolicyOption::allowed() const {
  return choices.empty() ? fmt::format("a whole number from {} to {}", low, high) : std::string(choices);
}

std::span<const PolicyOption> policy_options() { return table; }

bool is_policy_option(std::string_view name) {
  return std::any_of(std::begin(table), std::end(table), [&](const auto& o) { return o.name == name; });
}

PolicyOptions::PolicyOptions(std::string_view text) {
  split(text, ",", [&](std::string_view one) {
    const std::size_t equal = one.find('=');
    if (equal == one.npos)
      base::fail(ErrorCode::invalid_argument, "'{}': expected OPTION=VALUE, as formation=majority", one);
    const std::string_view name = one.substr(0, equal);
    if (std::any_of(chosen_.begin(), chosen_.end(), [&](const auto& chosen) { return chosen.first == name; }))
      base::fail(ErrorCode::invalid_argument, "the option {} of a policy is given twice", name);
    set(name, one.substr(equal + 1));
  });
}

void PolicyOptions::set(std::string_view name, std::string_view value) {
  const PolicyOption& option = find(name);
  bool ok = true;
  if (option.choices.empty()) {
    const unsigned number = number_of(value, ok);
    ok = ok && number >= option.low && number <= option.high;
  } else {
    ok = has(option.choices, ", ", value);
  }
  if (!ok) base::fail(ErrorCode::invalid_argument, "{}={}: expected {}", name, value, option.allowed());
  const auto same = std::find_if(chosen_.begin(), chosen_.end(), [&](const auto& one) { return one.first == name; });
  if (same == chosen_.end())
    chosen_.emplace_back(name, value);
  else
    same->second = value;
}

std::string_view PolicyOptions::text(std::string_view name) const {
  const PolicyOption& option = find(name);
  for (const auto& [key, value] : chosen_)
    if (key == name) return value;
  return option.initial;
}

unsigned PolicyOptions::number(std::string_view name) const {
  bool ok = true;
  return number_of(text(name), ok);
}

std::string PolicyOptions::all() const {
  std::string text;
  for (const auto& [key, value] : chosen_) text += (text.empty() ? "" : ",") + key + "=" + value;
  return text;
}

void PolicyOptions::check(const Policies& policies) const {
  const std::pair<std::string_view, std::string_view> seams[] = {
      {"divergence", policies.divergence}, {"issue", policies.issue}, {"residency", policies.residency}};
  for (const auto& [key, value] : chosen_) {
    const PolicyOption& option = find(key);
    const bool used = std::any_of(std::begin(seams), std::end(seams), [&](const auto& seam) {
      return has(option.policies, " ", fmt::format("{}={}", seam.first, seam.second));
    });
    if (used) continue;
    std::string wanted;
    split(option.policies, " ",
          [&](std::string_view one) { wanted += (wanted.empty() ? "" : " or ") + std::string(one); });
    base::fail(ErrorCode::invalid_argument, "{}={} is an option of {}, which is not chosen", key, value, wanted);
  }
}

}  // namespace heddle::device::sim
