// Results of the analyses as the types of the public interface.
#pragma once

#include <string>
#include <vector>

#include "heddle/kernel.hpp"
#include "modules/source_types.hpp"
#include "ptx/analysis/inspect.hpp"

namespace heddle::modules {

// `source`: one for each parameter.
KernelInfo kernel_info(const ptx::analysis::InspectedKernel& kernel, const std::vector<SourceParameter>& source);
// A kernel of a module.
struct FoundKernel {
  const ptx::analysis::InspectedKernel& inspected;  // of the inspection
  KernelInfo info;
};
// `function`: a kernel of `module`. `types`: of the module.
FoundKernel find_kernel(const ptx::analysis::Inspection& inspection, const ptx::Module& module,
                        const ptx::Function& function, const SourceTypes& types);
void set_source_type(Parameter& parameter, const SourceType& type);
// "saxpy(int, float, const float*, float*)", or only the name where a type is not known.
std::string signature_of(const KernelInfo& kernel);

}  // namespace heddle::modules
