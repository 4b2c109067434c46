// Several PTX texts made one, before it is loaded.
//
//   std::string text = heddle::link_ptx(std::array{heddle::PtxSource{kernel_text, "kernel.ptx"},
//                                                  heddle::PtxSource{helper_text, "helper.ptx"}});
//   heddle::Module module = runtime.load_ptx(text, "linked");
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle {

struct PtxSource {
  std::string_view text;
  std::string name;  // what messages call it
};

// What one text leaves open (.extern functions and variables) gets what another defines. Names that a text keeps to
// itself are changed where two of them clash; those that others see stay. Debug information is left out, lines of the
// source are not. Throws parse_error with line and column; compile_error for names that nothing defines, that are
// defined twice or that have two signatures; invalid_argument for no texts. Any thread.
std::string link_ptx(std::span<const PtxSource> sources);

}  // namespace heddle
