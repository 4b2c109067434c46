// Special registers and the addresses of symbols.
#include "device/cpu/codegen/emitter.hpp"

#include <llvm/IR/Constants.h>

#include "device/cpu/function_handle.hpp"
#include "device/parameter_layout.hpp"

namespace heddle::device::cpu {

using ptx::SpecialRegister;
using Kind = ValueForm::Kind;
using SymbolKind = ptx::SymbolRef::Kind;

llvm::Value* FunctionEmitter::field(Value* object, std::size_t offset, llvm::Type* type) {
  auto* load = b_.CreateLoad(type, b_.CreateConstGEP1_64(kernel_.abi.i8, object, offset));
  // A launch does not change while it runs; a warp's context does.
  if (object != inputs_.warp)
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(kernel_.llvm, {}));
  return load;
}

// Value in lane 0 (of all lanes where the register is uniform).
llvm::Value* FunctionEmitter::special_scalar(SpecialRegister special) {
  if (Value* index = special_index(special)) return index;
  const auto launch_u32 = [&](std::size_t offset) { return field(inputs_.launch, offset, kernel_.abi.i32); };
  switch (special) {
    case SpecialRegister::warpsize: return b_.getInt32(32);
    case SpecialRegister::nwarpid:
      return field(runtime_table(), offsetof(RuntimeTable, warps_per_processor), kernel_.abi.i32);
    case SpecialRegister::nsmid: return field(runtime_table(), offsetof(RuntimeTable, processors), kernel_.abi.i32);
    case SpecialRegister::smid: return field(block_context(), offsetof(BlockContext, worker), kernel_.abi.i32);
    case SpecialRegister::gridid: return field(inputs_.launch, offsetof(LaunchContext, grid_id), kernel_.abi.i64);
    case SpecialRegister::envreg1:
      return b_.CreateTrunc(
          b_.CreateLShr(field(inputs_.launch, offsetof(LaunchContext, grid_workspace), kernel_.abi.i64), 32),
          kernel_.abi.i32);
    case SpecialRegister::envreg2: return launch_u32(offsetof(LaunchContext, grid_workspace));
    case SpecialRegister::dynamic_smem_size: return launch_u32(offsetof(LaunchContext, dynamic_shared_bytes));
    case SpecialRegister::total_smem_size:
    case SpecialRegister::aggr_smem_size:
      return b_.CreateAdd(launch_u32(offsetof(LaunchContext, static_shared_bytes)),
                          launch_u32(offsetof(LaunchContext, dynamic_shared_bytes)));
    case SpecialRegister::clock:
    case SpecialRegister::clock64:
    case SpecialRegister::clock_hi: {
      Value* ticks = call_runtime(offsetof(RuntimeTable, clock), kernel_.abi.i64, {});
      if (special == SpecialRegister::clock64) return ticks;
      return b_.CreateTrunc(special == SpecialRegister::clock ? ticks : b_.CreateLShr(ticks, 32), kernel_.abi.i32);
    }
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
    case SpecialRegister::globaltimer_hi: {
      Value* now = call_runtime(offsetof(RuntimeTable, global_timer), kernel_.abi.i64, {});
      if (special == SpecialRegister::globaltimer) return now;
      return b_.CreateTrunc(special == SpecialRegister::globaltimer_lo ? now : b_.CreateLShr(now, 32), kernel_.abi.i32);
    }
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt: return lane_mask(special, special_scalar(SpecialRegister::laneid));
    default: break;
  }
  if (ptx::bit_width(ptx::type_of(special)) == 64) return b_.getInt64(0);  // performance counters and environment: zero
  return b_.getInt32(0);
}

// The registers that say where in the grid a thread is; null for the others.
llvm::Value* FunctionEmitter::special_index(SpecialRegister special) {
  const auto grid = [&](unsigned d) {
    return field(inputs_.launch, offsetof(LaunchContext, grid) + 4 * d, kernel_.abi.i32);
  };
  const Dim3& block = kernel_.block;
  Value* first = inputs_.first_thread;
  switch (special) {
    case SpecialRegister::tid_x:
      return block.y == 1 && block.z == 1 ? first : b_.CreateURem(first, b_.getInt32(block.x));
    case SpecialRegister::tid_y:
      if (block.y == 1) return b_.getInt32(0);
      first = b_.CreateUDiv(first, b_.getInt32(block.x));
      return block.z == 1 ? first : b_.CreateURem(first, b_.getInt32(block.y));
    case SpecialRegister::tid_z:
      return block.z == 1 ? static_cast<Value*>(b_.getInt32(0)) : b_.CreateUDiv(first, b_.getInt32(block.x * block.y));
    case SpecialRegister::ntid_x: return b_.getInt32(block.x);
    case SpecialRegister::ntid_y: return b_.getInt32(block.y);
    case SpecialRegister::ntid_z: return b_.getInt32(block.z);
    // Without explicit clusters each block is a cluster of its own.
    case SpecialRegister::clusterid_x:
    case SpecialRegister::ctaid_x: return inputs_.block_id[0];
    case SpecialRegister::clusterid_y:
    case SpecialRegister::ctaid_y: return inputs_.block_id[1];
    case SpecialRegister::clusterid_z:
    case SpecialRegister::ctaid_z: return inputs_.block_id[2];
    case SpecialRegister::nclusterid_x:
    case SpecialRegister::nctaid_x: return grid(0);
    case SpecialRegister::nclusterid_y:
    case SpecialRegister::nctaid_y: return grid(1);
    case SpecialRegister::nclusterid_z:
    case SpecialRegister::nctaid_z: return grid(2);
    case SpecialRegister::cluster_nctaid_x:
    case SpecialRegister::cluster_nctaid_y:
    case SpecialRegister::cluster_nctaid_z:
    case SpecialRegister::cluster_nctarank: return b_.getInt32(1);
    case SpecialRegister::is_explicit_cluster: return b_.getFalse();
    case SpecialRegister::laneid:
      return lanes() == 32 ? static_cast<Value*>(b_.getInt32(0)) : b_.CreateAnd(first, b_.getInt32(31));
    case SpecialRegister::warpid: return b_.CreateLShr(first, b_.getInt32(5));
    default: return nullptr;
  }
}

llvm::Value* FunctionEmitter::lane_mask(SpecialRegister special, Value* lane) {
  Value* one = lane->getType()->isVectorTy() ? splat(b_.getInt32(1)) : b_.getInt32(1);
  Value* all = llvm::Constant::getAllOnesValue(lane->getType());
  Value* self = b_.CreateShl(one, lane);
  Value* below = b_.CreateSub(self, one);
  switch (special) {
    case SpecialRegister::lanemask_eq: return self;
    case SpecialRegister::lanemask_lt: return below;
    case SpecialRegister::lanemask_le: return b_.CreateOr(below, self);
    case SpecialRegister::lanemask_ge: return b_.CreateXor(below, all);
    default: return b_.CreateXor(b_.CreateOr(below, self), all);
  }
}

llvm::Value* FunctionEmitter::special_vector(SpecialRegister special) {
  const ValueForm form = facts_.special_form(special);
  if (form.kind == Kind::uniform) return splat(special_scalar(special));
  if (form.kind == Kind::affine) return ramp(special_scalar(special), facts_.lane_offsets(form));
  const Dim3& block = kernel_.block;
  // Threads of a group that is not a piece of one row: from the linear id. Where a group holds whole rows, the vectors
  // are constants but for the row it starts with.
  Value* linear = b_.CreateAdd(splat(inputs_.first_thread), lane_numbers(kernel_.abi.i32));
  Value* width = splat(b_.getInt32(block.x));
  const bool whole_rows = lanes() % block.x == 0;
  const auto constant_lanes = [&](auto&& value) {
    std::vector<llvm::Constant*> items;
    for (unsigned lane = 0; lane < lanes(); ++lane) items.push_back(b_.getInt32(value(lane)));
    return llvm::ConstantVector::get(items);
  };
  switch (special) {
    case SpecialRegister::tid_x:
      if (whole_rows) return constant_lanes([&](unsigned lane) { return lane % block.x; });
      return b_.CreateURem(linear, width);
    case SpecialRegister::tid_y:
    case SpecialRegister::tid_z: {
      Value* row = whole_rows ? b_.CreateAdd(splat(b_.CreateUDiv(inputs_.first_thread, b_.getInt32(block.x))),
                                             constant_lanes([&](unsigned lane) { return lane / block.x; }))
                              : b_.CreateUDiv(linear, width);
      if (special == SpecialRegister::tid_z) return b_.CreateUDiv(row, splat(b_.getInt32(block.y)));
      return block.z == 1 ? row : b_.CreateURem(row, splat(b_.getInt32(block.y)));
    }
    default: return lane_mask(special, special_vector(SpecialRegister::laneid));
  }
}

llvm::Value* FunctionEmitter::block_context() {
  return field(inputs_.warp, offsetof(WarpContext, block), kernel_.abi.pointer);
}

llvm::Value* FunctionEmitter::runtime_table() {
  return field(inputs_.launch, offsetof(LaunchContext, runtime), kernel_.abi.pointer);
}

llvm::Value* FunctionEmitter::variable_pointer(std::uint32_t index) {
  Value* table = field(inputs_.launch, offsetof(LaunchContext, variables), kernel_.abi.pointer);
  return field(table, index * sizeof(void*), kernel_.abi.pointer);
}

// Where the bytes of a symbol are: pointer of lane 0 and the distance from lane to lane.
FunctionEmitter::SymbolPlace FunctionEmitter::symbol_place(const ptx::SymbolRef& symbol) {
  const auto at = [&](Value* base, std::uint64_t offset) {
    return b_.CreateConstGEP1_64(kernel_.abi.i8, base, offset);
  };
  switch (symbol.kind) {
    case SymbolKind::module_variable: {
      const ptx::Variable& variable = kernel_.source.variables[symbol.index];
      if (variable.space == ptx::Space::shared)
        return {at(inputs_.shared, kernel_.shared.module_variables.at(symbol.index)), 0};
      return {variable_pointer(symbol.index), 0};
    }
    case SymbolKind::local_variable: {
      const ptx::Variable& variable = function_.variables[symbol.index];
      if (variable.space == ptx::Space::shared)
        return {at(inputs_.shared, kernel_.shared.function_variables.at(symbol.index)), 0};
      return {at(local_base(), facts_.memory.offsets.at(symbol.index)), static_cast<std::int64_t>(facts_.memory.bytes)};
    }
    case SymbolKind::parameter:
    case SymbolKind::return_parameter: {
      const bool result = symbol.kind == SymbolKind::return_parameter;
      const auto layout = parameter_layout(result ? function_.returns : function_.parameters);
      const auto frame = static_cast<std::int64_t>(parameter_bytes(result ? function_.returns : function_.parameters));
      return {at(result ? inputs_.returns : inputs_.parameters, layout[symbol.index].offset),
              function_.is_entry ? 0 : frame};
    }
    case SymbolKind::function: break;
  }
  const std::uint64_t handle = function_handle(kernel_.source.functions[symbol.index].name);
  return {b_.CreateIntToPtr(b_.getInt64(handle), kernel_.abi.pointer), 0};
}

// The address that `mov` gives: an offset in its window for .shared and .local symbols, a host address for others.
llvm::Value* FunctionEmitter::symbol_address(const ptx::SymbolRef& symbol, std::int64_t offset) {
  const auto number = [&](std::uint64_t value) { return b_.getInt64(value + static_cast<std::uint64_t>(offset)); };
  if (symbol.kind == SymbolKind::module_variable && kernel_.source.variables[symbol.index].space == ptx::Space::shared)
    return number(kernel_.shared.module_variables.at(symbol.index));
  if (symbol.kind == SymbolKind::local_variable) {
    const ptx::Space space = function_.variables[symbol.index].space;
    if (space == ptx::Space::shared) return number(kernel_.shared.function_variables.at(symbol.index));
    if (space == ptx::Space::local) return number(facts_.memory.offsets.at(symbol.index));
  }
  const SymbolPlace place = symbol_place(symbol);
  return b_.CreateAdd(b_.CreatePtrToInt(place.pointer, kernel_.abi.i64),
                      b_.getInt64(static_cast<std::uint64_t>(offset)));
}

}  // namespace heddle::device::cpu
