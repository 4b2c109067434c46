// From a kernel of a module to code in memory: from the cache on disk, or from the code generator.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "device/cpu/codegen/codegen.hpp"
#include "device/cpu/kernel_code.hpp"
#include "device/cpu/kernel_unit.hpp"
#include "device/cpu/object_cache.hpp"

namespace heddle::device::cpu {

class KernelCompiler {
 public:
  using Generator = std::function<CompiledKernel(const ptx::Module&, const ptx::Function&, const CodegenOptions&)>;

  // `identity` names what the code depends on in addition to the kernel: CPU, versions. `cache` may be null. `clock`
  // times compilations for the log.
  KernelCompiler(Generator generator, std::string identity, std::unique_ptr<ObjectCache> cache,
                 std::shared_ptr<const base::Clock> clock);

  // The part of a cache key that the kernel gives: a hash of its printed unit.
  static std::string fingerprint(const KernelUnit& unit);

  // Code for the kernel `entry` of `source`, of which `unit` is the extract with fingerprint `print`. Throws what the
  // code generator throws. Any thread.
  std::shared_ptr<const KernelCode> compile(const ptx::Module& source, std::uint32_t entry, const KernelUnit& unit,
                                            const std::string& print, const CodegenOptions& options);

 private:
  std::string key(const std::string& print, const CodegenOptions& options) const;
  CompiledKernel generate(const ptx::Module& source, std::uint32_t entry, const KernelUnit& unit,
                          const CodegenOptions& options) const;

  const Generator generator_;
  const std::string identity_;
  const std::unique_ptr<ObjectCache> cache_;
  const std::shared_ptr<const base::Clock> clock_;
};

}  // namespace heddle::device::cpu
