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
void set_source_type(Parameter& parameter, const SourceType& type);
// "saxpy(int, float, const float*, float*)", or only the name where a type is not known.
std::string signature_of(const KernelInfo& kernel);

}  // namespace heddle::modules
