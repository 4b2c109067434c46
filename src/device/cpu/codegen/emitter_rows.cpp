// Merged loads (merged_loads.hpp): one wide access a lane, and shuffles.
#include "device/cpu/codegen/emitter.hpp"

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

using ptx::Space;
using ptx::Type;

namespace {
constexpr unsigned block_bytes = 16;  // shuffles within so many bytes cost least
}  // namespace

// Values of the elements of a load that has some of them in groups.
std::vector<llvm::Value*> FunctionEmitter::merged_elements(const ptx::Instruction& inst, const std::vector<MergedLoads::Place>& places) {
  const ptx::Operand& source = inst.operands[1];
  const Space space = effective_space(inst.d.space, source);
  const unsigned bytes = ptx::byte_size(inst.d.type);
  llvm::Type* element = memory_type(inst.d.type);
  std::vector<Value*> values;
  for (unsigned e = 0; e < places.size(); ++e) {
    if (places[e].group == MergedLoads::none) {
      const Address at = advance(address_of(source, space), e * bytes);
      values.push_back(either_way(at, [&] { return load_elements(at, element, 1, bytes, mask_, space)[0]; },
                                  [&] { return slow_gather(at, element, mask_); }));
      continue;
    }
    std::vector<Value*>& group = merged_[places[e].group];
    if (group.empty()) group = load_group(facts_.merged_loads.groups[places[e].group], space);
    values.push_back(b_.CreateBitCast(group[places[e].element], vector_of(element)));
  }
  return values;
}

// The elements of a group, as vectors of integers.
std::vector<llvm::Value*> FunctionEmitter::load_group(const LoadGroup& group, Space space) {
  const Address address = advance(address_of(function_.body[group.first].operands[1], space), group.distance);
  const auto fast = [&] { return transposed(load_rows(group, address, space), group.bytes, group.count); };
  const auto slow = [&] {
    std::vector<Value*> values;
    auto* element = llvm::IntegerType::get(kernel_.llvm, group.bytes * 8);
    for (unsigned e = 0; e < group.count; ++e) values.push_back(slow_gather(advance(address, e * group.bytes), element, mask_));
    return values;
  };
  return either_way_all(address, fast, slow);
}

// A place that may always be read, for lanes that take no part.
llvm::Value* FunctionEmitter::spare_row() {
  if (!spare_row_) {
    auto* type = llvm::ArrayType::get(kernel_.abi.i8, merged_bytes);
    spare_row_ = entry_alloca(type, "spare");
    spare_row_->setAlignment(llvm::Align(merged_bytes));
    llvm::IRBuilder<> builder(spare_row_->getNextNode());
    builder.CreateStore(llvm::Constant::getNullValue(type), spare_row_);
  }
  return spare_row_;
}

// Where each lane reads. Lanes that take no part read what another one reads, or the spare place: which of them leaves the
// loops around it less to do.
std::vector<llvm::Value*> FunctionEmitter::row_pointers(const LoadGroup& group, const Address& address, Space space) {
  std::vector<Value*> pointers;
  Value *base = nullptr, *distances = nullptr;
  if (address.form == Address::Form::affine) {
    base = address.base;
    distances = ramp(b_.getInt64(0), address.offsets);
  } else if (group.sum) {
    base = pointer_at(window_base(space), fit(read(group.sum->uniform), Type::u64));
    base = b_.CreateConstGEP1_64(kernel_.abi.i8, base, static_cast<std::uint64_t>(group.sum->distance));
    distances = fit(read(group.sum->varying), Type::u64);
  }
  Value* all = base ? distances : address.vector;
  if (mask_) all = b_.CreateSelect(mask_, all, splat(base ? first_active(distances) : spare_row()));
  for (unsigned lane = 0; lane < lanes(); ++lane) {
    Value* of_lane = b_.CreateExtractElement(all, std::uint64_t{lane});
    pointers.push_back(base ? b_.CreateGEP(kernel_.abi.i8, base, of_lane) : of_lane);
  }
  return pointers;
}

// What each lane reads: a vector of elements where that is as long as a block of shuffles, else an integer.
std::vector<llvm::Value*> FunctionEmitter::load_rows(const LoadGroup& group, const Address& address, Space space) {
  const unsigned bytes = group.bytes * group.count;
  llvm::Type* type = llvm::IntegerType::get(kernel_.llvm, bytes * 8);
  if (bytes == block_bytes) type = llvm::FixedVectorType::get(llvm::IntegerType::get(kernel_.llvm, group.bytes * 8), group.count);
  std::vector<Value*> rows;
  for (Value* pointer : row_pointers(group, address, space)) {
    auto* row = b_.CreateAlignedLoad(type, pointer, llvm::Align(group.bytes));
    tag(row, space);
    rows.push_back(row);
  }
  return rows;
}

// Rows one after the other in one vector of elements.
llvm::Value* FunctionEmitter::joined_rows(const std::vector<Value*>& rows, unsigned bytes) {
  if (rows[0]->getType()->isVectorTy()) return concatenate(rows);
  auto* type = llvm::FixedVectorType::get(rows[0]->getType(), static_cast<unsigned>(rows.size()));
  Value* joined = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < rows.size(); ++i) joined = b_.CreateInsertElement(joined, rows[i], std::uint64_t{i});
  const unsigned elements = type->getPrimitiveSizeInBits().getFixedValue() / (bytes * 8);
  return b_.CreateBitCast(joined, llvm::FixedVectorType::get(llvm::IntegerType::get(kernel_.llvm, bytes * 8), elements));
}

// From one row of `count` elements a lane to `count` vectors of one element a lane.
//
// Where the lanes fill blocks of 16 bytes, `count` vectors are joined of the rows, each with some rows of every block's
// lanes, and a network of interleavings within blocks turns rows into columns: number an element by the bits of its vector
// and, below them, its place in the block; interleaving vector i with vector i + count / 2 rotates these bits by one.
std::vector<llvm::Value*> FunctionEmitter::transposed(const std::vector<Value*>& rows, unsigned bytes, unsigned count) {
  const unsigned in_block = block_bytes / bytes, in_row = in_block / count;  // elements of a block; rows of it
  if (lanes() % in_block != 0) return picked(joined_rows(rows, bytes), count);
  std::vector<Value*> parts;
  for (unsigned part = 0; part < count; ++part) {
    std::vector<Value*> chosen;
    for (unsigned block = 0; block < lanes(); block += in_block)
      for (unsigned row = 0; row < in_row; ++row) chosen.push_back(rows[block + part * in_row + row]);
    parts.push_back(joined_rows(chosen, bytes));
  }
  if (count == 2) return separated(parts, in_block);
  for (unsigned stage = in_block; stage > 1; stage /= 2) {
    std::vector<Value*> next;
    for (unsigned i = 0; i < count / 2; ++i)
      for (unsigned half = 0; half < 2; ++half) next.push_back(interleaved(parts[i], parts[i + count / 2], in_block, half));
    parts = std::move(next);
  }
  return parts;
}

// Each block's lower or upper half of one vector with that of another.
llvm::Value* FunctionEmitter::interleaved(Value* a, Value* b, unsigned in_block, unsigned half) {
  std::vector<int> pick;
  for (unsigned block = 0; block < lanes(); block += in_block)
    for (unsigned i = 0; i < in_block / 2; ++i) {
      const auto place = static_cast<int>(block + half * in_block / 2 + i);
      pick.push_back(place);
      pick.push_back(place + static_cast<int>(lanes()));
    }
  return b_.CreateShuffleVector(a, b, pick);
}

// Even and odd elements of two vectors, block by block.
std::vector<llvm::Value*> FunctionEmitter::separated(const std::vector<Value*>& parts, unsigned in_block) {
  std::vector<Value*> result;
  for (unsigned e = 0; e < 2; ++e) {
    std::vector<int> pick;
    for (unsigned block = 0; block < lanes(); block += in_block)
      for (unsigned part = 0; part < 2; ++part)
        for (unsigned i = 0; i < in_block; i += 2) pick.push_back(static_cast<int>(part * lanes() + block + i + e));
    result.push_back(b_.CreateShuffleVector(parts[0], parts[1], pick));
  }
  return result;
}

// Every count-th element, from each of the first `count` on.
std::vector<llvm::Value*> FunctionEmitter::picked(Value* all, unsigned count) {
  std::vector<Value*> result;
  for (unsigned e = 0; e < count; ++e) {
    std::vector<int> pick;
    for (unsigned lane = 0; lane < lanes(); ++lane) pick.push_back(static_cast<int>(lane * count + e));
    result.push_back(b_.CreateShuffleVector(all, pick));
  }
  return result;
}

}  // namespace heddle::device::cpu
