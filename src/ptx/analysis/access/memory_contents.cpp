#include "ptx/analysis/access/memory_contents.hpp"

namespace heddle::ptx::analysis {

using Kind = Source::Kind;

PointerValue MemoryContents::cell(std::uint32_t variable, std::int64_t offset) const {
  PointerValue value;
  for (auto it = cells_.lower_bound({variable, INT64_MIN}); it != cells_.end() && it->first.first == variable; ++it) {
    const std::int64_t there = it->first.second;
    const bool meets =
        offset == Source::any_offset || there == Source::any_offset || (there > offset - 8 && there < offset + 8);
    if (meets) value.insert(it->second);
  }
  return value;
}

PointerValue MemoryContents::parameter_field(std::uint32_t parameter, std::int64_t offset) {
  PointerValue value;
  const auto size = static_cast<std::int64_t>(function_.parameters[parameter].size());
  const auto add = [&](std::int64_t at) { value.plain.insert(sources_.number({Kind::parameter, parameter, at})); };
  if (offset != Source::any_offset) {
    if (offset >= 0 && offset < size) add(offset & ~std::int64_t{7});
    return value;
  }
  for (std::int64_t at = 0; at < size; at += 8) add(at);
  return value;
}

PointerValue MemoryContents::loaded_from(const SourceSet& targets, Space space, std::int64_t step) {
  PointerValue value;
  if (space == Space::shared) return shared_;
  for (std::uint32_t number : targets) {
    const Source source = sources_[number];
    const std::int64_t offset = source.offset == Source::any_offset ? source.offset : source.offset + step;
    switch (source.kind) {
      case Kind::cell: value.insert(cell(source.index, offset)); break;
      case Kind::parameter_cell: value.insert(parameter_field(source.index, offset)); break;
      case Kind::shared: value.insert(shared_); break;
      case Kind::loaded:
      case Kind::elsewhere: value.plain.insert(number); break;
      default: value.plain.insert(sources_.number({Kind::loaded, number, 0})); break;
    }
  }
  if (targets.empty() && space == Space::local)
    for (const auto& [key, contents] : cells_) value.insert(contents);
  if (targets.empty() && space != Space::local && space != Space::param)
    value.plain.insert(sources_.number({Kind::elsewhere, 0, 0}));
  return value;
}

bool MemoryContents::store(const SourceSet& targets, Space space, const PointerValue& value, std::int64_t step) {
  bool changed = space == Space::shared && shared_.insert(value);
  for (std::uint32_t number : targets) {
    const Source& source = sources_[number];
    if (source.kind == Kind::shared) changed |= shared_.insert(value);
    if (source.kind != Kind::cell) continue;
    const std::int64_t offset = source.offset == Source::any_offset ? source.offset : source.offset + step;
    changed |= cells_[{source.index, offset}].insert(value);
  }
  return changed;
}

}  // namespace heddle::ptx::analysis
