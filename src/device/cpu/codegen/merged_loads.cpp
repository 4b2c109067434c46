#include "device/cpu/codegen/merged_loads.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "device/cpu/codegen/arithmetic.hpp"
#include "device/cpu/codegen/function_facts.hpp"
#include "ptx/analysis/effects/memory_effect.hpp"

namespace heddle::device::cpu {

using ptx::Instruction;
using ptx::Opcode;
using ptx::OperandKind;
using ptx::Space;
using Kind = ValueForm::Kind;

namespace {

// A register's value as an unknown one plus a known distance: registers with the same unknown are a known distance
// apart.
struct Number {
  std::uint32_t unknown = 0;
  std::int64_t distance = 0;
  friend bool operator==(const Number&, const Number&) = default;
};

struct Load {
  std::uint32_t instruction = 0;
  std::int64_t distance = 0;  // of its first byte from the unknown
  unsigned count = 1;
  bool is_sum = false;  // the unknown is a sum whose operands are unchanged
};

// Loads that may be merged as far as the text between them goes.
struct Window {
  std::uint32_t unknown = 0;
  unsigned bytes = 4;
  std::size_t first_store = 0;  // number of the first store behind its first load
  std::vector<Load> loads;
};

class Finder {
 public:
  explicit Finder(const FunctionFacts& facts) : facts_(facts), numbers_(facts.function.registers.size()) {}

  MergedLoads run() {
    if (facts_.options.lanes == 1) return {};
    for (std::uint32_t block : facts_.cfg.order()) {
      ++block_;  // what was known of registers holds for one block
      sums_.clear();
      for (std::uint32_t i = facts_.cfg.block(block).begin; i < facts_.cfg.block(block).end; ++i) visit(i);
      close_windows();
    }
    return std::move(result_);
  }

 private:
  struct Numbered {
    std::uint32_t block = 0;
    Number number;
    std::uint32_t defined = 0;  // by which instruction
  };
  struct Sum {
    std::uint32_t uniform = 0, varying = 0;
    Number uniform_number, varying_number;
  };

  Number number(std::uint32_t reg) {
    Numbered& known = numbers_[reg];
    if (known.block != block_) known = {block_, {next_unknown_++, 0}, 0};
    return known.number;
  }

  void visit(std::uint32_t index) {
    const Instruction& inst = facts_.function.body[index];
    const bool is_load = inst.opcode == Opcode::ld || inst.opcode == Opcode::ldu;
    const bool weak = inst.d.order == ptx::Order::weak || inst.d.nc;
    if (is_load && weak)
      add_load(index);
    else if (inst.opcode == Opcode::st && weak && is_regular(inst))
      stores_.push_back(index);
    else if (!leaves_memory(inst))
      close_windows();
    define_results(index);
  }

  // Instructions that neither write memory nor let others do so, and behind which the warp always goes on.
  static bool leaves_memory(const Instruction& inst) {
    return ArithmeticEmitter::handles(inst.opcode) || inst.opcode == Opcode::mov || inst.opcode == Opcode::cvta ||
           inst.opcode == Opcode::isspacep;
  }

  // A store to one place, or to places side by side, that was known before the first load that is still open.
  bool is_regular(const Instruction& inst) {
    const ptx::Operand& address = inst.operands[0];
    if (address.base != OperandKind::reg || inst.d.space == Space::param || inst.d.space == Space::local) return false;
    const ValueForm& form = facts_.forms[address.index];
    if (form.kind == Kind::varying) return false;
    const std::vector<std::int64_t> offsets = facts_.lane_offsets(form);
    const auto [lowest, highest] = std::minmax_element(offsets.begin(), offsets.end());
    const auto bytes = static_cast<std::int64_t>(ptx::byte_size(inst.d.type)) * inst.d.vector;
    if (*highest - *lowest > bytes * static_cast<std::int64_t>(offsets.size())) return false;
    const Numbered& base = numbers_[address.index];
    return windows_.empty() || base.block != block_ || base.defined < windows_.front().loads.front().instruction;
  }

  void define_results(std::uint32_t index) {
    const Instruction& inst = facts_.function.body[index];
    std::optional<Number> moved;
    std::optional<Sum> sum;
    const bool adds = inst.opcode == Opcode::add && !inst.guard.present && !inst.d.carry_out && !inst.d.sat &&
                      inst.operands[1].is_reg() && ptx::bit_width(inst.d.type) == 64 && !ptx::is_float(inst.d.type);
    if (adds && inst.operands[2].kind == OperandKind::integer) {
      moved = number(inst.operands[1].index);
      moved->distance = static_cast<std::int64_t>(static_cast<std::uint64_t>(moved->distance) +
                                                  static_cast<std::uint64_t>(inst.operands[2].value));
    } else if (adds && inst.operands[2].is_reg()) {
      sum = sum_of(inst.operands[1].index, inst.operands[2].index);
    }
    for (const auto& occurrence : facts_.table.of(index)) {
      if (!occurrence.is_def) continue;
      const Number defined = moved ? *moved : Number{next_unknown_++, 0};
      numbers_[occurrence.reg] = {block_, defined, index};
      if (sum) sums_[defined.unknown] = *sum;
    }
  }

  std::optional<Sum> sum_of(std::uint32_t a, std::uint32_t b) {
    if (facts_.forms[a].kind != Kind::uniform) std::swap(a, b);
    if (facts_.forms[a].kind != Kind::uniform || facts_.forms[b].kind != Kind::varying) return std::nullopt;
    return Sum{a, b, number(a), number(b)};
  }

  bool sum_holds(std::uint32_t unknown) {
    const auto found = sums_.find(unknown);
    if (found == sums_.end()) return false;
    const Sum& sum = found->second;
    return number(sum.uniform) == sum.uniform_number && number(sum.varying) == sum.varying_number;
  }

  void add_load(std::uint32_t index) {
    const Instruction& inst = facts_.function.body[index];
    const ptx::Operand& address = inst.operands[1];
    const unsigned bytes = ptx::byte_size(inst.d.type);
    if (address.base != OperandKind::reg || inst.guard.present || bytes > 8 || !std::has_single_bit(bytes)) return;
    const Space space = inst.d.space;
    if (space == Space::param || space == Space::local) return;
    if (!gathers(address.index, bytes, inst.d.vector)) return;
    const Number base = number(address.index);
    const auto [window, is_new] = open_.try_emplace({base.unknown, space, bytes}, windows_.size());
    if (!is_new && stores_.size() - windows_[window->second].first_store > merged_stores)
      window->second = windows_.size();
    if (window->second == windows_.size()) windows_.push_back({base.unknown, bytes, stores_.size(), {}});
    const auto distance = static_cast<std::int64_t>(static_cast<std::uint64_t>(base.distance) +
                                                    static_cast<std::uint64_t>(address.value));
    windows_[window->second].loads.push_back({index, distance, inst.d.vector, sum_holds(base.unknown)});
  }

  // Whether lanes that read through the register read places of their own, far from each other.
  bool gathers(std::uint32_t reg, unsigned bytes, unsigned count) const {
    const ValueForm& form = facts_.forms[reg];
    if (form.kind != Kind::affine) return form.kind == Kind::varying;
    const std::vector<std::int64_t> offsets = facts_.lane_offsets(form);
    constexpr std::size_t near_bytes = 16;
    std::set<std::int64_t> places(offsets.begin(), offsets.end());
    if (places.size() < offsets.size()) return false;  // few places, each read by several lanes
    const auto record = static_cast<std::int64_t>(bytes) * count;
    std::int64_t nearest = INT64_MAX;
    for (std::size_t lane = 1; lane < offsets.size(); ++lane)
      nearest = std::min(nearest, std::abs(offsets[lane] - offsets[lane - 1]));
    return nearest > std::max<std::int64_t>(record, near_bytes);
  }

  void close_windows() {
    for (const Window& window : windows_) cut(window);
    windows_.clear();
    open_.clear();
    stores_.clear();
  }

  // Cuts the bytes that a window's loads read into wide accesses, and what is left into single ones.
  void cut(const Window& window) {
    if (window.loads.size() == 1 && window.loads[0].count == 1) return;
    // Elements that lie on each other's bytes in part belong to different rows of elements.
    std::map<std::int64_t, std::vector<std::int64_t>> by_remainder;
    const auto bytes = static_cast<std::int64_t>(window.bytes);
    for (const Load& load : window.loads)
      for (unsigned e = 0; e < load.count; ++e)
        by_remainder[load.distance & (bytes - 1)].push_back(load.distance + e * bytes);
    std::map<std::int64_t, MergedLoads::Place> places;
    const auto first_group = static_cast<std::uint32_t>(result_.groups.size());
    std::vector<std::int64_t> starts;
    for (auto& [remainder, elements] : by_remainder) {
      std::sort(elements.begin(), elements.end());
      elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
      cut_runs(elements, window.bytes, places, starts);
    }
    assign(window, places, starts, first_group);
  }

  void cut_runs(const std::vector<std::int64_t>& elements, unsigned bytes,
                std::map<std::int64_t, MergedLoads::Place>& places, std::vector<std::int64_t>& starts) {
    for (std::size_t begin = 0; begin < elements.size();) {
      std::size_t end = begin + 1;
      while (end < elements.size() && elements[end] == elements[end - 1] + bytes) ++end;
      while (begin < end) {
        const auto count = std::min<std::size_t>(std::bit_floor(end - begin), merged_bytes / bytes);
        if (count > 1) {
          const auto group = static_cast<std::uint32_t>(result_.groups.size());
          result_.groups.push_back({MergedLoads::none, 0, bytes, static_cast<unsigned>(count), std::nullopt, {}});
          starts.push_back(elements[begin]);
          for (unsigned e = 0; e < count; ++e) places[elements[begin + e]] = {group, e};
        }
        begin += count;
      }
    }
  }

  void assign(const Window& window, const std::map<std::int64_t, MergedLoads::Place>& places,
              const std::vector<std::int64_t>& starts, std::uint32_t first_group) {
    std::vector<std::uint32_t> last(starts.size());
    for (const Load& load : window.loads) {
      std::vector<MergedLoads::Place> found(load.count);
      bool any = false;
      for (unsigned e = 0; e < load.count; ++e) {
        const auto place = places.find(load.distance + static_cast<std::int64_t>(e) * window.bytes);
        if (place == places.end()) continue;
        any = true;
        found[e] = place->second;
        LoadGroup& group = result_.groups[place->second.group];
        last[place->second.group - first_group] = load.instruction;
        if (group.first != MergedLoads::none) continue;
        const std::int64_t start = starts[place->second.group - first_group];
        group.first = load.instruction;
        group.distance = start - load.distance;
        if (load.is_sum) group.sum = {sums_[window.unknown].uniform, sums_[window.unknown].varying, start};
      }
      if (any) result_.places[load.instruction] = std::move(found);
    }
    for (std::size_t number = 0; number < starts.size(); ++number) {
      LoadGroup& group = result_.groups[first_group + number];
      for (std::size_t s = window.first_store; s < stores_.size() && stores_[s] < last[number]; ++s)
        if (stores_[s] > group.first) group.stores.push_back(stores_[s]);
    }
  }

  const FunctionFacts& facts_;
  MergedLoads result_;
  std::uint32_t block_ = 0, next_unknown_ = 0;
  std::vector<Numbered> numbers_;                // by register
  std::unordered_map<std::uint32_t, Sum> sums_;  // by unknown
  std::vector<Window> windows_;
  std::vector<std::uint32_t> stores_;  // since the first open load
  std::map<std::tuple<std::uint32_t, Space, unsigned>, std::size_t> open_;
};

}  // namespace

MergedLoads find_merged_loads(const FunctionFacts& facts) { return Finder(facts).run(); }

}  // namespace heddle::device::cpu
