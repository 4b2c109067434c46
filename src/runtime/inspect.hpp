// Converts results of the analyses and properties of devices to the types of the public interface.
#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"
#include "heddle/devices.hpp"
#include "heddle/kernel.hpp"
#include "modules/source_types.hpp"
#include "ptx/analysis/inspect.hpp"

namespace heddle::runtime {

// `source`: one for each parameter.
KernelInfo public_info(const ptx::analysis::InspectedKernel& kernel,
                       const std::vector<modules::SourceParameter>& source);
void set_source_type(Parameter& parameter, const modules::SourceType& type);
// "saxpy(int, float, const float*, float*)", or only the name where a type is not known.
std::string signature_of(const KernelInfo& kernel);

DeviceInfo public_info(const device::DeviceInfo& info);

}  // namespace heddle::runtime
