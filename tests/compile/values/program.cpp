#include "values/program.hpp"

#include <filesystem>

#include "compile/compile.hpp"
#include "ptx/parser.hpp"
#include "support/places.hpp"

namespace heddle::compile::testing {

Program::Program(device::Device& device, const std::string& file, int architecture)
    : device_(device), queue_(device.queue({})) {
  const std::string ptx =
      compile_cuda_file(tests::test_data() / "compile/values" / file, {.arch = "sm_" + std::to_string(architecture)});
  module_ = device.load(std::make_shared<ptx::Module>(ptx::parse(ptx, file)), {});
}

}  // namespace heddle::compile::testing
