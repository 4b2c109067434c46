#include "random/slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "device/interp/interp.hpp"
#include "ptx/forms.hpp"
#include "support/ptx_test.hpp"
#include "support/short_patience.hpp"

namespace heddle::test::random_kernel {

namespace {

using device::interp::Step;
using ptx::Opcode;
using ptx::OperandKind;

struct Element {
  std::string buffer;
  std::uint64_t offset = 0, bytes = 0;  // in the buffer
};

// What is left of an instruction when its module is gone.
struct Executed {
  std::uint32_t line = 0;
  std::size_t depth = 0;
  std::vector<std::uint32_t> reads;
  std::vector<std::pair<std::uint32_t, std::string>> writes;  // "%r1 = 0x2a"
};

struct Writer {
  std::string block;
  std::uint32_t thread = 0;
  std::size_t step = 0;  // of its steps
};

Element element_of(const PtxCase& c, const std::string& text) {
  const std::size_t bracket = text.find('[');
  const std::string name = text.substr(0, bracket);
  for (const CaseArgument& argument : c.arguments) {
    if (argument.name != name || !argument.buffer || bracket == std::string::npos) continue;
    const std::uint64_t index = std::stoull(text.substr(bracket + 1)), bytes = ptx::byte_size(argument.type);
    if (index < argument.values.size()) return {name, index * bytes, bytes};
  }
  base::fail(ErrorCode::invalid_argument, "The kernel has no '{}'; an element is given as out32[169].", text);
}

std::string place_of(const Step& step) { return fmt::format("({}, {}, {})", step.block.x, step.block.y, step.block.z); }

class Observer {
 public:
  explicit Observer(Element element) : element_(std::move(element)) {}

  void step(const Step& step) {
    if (step.registers.empty()) return;
    find_buffer(step);
    const std::string block = place_of(step);
    if (chosen_ && chosen_->block == block && chosen_->thread == step.thread) keep(step);
    if (buffer_ && writes_element(step)) last_ = Writer{block, step.thread, steps_.size()};
  }
  // In the next run the steps of the one who wrote last are kept.
  bool choose() {
    chosen_ = std::exchange(last_, std::nullopt);
    return chosen_.has_value();
  }
  const Writer& writer() const { return *last_; }
  const std::vector<Executed>& steps() const { return steps_; }

 private:
  // ld.param of the buffer's address.
  void find_buffer(const Step& step) {
    const ptx::Instruction& inst = step.instruction;
    if (inst.opcode != Opcode::ld || inst.d.space != ptx::Space::param || !step.function.is_entry) return;
    const ptx::Operand& source = inst.operands[1];
    if (source.base != OperandKind::symbol || source.symbol.kind != ptx::SymbolRef::Kind::parameter) return;
    if (step.function.parameters[source.symbol.index].name == element_.buffer && inst.operands[0].is_reg())
      buffer_ = step.registers[inst.operands[0].index].lo;
  }
  bool writes_element(const Step& step) const {
    const ptx::Instruction& inst = step.instruction;
    if (inst.opcode != Opcode::st && inst.opcode != Opcode::atom && inst.opcode != Opcode::red) return false;
    if (inst.d.space != ptx::Space::global && inst.d.space != ptx::Space::generic) return false;
    const ptx::Operand& at = inst.operands[inst.opcode == Opcode::atom ? 1 : 0];
    if (at.base != OperandKind::reg) return false;
    const std::uint64_t begin = step.registers[at.index].lo + static_cast<std::uint64_t>(at.value);
    const std::uint64_t end = begin + std::uint64_t{ptx::byte_size(inst.d.type)} * inst.d.vector;
    const std::uint64_t wanted = *buffer_ + element_.offset;
    return begin < wanted + element_.bytes && wanted < end;
  }
  void keep(const Step& step) {
    Executed executed{step.instruction.where.line, step.depth, {}, {}};
    ptx::for_each_use(step.instruction, [&](std::uint32_t reg, const ptx::Slot&) { executed.reads.push_back(reg); });
    ptx::for_each_def(step.instruction, [&](std::uint32_t reg, const ptx::Slot&) {
      executed.writes.emplace_back(
          reg, fmt::format("{} = {:#x}", step.function.registers[reg].name, step.registers[reg].lo));
    });
    steps_.push_back(std::move(executed));
  }

  Element element_;
  std::optional<std::uint64_t> buffer_;
  std::optional<Writer> chosen_, last_;
  std::vector<Executed> steps_;
};

// The steps that the one before `end` needs, and it.
std::vector<const Executed*> needed_by(const std::vector<Executed>& steps, std::size_t end) {
  std::vector<const Executed*> result;
  std::set<std::pair<std::size_t, std::uint32_t>> wanted;  // depth and register
  for (std::size_t i = end; i-- > 0;) {
    const Executed& step = steps[i];
    bool needed = i + 1 == end;
    for (const auto& [reg, text] : step.writes) needed |= wanted.erase({step.depth, reg}) != 0;
    if (!needed) continue;
    for (std::uint32_t reg : step.reads) wanted.insert({step.depth, reg});
    result.push_back(&step);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

std::string slice(const std::string& text, const std::string& element) {
  const PtxCase c = parse_cases(text, "random.ptx").at(0);
  Observer observer(element_of(c, element));
  const auto run = [&] {
    const CaseResult result = run_case(c, [&](const TestDeviceOptions& options) {
      device::interp::InterpOptions chosen;
      chosen.poison = options.poison;
      chosen.deadlock_timeout = short_patience;
      chosen.step = [&](const Step& step) { observer.step(step); };
      return device::interp::make_interp_device(std::move(chosen));
    });
    if (result.error) throw Error(*result.error, result.error_text);
  };
  run();
  if (!observer.choose()) base::fail(ErrorCode::not_found, "Nobody writes {}.", element);
  run();
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::string result = fmt::format("{} is last written by thread {} of block {}:\n", element, observer.writer().thread,
                                   observer.writer().block);
  for (const Executed* step : needed_by(observer.steps(), observer.writer().step)) {
    result += fmt::format("{:5} {:<70}", step->line, lines[step->line - 1]);
    for (const auto& [reg, value] : step->writes) result += "  " + value;
    result += "\n";
  }
  return result;
}

}  // namespace heddle::test::random_kernel
