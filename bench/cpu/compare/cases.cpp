#include "compare/cases.hpp"

namespace heddle::bench {

std::vector<CaseMaker> all_cases() {
  std::vector<CaseMaker> all;
  for (auto part : {matrix_cases, vector_cases, statistics_cases, stencil_cases, other_cases, stream_cases}) {
    for (CaseMaker& maker : part()) {
      all.push_back({maker.name, [name = maker.name, make = std::move(maker.make)] {
                       Case made = make();
                       made.name = name;
                       return made;
                     }});
    }
  }
  return all;
}

}  // namespace heddle::bench
