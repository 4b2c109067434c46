// heddle::link_ptx.
#include "heddle/link.hpp"

#include <vector>

#include "ptx/link/link.hpp"
#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace heddle {

std::string link_ptx(std::span<const PtxSource> sources) {
  std::vector<ptx::LinkInput> inputs;
  for (const PtxSource& source : sources) inputs.push_back({ptx::parse(source.text, source.name), source.name});
  return ptx::print(ptx::link(inputs));
}

}  // namespace heddle
