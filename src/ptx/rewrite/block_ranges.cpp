#include "ptx/rewrite/block_ranges.hpp"

#include <algorithm>
#include <charconv>

#include "ptx/rewrite/block_ranges_pool.hpp"
#include "ptx/rewrite/block_ranges_prelude.hpp"
#include "ptx/rewrite/block_ranges_refusal.hpp"
#include "ptx/rewrite/grid_reads.hpp"
#include "ptx/rewrite/grid_values.hpp"

namespace heddle::ptx {
namespace {

constexpr const char* hidden_names[] = {
    "counter",
    "control",
    "end",
    "offset_x",
    "offset_y",
    "offset_z",
    "grid_x",
    "grid_y",
    "grid_z",
    "cluster_offset_x",
    "cluster_offset_y",
    "cluster_offset_z",
    "clusters_x",
    "clusters_y",
    "clusters_z",
    "first",
    "count",
    "magic_x",
    "shift_x",
    "magic_y",
    "shift_y",
};

// Where more instructions want block numbers that take a division, these are computed once, where the kernel begins.
constexpr std::size_t few_reads = 1;

bool reads_grid_number(const Operand& operand) {
  if (operand.kind == OperandKind::special) return operand.special == SpecialRegister::gridid;
  return std::any_of(operand.elements.begin(), operand.elements.end(), reads_grid_number);
}

// Bytes that kernels may have as parameters: more since PTX 8.1 and sm_70.
std::uint32_t most_parameter_bytes(const Module& module) {
  constexpr std::uint32_t few = 4352, many = 32764;
  constexpr unsigned large_target = 70;
  unsigned target = 0;
  for (const std::string& name : module.targets)
    if (name.starts_with("sm_")) std::from_chars(name.data() + 3, name.data() + name.size(), target);
  const bool new_version = module.version_major * 10 + module.version_minor >= 81;
  return new_version && target >= large_target ? many : few;
}

std::uint32_t packed_end(const std::vector<Variable>& parameters) {
  std::uint64_t offset = 0;
  for (const Variable& parameter : parameters) {
    const std::uint64_t align = std::max(1u, parameter.alignment());
    offset = (offset + align - 1) / align * align + parameter.size();
  }
  return static_cast<std::uint32_t>(offset);
}

class Builder {
 public:
  Builder(const Module& module, const RangeFacts& facts, const RangeOptions& options)
      : module_(module),
        facts_(facts),
        options_(options),
        stem_(unused_stem(module)),
        copies_{values_needed(module), std::vector<std::uint32_t>(module.functions.size(), GridCopies::no_copy)},
        context_{module, facts, copies_.needed} {}

  // All but the module; what it gets is in added().
  RangeModule build(std::span<const RangeForm> forms) {
    std::vector<std::pair<std::uint32_t, RangeForm>> wanted;
    for (std::uint32_t f = 0; f < module_.functions.size(); ++f) {
      if (!module_.functions[f].is_entry || module_.functions[f].is_declaration) continue;
      for (RangeForm form : forms) {
        const auto refusal = find_range_refusal(context_, f, form);
        if (refusal)
          result_.refusals.push_back({f, form, *refusal});
        else
          wanted.emplace_back(f, form);
      }
    }
    number_copies(wanted);
    for (std::uint32_t f = 0; f < copies_.copies.size(); ++f)
      if (copies_.copies[f] != GridCopies::no_copy)
        added_.push_back(
            copy_with_grid_parameters(module_, f, module_.functions[f].name + "__" + stem_ + "ranges", stem_, copies_));
    for (const auto& [entry, form] : wanted) add(entry, form);
    return std::move(result_);
  }
  std::vector<Function>& added() { return added_; }

 private:
  // Copies of functions come before the entries that call them.
  void number_copies(const std::vector<std::pair<std::uint32_t, RangeForm>>& wanted) {
    std::vector<bool> called(module_.functions.size(), false);
    for (const auto& [entry, form] : wanted)
      if (form != RangeForm::prelude)
        for (std::uint32_t f : facts_.waiting[entry].functions) called[f] = copies_.needed[f].any();
    auto next = static_cast<std::uint32_t>(module_.functions.size());
    for (std::uint32_t f = 0; f < called.size(); ++f)
      if (called[f]) copies_.copies[f] = next++;
  }

  RangeEntry describe(std::uint32_t original, RangeForm form) const {
    const Function& function = module_.functions[original];
    RangeEntry entry;
    entry.original = entry.function = original;
    entry.name = function.name;
    entry.form = form;
    entry.ordered = facts_.blocks[original].order == analysis::BlockOrder::ordered;
    entry.whole_clusters = facts_.blocks[original].whole_clusters;
    if (const FunctionDirective* cluster = function.directive("reqnctapercluster")) {
      const auto extent = [&](std::size_t d) { return d < cluster->values.size() ? cluster->values[d] : 1; };
      entry.cluster = {extent(0), extent(1), extent(2)};
    }
    for (std::uint32_t f : functions_run(facts_, original))
      for (const Instruction& inst : module_.functions[f].body)
        entry.reads_grid_number |= std::any_of(inst.operands.begin(), inst.operands.end(), ptx::reads_grid_number);
    entry.hidden_offset = entry.parameter_bytes = packed_end(function.parameters);
    return entry;
  }

  std::vector<HiddenValue> hidden_values(const RangeEntry& entry) const {
    std::vector<HiddenValue> values = hidden_values_for(entry.form, copies_.needed[entry.original]);
    if (entry.form == RangeForm::prelude) values = {HiddenValue::first, HiddenValue::count};
    if (entry.form == RangeForm::pool)
      values.insert(values.end(), {HiddenValue::counter, HiddenValue::control, HiddenValue::end});
    std::sort(values.begin(), values.end());  // addresses first: they are aligned most
    return values;
  }

  // Appends the hidden parameters to the function and notes them in the entry.
  HiddenIndices add_hidden(RangeEntry& entry, Function& function) const {
    HiddenIndices indices;
    for (HiddenValue value : hidden_values(entry)) {
      Variable parameter;
      parameter.name = stem_ + hidden_names[static_cast<unsigned>(value)];
      parameter.space = Space::param;
      parameter.type = value <= HiddenValue::control ? address_type() : Type::u32;
      const auto bytes = static_cast<std::uint32_t>(parameter.size());
      const std::uint32_t offset = (entry.parameter_bytes + bytes - 1) / bytes * bytes;
      if (entry.hidden.empty()) entry.hidden_offset = offset;
      entry.parameter_bytes = offset + bytes;
      entry.hidden.push_back({value, offset, bytes});
      indices[value] = static_cast<std::uint32_t>(function.parameters.size());
      function.parameters.push_back(std::move(parameter));
    }
    return indices;
  }

  Type address_type() const { return module_.address_size == 64 ? Type::u64 : Type::u32; }

  void add(std::uint32_t original, RangeForm form) {
    RangeEntry entry = describe(original, form);
    if (form == RangeForm::box && copies_.needed[original].none()) {
      result_.entries.push_back(std::move(entry));  // the original will do
      return;
    }
    PoolPlan pool;
    if (form == RangeForm::pool) {
      pool = plan_pool(context_, original);
      if (!pool.refusal.empty()) return refuse(original, form, pool.refusal);
      entry.warps_are_rows = pool.warps_are_rows;
      entry.has_processor_mask = options_.processor_mask;
    }
    Function function = module_.functions[original];
    function.name += "__" + stem_ + std::string(name(form));
    function.unified.reset();
    const HiddenIndices hidden = add_hidden(entry, function);
    const std::uint32_t most = most_parameter_bytes(module_);
    if (entry.parameter_bytes > most)
      return refuse(original, form,
                    "The parameters of " + module_.functions[original].name + " in line " +
                        std::to_string(function.line) + " and the hidden ones take " +
                        std::to_string(entry.parameter_bytes) + " bytes; a kernel has at most " + std::to_string(most) +
                        ".");
    rewrite(function, entry, hidden, pool);
    entry.name = function.name;
    entry.function = static_cast<std::uint32_t>(module_.functions.size() + added_.size());
    added_.push_back(std::move(function));
    result_.entries.push_back(std::move(entry));
  }

  void refuse(std::uint32_t original, RangeForm form, std::string reason) {
    result_.refusals.push_back({original, form, std::move(reason)});
  }

  void rewrite(Function& function, const RangeEntry& entry, const HiddenIndices& hidden, const PoolPlan& pool) const {
    const std::size_t reads = count_grid_reads(function, module_, copies_);
    const GridValueSet& needed = copies_.needed[entry.original];
    BodyEditor editor(function, stem_);
    if (entry.form == RangeForm::prelude) {
      emit_prelude(editor, hidden);
      keep_body(editor);
    } else if (entry.form == RangeForm::box) {
      BoxSource source(hidden);
      rewrite_grid_reads(editor, module_, copies_, source);
    } else {
      std::optional<PoolLoop> loop;
      if (entry.form == RangeForm::pool) loop = emit_loop(editor, function, pool, hidden);
      LinearSource source(hidden, loop ? std::optional(loop->block) : std::nullopt);
      const std::optional<std::uint32_t> leave = loop ? std::optional(loop->again) : std::nullopt;
      if (reads <= few_reads) {
        rewrite_grid_reads(editor, module_, copies_, source, leave);
      } else {
        RegisterSource once(source.emit(editor, needed));
        rewrite_grid_reads(editor, module_, copies_, once, leave);
      }
    }
    editor.finish();
  }

  static void keep_body(BodyEditor& editor) {
    for (std::size_t i = 0; i < editor.size(); ++i) {
      editor.begin(i);
      editor.emit(editor.take(i));
    }
    editor.begin(editor.size());
  }

  PoolLoop emit_loop(BodyEditor& editor, Function& function, const PoolPlan& plan, const HiddenIndices& hidden) const {
    Variable slot;
    slot.name = stem_ + "slot";
    slot.space = Space::shared;
    slot.type = Type::b32;
    function.variables.push_back(std::move(slot));
    return emit_pool_head(editor, plan, hidden, static_cast<std::uint32_t>(function.variables.size() - 1),
                          address_type(), options_.processor_mask);
  }

  const Module& module_;
  const RangeFacts& facts_;
  const RangeOptions& options_;
  std::string stem_;
  GridCopies copies_;
  RangeContext context_;
  RangeModule result_;
  std::vector<Function> added_;
};

}  // namespace

const RangeEntry* RangeModule::find(std::uint32_t original, RangeForm form) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const RangeEntry& entry) {
    return entry.original == original && entry.form == form;
  });
  return found == entries.end() ? nullptr : &*found;
}

RangeModule add_range_entries(Module module, std::span<const RangeForm> forms, const RangeFacts& facts,
                              const RangeOptions& options) {
  Builder builder(module, facts, options);
  RangeModule result = builder.build(forms);
  result.module = std::move(module);
  for (Function& function : builder.added()) result.module.functions.push_back(std::move(function));
  return result;
}

RangeModule add_range_entries(Module module, std::span<const RangeForm> forms, const RangeOptions& options) {
  const RangeFacts facts = find_range_facts(module);
  return add_range_entries(std::move(module), forms, facts, options);
}

}  // namespace heddle::ptx
