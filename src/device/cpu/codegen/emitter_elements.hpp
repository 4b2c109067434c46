// Loads and stores of the elements that all lanes access at once: as few wide accesses as the form of the address
// allows, else gathers and scatters.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "device/cpu/codegen/emitter_addresses.hpp"
#include "device/cpu/codegen/emitter_part.hpp"
#include "device/cpu/codegen/lane_window.hpp"

namespace heddle::device::cpu {

// Accesses to different state spaces never overlap, unless one of them is generic: says so to the optimizer.
void tag_space(llvm::Instruction* access, ptx::Space space);

class ElementAccess : private EmitterPart {
 public:
  ElementAccess(FunctionContext& context, Addresses& addresses) : EmitterPart(context), addresses_(addresses) {}

  // `count` elements of `bytes` bytes each from every lane's address, as vectors (scalars for a uniform address).
  std::vector<Value*> load(const Address& address, llvm::Type* element, unsigned count, unsigned bytes, Value* mask,
                           ptx::Space space);
  void store(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask, ptx::Space space);

  Value* gather(Value* pointers, llvm::Type* element, std::uint64_t align, Value* mask);

 private:
  void scatter(Value* pointers, Value* value, std::uint64_t align, Value* mask);
  void scatter_records(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask);
  unsigned run_length(const Address& address, std::int64_t bytes) const;
  Value* load_runs(const Address& address, llvm::Type* element, unsigned bytes, unsigned length, Value* mask,
                   ptx::Space space);
  void store_runs(const Address& address, Value* value, unsigned bytes, unsigned length, Value* mask, ptx::Space space);
  void stream_or(Value* pointer, Value* value, Value* mask, const std::function<void()>& plain);
  Value* load_few(const Address& address, llvm::Type* element, unsigned bytes, ptx::Space space);
  std::optional<LaneWindow> window_to_load(const Address& address, unsigned count, unsigned bytes, Value* mask) const;
  std::optional<LaneWindow> window_to_store(const Address& address, unsigned count, unsigned bytes, Value* mask) const;
  Value* window_mask(const LaneWindow& window, unsigned count, unsigned padded, Value* mask);
  std::vector<Value*> load_window(const Address& address, const LaneWindow& window, llvm::Type* element, unsigned count,
                                  unsigned bytes, Value* mask, ptx::Space space);
  void store_window(const Address& address, const LaneWindow& window, const std::vector<Value*>& values, unsigned bytes,
                    Value* mask, ptx::Space space);
  std::vector<Value*> load_interleaved(const Address& address, llvm::Type* element, unsigned count, unsigned bytes,
                                       Value* mask, ptx::Space space);
  void store_interleaved(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask,
                         ptx::Space space);

  Addresses& addresses_;
};

}  // namespace heddle::device::cpu
