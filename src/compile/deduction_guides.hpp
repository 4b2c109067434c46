// Deduction guides: Pair(const char*, const char*) -> Pair<int>.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// The source with __host__ __device__ before each deduction guide. For nvcc a guide has no execution space. clang takes
// one without these words for a function of the host, which device code may not use. std::nullopt if nothing changes.
// Lines stay as they are.
std::optional<std::string> with_guides_for_both(std::string_view source);

}  // namespace heddle::compile
