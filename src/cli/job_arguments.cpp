#include "cli/job_arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/npy.hpp"
#include "modules/argument_check.hpp"
#include "modules/kernel_info.hpp"
#include "modules/source_types.hpp"
#include "ptx/analysis/inspect.hpp"

namespace heddle::cli {
namespace {

JobArgument read(ArgumentText text, const std::filesystem::path& folder) {
  JobArgument made{std::move(text), {}};
  switch (made.text.kind) {
    case ArgumentText::Kind::scalar:
    case ArgumentText::Kind::bytes: made.data.bytes = made.text.value; break;
    case ArgumentText::Kind::null: made.data.bytes.resize(sizeof(std::uint64_t)); break;
    case ArgumentText::Kind::in:
    case ArgumentText::Kind::inout: {
      base::NpyArray array = base::read_npy(folder / made.text.file);
      made.element = element_of(array.type);
      made.data = {std::move(array.data), true};
      break;
    }
    case ArgumentText::Kind::out:
    case ArgumentText::Kind::zeros: {
      const base::NpyArray zeros{made.text.type, made.text.shape, {}};
      made.element = element_of(zeros.type);
      made.data = {std::vector<std::byte>(zeros.count() * base::byte_size(zeros.type)), true};
      break;
    }
  }
  return made;
}

modules::GivenArgument given(const JobArgument& argument, bool any_type) {
  if (argument.data.is_array) return {Argument::Kind::array, any_type ? ElementType::unknown : argument.element};
  if (argument.text.kind == ArgumentText::Kind::null) return {Argument::Kind::null};
  return {argument.text.scalar_kind, ElementType::unknown, argument.data.bytes.size()};
}

}  // namespace

std::vector<JobArgument> read_arguments(std::span<const std::string> texts, const std::filesystem::path& folder) {
  std::vector<JobArgument> made;
  for (const std::string& text : texts) made.push_back(read(parse_argument(text), folder));
  return made;
}

void check_arguments(const ptx::Module& module, const std::string& text, const std::string& entry,
                     std::span<const JobArgument> arguments, bool any_type) {
  const ptx::Function& kernel = *module.find(entry);
  const auto index = static_cast<std::uint32_t>(&kernel - module.functions.data());
  const ptx::analysis::Inspection inspection = ptx::analysis::inspect(module);
  const auto found = std::find_if(inspection.kernels.begin(), inspection.kernels.end(),
                                  [&](const auto& candidate) { return candidate.function == index; });
  const KernelInfo info = modules::kernel_info(*found, modules::SourceTypes(module, text).parameters(kernel));
  if (info.parameters.size() != arguments.size()) modules::refuse_count(info, arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) modules::check_argument(info, i, given(arguments[i], any_type));
}

}  // namespace heddle::cli
