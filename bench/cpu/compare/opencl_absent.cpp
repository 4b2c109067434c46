// For machines without OpenCL's headers.
#include "compare/contender.hpp"

namespace heddle::bench {

std::unique_ptr<OpenClDevice> find_pocl(std::string& why_not) {
  why_not = "built without OpenCL (opencl-headers, ocl-icd-opencl-dev)";
  return nullptr;
}

}  // namespace heddle::bench
