#include "runtime/module_state.hpp"

#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "base/fail.hpp"
#include "base/find_kernel.hpp"
#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "base/nearest.hpp"
#include "modules/signature_check.hpp"
#include "runtime/annotation.hpp"
#include "sched/turn.hpp"

namespace heddle::runtime {

ModuleState::ModuleState(std::shared_ptr<core::Core> core, std::shared_ptr<const ptx::Module> module, std::string text,
                         std::string name)
    : code_(std::move(core), std::move(module), std::move(text), std::move(name)) {
  for (const ptx::Function& function : code_.ptx().functions)
    if (function.is_entry && !function.is_declaration)
      kernels_.push_back(std::make_unique<KernelState>(code_, function));
}

// Launches do not say which module they are of, which would cost each of them time: all must end.
ModuleState::~ModuleState() {
  core::Core& core = *code_.core();
  {
    base::Lock lock(core.mutex_at_end());
    core.wait_until_all_submitted(lock);
    core.replayer().flush();
    if (auto* const dispatcher = core.dispatcher()) dispatcher->wait_until_all_done(lock);
  }
  core.scheduler().drain();
  const base::Lock lock(core.mutex_at_end());
  code_.remove_variables();
}

std::shared_ptr<KernelState> ModuleState::kernel(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& kernel : kernels_) names.emplace_back(kernel->name());
  return {shared_from_this(), kernels_[base::find_kernel(names, name, code_.name())].get()};
}

std::shared_ptr<KernelState> ModuleState::kernel(std::string_view name, std::string_view signature) {
  const modules::Signature parsed = modules::parse_signature(signature);
  const std::shared_ptr<KernelState> plain = kernel(name);
  KernelInfo info = modules::with_signature(plain->info(), parsed,
                                            [&plain](std::size_t number, Direction direction, std::string_view what) {
                                              return annotated(*plain, number, direction, what);
                                            });
  const base::Lock lock(signatures_mutex_);
  std::unique_ptr<KernelState>& made = with_signatures_[{plain.get(), modules::to_text(parsed)}];
  if (!made) made = std::make_unique<KernelState>(*plain, std::move(info));
  return {shared_from_this(), made.get()};
}

namespace {

// Of bits, b8 to b128, PTX does not say what they are.
ElementType element_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::s8:
    case ptx::Type::u8: return ElementType::i8;
    case ptx::Type::s16:
    case ptx::Type::u16: return ElementType::i16;
    case ptx::Type::s32:
    case ptx::Type::u32: return ElementType::i32;
    case ptx::Type::s64:
    case ptx::Type::u64: return ElementType::i64;
    case ptx::Type::f16: return ElementType::f16;
    case ptx::Type::f32: return ElementType::f32;
    case ptx::Type::f64: return ElementType::f64;
    default: return ElementType::unknown;
  }
}

}  // namespace

VariableType ModuleState::variable_type(std::string_view name) const {
  const ptx::Variable& variable = declared(name);
  return {element_of(variable.type), !variable.dims.empty() || variable.vector > 1, variable.size()};
}

void ModuleState::check_variable(std::string_view name, ElementType type, std::size_t bytes) const {
  const VariableType known = variable_type(name);
  const bool is_other = known.element != ElementType::unknown && type != ElementType::unknown && known.element != type;
  if (is_other)
    base::fail(ErrorCode::invalid_argument,
               "variable '{}' of {} is {}{}; a value of {} would be taken for other numbers (write_variable and "
               "read_variable copy bytes of any type)",
               name, code_.name(), known.is_array ? "an array of " : "of type ", heddle::name(known.element),
               heddle::name(type));
  if (!known.is_array && bytes != known.bytes)
    base::fail(ErrorCode::invalid_argument, "variable '{}' of {} has {}, and the value {}", name, code_.name(),
               base::counted(known.bytes, "byte"), bytes);
}

const ptx::Variable& ModuleState::declared(std::string_view name) const {
  std::string all, fitting;
  const ptx::Variable* found = nullptr;
  unsigned count = 0;
  for (const ptx::Variable& variable : code_.ptx().variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const base::Maker maker = base::maker_of_variable(variable.name);
    if (maker == base::Maker::heddle) continue;
    if (variable.name == name) return variable;
    if (maker == base::Maker::compiler) continue;
    const std::string readable = base::readable_name(variable.name);
    all += (all.empty() ? "" : ", ") + readable;
    if (!base::source_name_matches(variable.name, name)) continue;
    fitting += (fitting.empty() ? "" : ", ") + readable;
    found = &variable;
    ++count;
  }
  if (count == 1) return *found;
  if (count > 1) {
    base::fail(ErrorCode::not_found, "'{}' fits {} variables of {}; give the whole name of one of them: {}", name,
               count, code_.name(), fitting);
  }
  base::fail(ErrorCode::not_found, "{} has no variable '{}'; it has {}", code_.name(), name,
             all.empty() ? "no variables at all" : all);
}

device::Span ModuleState::variable(std::string_view name, std::size_t offset, std::size_t bytes, std::size_t place) {
  const device::Span whole = code_.on(place).variable(declared(name).name);
  if (offset > whole.size || bytes > whole.size - offset) {
    base::fail(ErrorCode::invalid_argument, "variable '{}' of {} has {}, so {} from byte {} on {} not fit", name,
               code_.name(), base::counted(whole.size, "byte"), base::counted(bytes, "byte"), offset,
               bytes == 1 ? "does" : "do");
  }
  return whole.sub(offset, bytes);
}

// By way of memory that copies do not block for: the program's own need not be.
void ModuleState::copy_variable(const device::Span& to, const device::Span& from, graph::Mode mode, std::size_t place) {
  core::Core& core = *code_.core();
  graph::TaskRef copied;
  {
    base::Lock lock(core.mutex());
    core.wait_until_all_submitted(lock);
    std::optional<sched::Turn> turn;
    if (core.dispatcher()) {
      const graph::Access whole{code_.logical_variables(), mode, 0, 1};
      turn.emplace(*core.dispatcher(), std::span(&whole, 1), lock);
    }
    core.replayer().flush();
    const graph::Access access = code_.variables_access(place, mode);
    copied = core.scheduler().submit(place, {&access, 1}, [&](device::Queue& queue) { queue.copy(to, from); });
  }
  core.scheduler().wait(copied);
}

void ModuleState::write_variable(std::string_view name, std::size_t offset, std::span<const std::byte> bytes,
                                 std::size_t place) {
  const device::Span to = variable(name, offset, bytes.size(), place);
  if (bytes.empty()) return;
  const auto staged = code_.core()->device(place).allocate_host(bytes.size());
  std::memcpy(staged->host(), bytes.data(), bytes.size());
  copy_variable(to, staged->span(), graph::Mode::read_write, place);
}

void ModuleState::read_variable(std::string_view name, std::size_t offset, std::span<std::byte> bytes,
                                std::size_t place) {
  const device::Span from = variable(name, offset, bytes.size(), place);
  if (bytes.empty()) return;
  const auto staged = code_.core()->device(place).allocate_host(bytes.size());
  copy_variable(staged->span(), from, graph::Mode::read, place);
  std::memcpy(bytes.data(), staged->host(), bytes.size());
}

}  // namespace heddle::runtime
