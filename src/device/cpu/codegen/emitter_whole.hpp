// Strong accesses to several elements at once, as ld.relaxed.v2.u64: each lane makes one access of all its bytes. GPUs
// do aligned accesses of up to 16 bytes in one piece, and programs rely on it where a flag lies next to the value that
// it guards, as in scans that look back at other blocks' sums.
#pragma once

#include <vector>

#include "device/cpu/codegen/emitter_addresses.hpp"
#include "device/cpu/codegen/emitter_branches.hpp"
#include "device/cpu/codegen/emitter_part.hpp"

namespace heddle::device::cpu {

class WholeAccess : private EmitterPart {
 public:
  WholeAccess(FunctionContext& context, Branches& branches, Addresses& addresses)
      : EmitterPart(context), branches_(branches), addresses_(addresses) {}

  static bool applies(const ptx::Instruction& inst, ptx::Space space);

  std::vector<Value*> load(const Address& address, llvm::Type* element, unsigned count, unsigned bytes, Value* mask);
  void store(Value* pointer, const std::vector<Value*>& parts, unsigned bytes);  // scalars
  void store_lanes(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask);

 private:
  llvm::Type* whole_type(unsigned bytes);

  Branches& branches_;
  Addresses& addresses_;
};

}  // namespace heddle::device::cpu
