#include "device/cpu/code_place.hpp"

#include <fmt/format.h>

#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "device/fault_text.hpp"
#include "ptx/printer.hpp"

namespace heddle::device::cpu {
namespace {

// Where an instruction comes from, by the number that its code has.
struct Origin {
  const ptx::Function* function = nullptr;
  const ptx::Instruction* instruction = nullptr;  // null: not known
};

Origin origin(const LaunchJob& job, unsigned number) {
  const KernelUnit* const unit = job.unit();
  const KernelUnit::Place* const from = unit == nullptr ? nullptr : unit->place_of(number);
  if (from == nullptr) return {};
  const ptx::Function& function = job.module().functions[from->function];
  return {&function, &function.body[from->instruction]};
}

// Functions of the headers that come with Heddle.
bool is_own(const ptx::Function& function) { return function.name.find("__heddle_") != std::string::npos; }

// " at saxpy.cu:12", " near saxpy.cu:12"
std::string at(const std::string& source) { return (source.starts_with("near ") ? " " : " at ") + source; }

}  // namespace

std::string block_name(const BlockContext& block) {
  return base::format_triple(block.block_id[0], block.block_id[1], block.block_id[2]);
}

std::string block_name(const LaunchJob& job, std::uint64_t id) {
  std::uint32_t index[3];
  job.block_index(id, index);
  return base::format_triple(index[0], index[1], index[2]);
}

std::string thread_name(const LaunchJob& job, std::uint32_t linear) {
  const Dim3& size = job.config().block;
  return base::format_triple(linear % size.x, linear / size.x % size.y, linear / size.x / size.y);
}

const ptx::Instruction* instruction_of(const LaunchJob& job, unsigned number) {
  return origin(job, number).instruction;
}

std::string code_place(const LaunchJob& job, unsigned number) {
  const auto [function, inst] = origin(job, number);
  if (inst == nullptr) return number == 0 ? "" : fmt::format(" at PTX line {}", number);
  const std::string ptx_line =
      fmt::format("PTX line {}: {}", inst->where.line, ptx::print(job.module(), *function, *inst));
  const std::string line = source_place(job.module(), *function, inst->where.loc);
  const std::string calls =
      function == &job.kernel() ? std::string() : call_places(job.module(), job.kernel(), *function);
  if (!calls.empty() && is_own(*function))
    return fmt::format("{}, in '{}' ({}{}{})", at(calls), base::demangled(function->name), line,
                       line.empty() ? "" : "; ", ptx_line);
  const std::string here = line.empty() ? " at " + ptx_line : fmt::format("{} ({})", at(line), ptx_line);
  return calls.empty() ? here : fmt::format("{}, in '{}' called{}", here, base::demangled(function->name), at(calls));
}

}  // namespace heddle::device::cpu
