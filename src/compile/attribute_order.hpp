// Attributes behind CUDA's keywords: __shared__ alignas(16) float s[64];
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::compile {

// The source with alignas(...) and [[...]] before keywords such as __shared__ and __device__ that they follow, which
// are attributes of another kind for clang. std::nullopt if nothing changes. Lines stay as they are.
std::optional<std::string> with_attributes_first(std::string_view source);

}  // namespace heddle::compile
