// What is compiled.
#pragma once

#include <string>
#include <string_view>

namespace heddle::compile {

// Text under a name, or a file that clang reads itself so that its own folder is searched.
struct Unit {
  std::string_view source;
  std::string name;
  bool is_file = false;
};

}  // namespace heddle::compile
