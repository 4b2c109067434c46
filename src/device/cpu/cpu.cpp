#include "device/cpu/cpu.hpp"

#include <execinfo.h>
#include <fmt/format.h>

#include <llvm/Config/llvm-config.h>

#include "base/cache_folder.hpp"
#include "device/cpu/codegen/codegen.hpp"
#include "device/cpu/codegen/soft_functions.hpp"
#include "device/cpu/codegen_id.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cpu/kernel_compiler.hpp"
#include "device/cpu/object_cache.hpp"

namespace heddle::device::cpu {
namespace {

// Changes with everything that decides what code is generated.
std::string identity() {
  return fmt::format("heddle {} code {} llvm {} {}", HEDDLE_VERSION, codegen_id, LLVM_VERSION_STRING, host_identity());
}

std::unique_ptr<ObjectCache> make_cache(const CpuOptions& options) {
  if (!options.cache) return nullptr;
  const auto folder = options.cache_directory.empty() ? base::cache_directory() / "cpu" : options.cache_directory;
  return std::make_unique<ObjectCache>(folder, options.cache_bytes);
}

// The C library loads its unwinder when an exception first passes through std::call_once, and ends the process where it
// has no memory for that: an exception about missing memory would never arrive.
void load_unwinder() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);
}

}  // namespace

std::unique_ptr<Device> make_cpu_device(const CpuOptions& given) {
  load_unwinder();
  CpuOptions options = given;
  if (!options.watcher) options.watcher = base::process_watcher();
  const std::shared_ptr<const base::Clock> clock(options.watcher, &options.watcher->clock());
  auto compiler = std::make_shared<KernelCompiler>(&compile_kernel, identity(), make_cache(options), clock);
  CodeProvider provider = [compiler](const ptx::Module& source, std::uint32_t entry, const KernelUnit& unit,
                                     const std::string& print, const CodegenOptions& codegen) {
    return compiler->compile(source, entry, unit, print, codegen);
  };
  return std::make_unique<CpuDevice>(options, std::move(provider), soft_functions());
}

}  // namespace heddle::device::cpu
