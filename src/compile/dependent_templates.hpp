// Member templates of what depends on a template's parameters: typename Traits<A>::rebind<int>.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// The source with `template` before each member with template arguments, behind `typename` and a name that is a
// template's parameter or has arguments, where it lacks the word: typename Traits<A>::template rebind<int>. C++20 and
// nvcc do without it there; clang does not. A name that is a macro of this source, or has no small letter, stays as it
// is: its text may have the word. std::nullopt if nothing changes. Lines stay as they are.
std::optional<std::string> with_template_keywords(std::string_view source);

}  // namespace heddle::compile
