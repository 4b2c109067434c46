#include "base/xml_text.hpp"

namespace heddle::base {

std::string xml(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '&')
      made += "&amp;";
    else if (c == '<')
      made += "&lt;";
    else if (c == '>')
      made += "&gt;";
    else if (c == '"')
      made += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
      made += c;
  }
  return made;
}

}  // namespace heddle::base
