// Accesses lane by lane, out of line: for addresses that were predicted to be regular and are not, this time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/cpu/codegen/emitter_addresses.hpp"
#include "device/cpu/codegen/emitter_part.hpp"

namespace heddle::device::cpu {

class SlowAccess : private EmitterPart {
 public:
  explicit SlowAccess(FunctionContext& context) : EmitterPart(context) {}

  Value* gather(const Address& address, llvm::Type* element, Value* mask);
  void scatter(const Address& address, Value* value, Value* mask);

 private:
  using AddressOfLane = std::function<Value*(llvm::IRBuilder<>&, llvm::Function*, Value* lane)>;

  void access(const Address& address, llvm::Type* element, Value* values, Value* mask, bool is_store);
  llvm::Function* plain_function(llvm::Type* element, bool is_store);
  llvm::Function* wrapped_function(llvm::Type* element, bool is_store, bool is_signed, unsigned width);
  llvm::Function* slow_function(const std::string& name, std::vector<llvm::Type*> arguments, llvm::Type* element,
                                bool is_store, const AddressOfLane& address_of_lane);
  void call_slow(llvm::Function* function, llvm::ArrayRef<Value*> arguments);
};

}  // namespace heddle::device::cpu
