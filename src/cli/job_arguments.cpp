#include "cli/job_arguments.hpp"

#include <cstdint>
#include <utility>

#include "base/fail.hpp"
#include "base/npy.hpp"
#include "modules/argument_check.hpp"
#include "modules/kernel_info.hpp"
#include "modules/source_types.hpp"
#include "ptx/analysis/inspect.hpp"

namespace heddle::cli {
namespace {

bool is_read(const ArgumentText& argument) {
  return argument.kind == ArgumentText::Kind::in || argument.kind == ArgumentText::Kind::inout;
}

modules::GivenArgument given(const ArgumentText& argument, bool any_type) {
  if (argument.is_array()) return {Argument::Kind::array, any_type ? ElementType::unknown : element_of(argument.type)};
  if (argument.kind == ArgumentText::Kind::null) return {Argument::Kind::null};
  return {argument.scalar_kind, ElementType::unknown, argument.value.size()};
}

}  // namespace

std::vector<ArgumentText> parse_arguments(std::span<const std::string> texts, const std::filesystem::path& folder,
                                          std::string_view said_by) {
  std::vector<ArgumentText> made;
  for (const std::string& text : texts) {
    ArgumentText& argument = made.emplace_back(parse_argument(text, said_by));
    if (!is_read(argument)) continue;
    base::NpyArray array = base::read_npy_header(folder / argument.file);
    argument.type = array.type;
    argument.shape = std::move(array.shape);
  }
  return made;
}

void check_arguments(const ptx::Module& module, const std::string& text, const std::string& entry,
                     std::span<const ArgumentText> arguments, bool any_type) {
  const KernelInfo info = modules::find_kernel(ptx::analysis::inspect(module), module, *module.find(entry),
                                               modules::SourceTypes(module, text))
                              .info;
  if (info.parameters.size() != arguments.size()) modules::refuse_count(info, arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) modules::check_argument(info, i, given(arguments[i], any_type));
}

batch::ArgumentData read_argument(const ArgumentText& argument, const std::filesystem::path& folder) {
  if (argument.kind == ArgumentText::Kind::null) return {std::vector<std::byte>(sizeof(std::uint64_t))};
  if (!argument.is_array()) return {argument.value};
  const base::NpyArray zeros{argument.type, argument.shape, {}};
  if (!is_read(argument)) return {std::vector<std::byte>(zeros.count() * base::byte_size(zeros.type)), true};
  base::NpyArray array = base::read_npy(folder / argument.file);
  if (array.type != argument.type || array.shape != argument.shape)
    base::fail(ErrorCode::invalid_argument, "{} has changed while it was read", (folder / argument.file).string());
  return {std::move(array.data), true};
}

}  // namespace heddle::cli
