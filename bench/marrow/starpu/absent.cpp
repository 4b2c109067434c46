#include "contender.hpp"

namespace heddle::bench::marrow {

std::unique_ptr<Contender> open_starpu(std::string& why) {
  why = "this build has no StarPU (libstarpu-dev); script/setup installs it";
  return nullptr;
}

}  // namespace heddle::bench::marrow
