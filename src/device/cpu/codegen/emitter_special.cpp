#include "device/cpu/codegen/emitter_special.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::SpecialRegister;
using Kind = ValueForm::Kind;

// Value in lane 0 (of all lanes where the register is uniform).
llvm::Value* SpecialRegisters::scalar(SpecialRegister special) {
  if (Value* place = grid_index(special)) return place;
  const auto launch_u32 = [&](std::size_t offset) { return runtime_.field(inputs_.launch, offset, kernel_.abi.i32); };
  switch (special) {
    case SpecialRegister::warpsize: return b_.getInt32(32);
    case SpecialRegister::nwarpid:
      return runtime_.field(runtime_.table(), offsetof(RuntimeTable, warps_per_processor), kernel_.abi.i32);
    case SpecialRegister::nsmid:
      return runtime_.field(runtime_.table(), offsetof(RuntimeTable, processors), kernel_.abi.i32);
    case SpecialRegister::smid:
      return runtime_.field(runtime_.block_context(), offsetof(BlockContext, worker), kernel_.abi.i32);
    case SpecialRegister::gridid:
      return runtime_.field(inputs_.launch, offsetof(LaunchContext, grid_id), kernel_.abi.i64);
    case SpecialRegister::envreg1:
      return b_.CreateTrunc(
          b_.CreateLShr(runtime_.field(inputs_.launch, offsetof(LaunchContext, grid_workspace), kernel_.abi.i64), 32),
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
      Value* ticks = runtime_.call(offsetof(RuntimeTable, clock), kernel_.abi.i64, {});
      if (special == SpecialRegister::clock64) return ticks;
      return b_.CreateTrunc(special == SpecialRegister::clock ? ticks : b_.CreateLShr(ticks, 32), kernel_.abi.i32);
    }
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
    case SpecialRegister::globaltimer_hi: {
      Value* now = runtime_.call(offsetof(RuntimeTable, global_timer), kernel_.abi.i64, {});
      if (special == SpecialRegister::globaltimer) return now;
      return b_.CreateTrunc(special == SpecialRegister::globaltimer_lo ? now : b_.CreateLShr(now, 32), kernel_.abi.i32);
    }
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt: return lane_mask(special, scalar(SpecialRegister::laneid));
    default: break;
  }
  if (ptx::bit_width(ptx::type_of(special)) == 64) return b_.getInt64(0);  // performance counters and environment: zero
  return b_.getInt32(0);
}

// The registers that say where in the grid a thread is; null for the others.
llvm::Value* SpecialRegisters::grid_index(SpecialRegister special) {
  const auto grid = [&](unsigned d) {
    return runtime_.field(inputs_.launch, offsetof(LaunchContext, grid) + 4 * d, kernel_.abi.i32);
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

llvm::Value* SpecialRegisters::lane_mask(SpecialRegister special, Value* lane) {
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

llvm::Value* SpecialRegisters::vector(SpecialRegister special) {
  const ValueForm form = facts_.special_form(special);
  if (form.kind == Kind::uniform) return splat(scalar(special));
  if (form.kind == Kind::affine) return ramp(scalar(special), facts_.lane_offsets(form));
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
    default: return lane_mask(special, vector(SpecialRegister::laneid));
  }
}

}  // namespace heddle::device::cpu
