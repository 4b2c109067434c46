// Links several PTX texts into one, which can then be loaded.
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
  std::string name;  // its name in messages
};

// Links texts. Undefined names of one text (.extern functions and variables) get the definition of another. Private
// names of a text are changed if two of them clash; visible names stay. Debug information is left out; lines of the
// source are kept. Throws parse_error with line and column; compile_error for names that nothing defines, that are
// defined twice or that have two signatures; invalid_argument for no texts. Any thread.
std::string link_ptx(std::span<const PtxSource> sources);

}  // namespace heddle
