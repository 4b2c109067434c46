#include "base/find_kernel.hpp"

#include <vector>

#include "base/fail.hpp"
#include "base/kernel_name.hpp"
#include "base/nearest.hpp"

namespace heddle::base {

std::string list_of_kernels(std::span<const std::string> kernels) {
  std::string text;
  for (const std::string& kernel : kernels) text += (text.empty() ? "" : ", ") + readable_name(kernel);
  return text.empty() ? "no kernels at all" : text;
}

void fail_without_kernel(std::span<const std::string> kernels, std::string_view wanted, std::string_view module) {
  std::vector<std::string> known;
  for (const std::string& kernel : kernels) known.push_back(source_name(kernel));
  fail(ErrorCode::not_found, "{} has no kernel '{}'{} {}", module, wanted, before_list(wanted, known, "it has"),
       list_of_kernels(kernels));
}

std::size_t find_kernel(std::span<const std::string> kernels, std::string_view wanted, std::string_view module) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i] == wanted) return i;
    if (source_name_matches(kernels[i], wanted)) found.push_back(i);
  }
  if (found.empty()) fail_without_kernel(kernels, wanted, module);
  if (found.size() == 1) return found.front();
  std::vector<std::string> names;
  for (const std::size_t i : found) names.push_back(kernels[i]);
  fail(ErrorCode::not_found, "'{}' fits {} kernels of {}; give the whole name of one of them: {}", wanted, found.size(),
       module, list_of_kernels(names));
}

}  // namespace heddle::base
