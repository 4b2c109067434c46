#include "device/cpu/kernel_compiler.hpp"

#include <fmt/format.h>

#include "base/dedicated_thread.hpp"
#include "base/fail.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "base/kernel_name.hpp"
#include "base/log.hpp"
#include "device/cpu/llvm_end.hpp"
#include "device/cpu/object_loader.hpp"
#include "heddle/error.hpp"
#include "ptx/printer.hpp"

namespace heddle::device::cpu {

KernelCompiler::KernelCompiler(Generator generator, std::string identity, std::unique_ptr<ObjectCache> cache,
                               std::shared_ptr<const base::Clock> clock)
    : generator_(std::move(generator)),
      identity_(std::move(identity)),
      cache_(std::move(cache)),
      clock_(std::move(clock)) {}

std::string KernelCompiler::fingerprint(const KernelUnit& unit) {
  return base::sha256_hex(ptx::print(unit.module) + "\n" + unit.module.functions[unit.kernel].name);
}

std::string KernelCompiler::key(const std::string& print, const CodegenOptions& options) const {
  base::Sha256 hash;
  hash.add_field(identity_);
  hash.add_field(print);
  hash.add_field(fmt::format("{} {} {} check={} fits={} width={}", options.block.x, options.block.y, options.block.z,
                             options.check.names(), options.global_id_fits, options.width));
  return hash.hex();
}

CompiledKernel KernelCompiler::generate(const ptx::Module& source, std::uint32_t entry, const KernelUnit& unit,
                                        const CodegenOptions& options) const {
  try {
    return generator_(unit.module, unit.module.functions[unit.kernel], options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_memory) throw;
    // The unit bears numbers where the message should name lines: say it again with the lines of the source.
    const KernelUnit again = extract_kernel(source, entry, Lines::original);
    generator_(again.module, again.module.functions[again.kernel], options);
    throw;
  }
}

std::shared_ptr<const KernelCode> KernelCompiler::compile(const ptx::Module& source, std::uint32_t entry,
                                                          const KernelUnit& unit, const std::string& print,
                                                          const CodegenOptions& options) {
  const std::string& name = source.functions[entry].name;
  if (llvm_has_ended())
    base::fail(ErrorCode::unsupported,
               "kernel '{}' cannot be compiled for blocks of {} threads: the process is ending. Launch it once with "
               "such blocks before main() returns",
               base::demangled(name), options.block.count());
  const base::Stopwatch stopwatch(*clock_);
  const std::string id = cache_ != nullptr ? key(print, options) : std::string();
  if (cache_ != nullptr) {
    if (std::optional<CompiledKernel> cached = cache_->load(id)) {
      try {
        auto code = load_object(std::move(*cached));
        llvm_was_used();
        base::log_debug("cpu: kernel {} from the cache in {}", name, base::format_duration(stopwatch.seconds()));
        return code;
      } catch (const Error& error) {
        base::log_info("cpu: kernel {} is compiled again, since its code from the cache cannot be used: {}", name,
                       error.what());
      }
    }
  }
  CompiledKernel compiled;
  base::run_with_usual_stack([&] { compiled = generate(source, entry, unit, options); });
  if (cache_ != nullptr) cache_->store(id, compiled);
  base::log_debug("cpu: kernel {} compiled in {}: {}", name, base::format_duration(stopwatch.seconds()),
                  compiled.explanation);
  auto code = load_object(std::move(compiled));
  llvm_was_used();
  return code;
}

}  // namespace heddle::device::cpu
