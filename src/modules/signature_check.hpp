// Signatures of kernels against their PTX.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "heddle/kernel.hpp"
#include "modules/signature.hpp"

namespace heddle::modules {

// The access of launches through parameter `number`, which the signature says to be `direction`. Throws
// invalid_argument if the PTX contradicts; `what` begins the message.
using AccessOf = std::function<Access(std::size_t number, Direction direction, std::string_view what)>;

// The kernel's info, completed by the signature. Throws invalid_argument if the two do not agree.
KernelInfo with_signature(const KernelInfo& info, const Signature& signature, const AccessOf& access_of);

}  // namespace heddle::modules
