// How much stack the functions of a module take, which LLVM knows when it has made their code.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <llvm/IR/Module.h>

namespace heddle::device::cpu {

// By name of the function, in bytes; functions without a frame may be missing.
using StackSizes = std::map<std::string, std::uint64_t>;

// From now on, code that is made for functions of the module's context adds to the result.
std::shared_ptr<const StackSizes> record_stack_sizes(llvm::Module& module);

// Of the function and whatever it calls in the module, where nothing calls itself.
std::uint64_t stack_of(const llvm::Function& function, const StackSizes& sizes);

}  // namespace heddle::device::cpu
