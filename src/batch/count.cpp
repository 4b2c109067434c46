#include "batch/count.hpp"

#include <algorithm>
#include <cstring>

#include "base/fail.hpp"
#include "ptx/rewrite/count_instructions.hpp"

namespace heddle::batch {

BlockCounts count_blocks(device::Device& device, const KernelSpec& spec, std::uint64_t blocks) {
  const auto& functions = spec.module->functions;
  const auto entry = std::find_if(functions.begin(), functions.end(),
                                  [&](const ptx::Function& function) { return function.name == spec.entry; });
  if (entry == functions.end() || !entry->is_entry || entry->is_declaration)
    base::fail(ErrorCode::not_found, "{}: the module has no kernel '{}'", spec.name, spec.entry);
  ptx::CountingKernel made =
      ptx::count_instructions(*spec.module, static_cast<std::uint32_t>(entry - functions.begin()));
  if (!made.why_refused.empty())
    base::fail(ErrorCode::unsupported, "what kernel '{}' executes cannot be counted: {}", spec.entry, made.why_refused);
  KernelSpec counting = spec;
  counting.module = std::make_shared<const ptx::Module>(std::move(made.module));
  counting.entry = made.name;
  counting.arguments.push_back({std::vector<std::byte>(sizeof(ptx::InstructionCounts)), true});
  Kernel kernel(device, counting);
  const std::uint64_t count = std::clamp<std::uint64_t>(blocks, 1, kernel.blocks());
  const auto queue = device.queue({});
  queue->launch(kernel.function(), kernel.config(), {0, count}, kernel.arguments());
  queue->synchronize();
  const std::vector<std::byte> bytes = kernel.read(counting.arguments.size() - 1);
  ptx::InstructionCounts counts;
  std::memcpy(&counts, bytes.data(), sizeof counts);
  return {static_cast<double>(counts.instructions) / static_cast<double>(count),
          static_cast<double>(counts.accesses) / static_cast<double>(count)};
}

}  // namespace heddle::batch
