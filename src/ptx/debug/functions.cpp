#include "ptx/debug/functions.hpp"

#include <optional>

#include "heddle/error.hpp"
#include "ptx/debug/entries.hpp"

namespace heddle::ptx {
namespace {

using Entries = std::map<std::uint64_t, DebugEntry>;

// No type of a program is built of more parts; damaged ones may lead back to themselves.
constexpr unsigned deepest = 32;

class Describer {
 public:
  explicit Describer(const Entries& entries) : entries_(entries) {}

  DebugFunction function(const DebugEntry& entry) const {
    const DebugEntry complete = completed(entry, 0);
    DebugFunction made{std::string(complete.linkage_name.empty() ? complete.name : complete.linkage_name)};
    for (const std::uint64_t at : complete.parameters) {
      const DebugEntry parameter = completed(entries_.at(at), 0);
      DebugParameter& one = made.parameters.emplace_back(DebugParameter{std::string(parameter.name)});
      one.type = type(parameter.type, false, 0).value_or("");
      one.actual = type(parameter.type, true, 0).value_or("");
    }
    return made;
  }

 private:
  const DebugEntry* find(std::uint64_t at) const {
    const auto found = entries_.find(at);
    return found == entries_.end() ? nullptr : &found->second;
  }

  DebugEntry completed(const DebugEntry& entry, unsigned depth) const {
    DebugEntry made = entry;
    const DebugEntry* const origin = depth < deepest ? find(entry.origin) : nullptr;
    if (origin == nullptr) return made;
    const DebugEntry more = completed(*origin, depth + 1);
    if (made.name.empty()) made.name = more.name;
    if (made.linkage_name.empty()) made.linkage_name = more.linkage_name;
    if (made.type == 0) made.type = more.type;
    if (made.parameters.empty()) made.parameters = more.parameters;
    return made;
  }

  // Nothing for what is not spelled.
  std::optional<std::string> type(std::uint64_t at, bool actual, unsigned depth) const {
    if (at == 0) return "void";
    const DebugEntry* const entry = depth < deepest ? find(at) : nullptr;
    if (entry == nullptr) return {};
    const auto inner = [&] { return type(entry->type, actual, depth + 1); };
    switch (entry->tag) {
      case DebugTag::base_type:
      case DebugTag::class_type:
      case DebugTag::enumeration_type:
      case DebugTag::structure_type:
      case DebugTag::union_type: return named(*entry);
      case DebugTag::typedef_type: return actual ? inner() : named(*entry);
      case DebugTag::pointer_type: return behind(inner(), "*");
      case DebugTag::reference_type: return behind(inner(), "&");
      case DebugTag::rvalue_reference_type: return behind(inner(), "&&");
      case DebugTag::restrict_type: return inner();
      case DebugTag::const_type: return qualified(inner(), "const");
      case DebugTag::volatile_type: return qualified(inner(), "volatile");
      default: return {};
    }
  }

  static std::optional<std::string> named(const DebugEntry& entry) {
    return entry.name.empty() ? std::nullopt : std::optional(std::string(entry.name));
  }
  static std::optional<std::string> behind(std::optional<std::string> inner, const char* sign) {
    if (inner) *inner += sign;
    return inner;
  }
  static std::optional<std::string> qualified(std::optional<std::string> inner, const std::string& word) {
    if (!inner) return inner;
    return inner->ends_with('*') ? *inner + " " + word : word + " " + *inner;
  }

  const Entries& entries_;
};

}  // namespace

std::vector<DebugFunction> read_debug_functions(std::string_view sections) {
  if (sections.find(".debug_info") == sections.npos) return {};
  SectionBytes bytes;
  try {
    bytes = read_sections(sections);
  } catch (const Error&) {  // sections of another kind: there is no debug information then
    return {};
  }
  const Entries entries = read_debug_entries(bytes);
  const Describer describer(entries);
  std::vector<DebugFunction> made;
  for (const auto& [at, entry] : entries) {
    if (entry.tag != DebugTag::subprogram) continue;
    DebugFunction function = describer.function(entry);
    if (!function.name.empty()) made.push_back(std::move(function));
  }
  return made;
}

}  // namespace heddle::ptx
