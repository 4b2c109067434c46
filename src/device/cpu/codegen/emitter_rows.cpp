#include "device/cpu/codegen/emitter_rows.hpp"

#include <algorithm>
#include <map>

#include <llvm/IR/Constants.h>

#include "device/cpu/codegen/emitter_shuffles.hpp"

namespace heddle::device::cpu {

using ptx::Space;
using ptx::Type;

RowLoads::RowLoads(FunctionContext& context, Values& values, Addresses& addresses, ElementAccess& elements,
                   SlowAccess& slow)
    : EmitterPart(context),
      spaces_(values.spaces),
      registers_(values.registers),
      branches_(values.branches),
      addresses_(addresses),
      elements_(elements),
      slow_(slow),
      merged_loads_(find_merged_loads(facts_)),
      merged_(merged_loads_.groups.size()) {}

const std::vector<MergedLoads::Place>* RowLoads::places(std::uint32_t instruction) const {
  const auto found = merged_loads_.places.find(instruction);
  return found != merged_loads_.places.end() ? &found->second : nullptr;
}

std::vector<llvm::Value*> RowLoads::elements(const ptx::Instruction& inst,
                                             const std::vector<MergedLoads::Place>& places) {
  const ptx::Operand& source = inst.operands[1];
  const Space space = spaces_.effective_space(inst.d.space, source);
  const unsigned bytes = ptx::byte_size(inst.d.type);
  llvm::Type* element = memory_type(inst.d.type);
  std::vector<Value*> values;
  for (unsigned e = 0; e < places.size(); ++e) {
    const auto alone = [&] {
      const Address at = addresses_.advance(addresses_.of(source, space), e * bytes);
      return branches_.either_way(
          at.ok, [&] { return elements_.load(at, element, 1, bytes, context_.mask, space)[0]; },
          [&] { return slow_.gather(at, element, context_.mask); });
    };
    if (places[e].group == MergedLoads::none) {
      values.push_back(alone());
      continue;
    }
    const LoadGroup& group = merged_loads_.groups[places[e].group];
    MergedRows& merged = merged_[places[e].group];
    if (merged.elements.empty()) merged = load_group(group, space);
    Value* value = b_.CreateBitCast(merged.elements[places[e].element], vector_of(element));
    const bool is_checked = !group.stores.empty() && context_.index > group.stores[0];
    values.push_back(branches_.either_way(is_checked ? merged.untouched : nullptr, [&] { return value; }, alone));
  }
  return values;
}

// The elements of a group, as vectors of integers.
RowLoads::MergedRows RowLoads::load_group(const LoadGroup& group, Space space) {
  const Address address =
      addresses_.advance(addresses_.of(function_.body[group.first].operands[1], space), group.distance);
  const auto fast = [&] {
    return transposed(b_, load_rows(group, row_pointers(group, address, space), space), group.bytes, group.count);
  };
  const auto slow = [&] {
    std::vector<Value*> values;
    auto* element = llvm::IntegerType::get(kernel_.llvm, group.bytes * 8);
    for (unsigned e = 0; e < group.count; ++e)
      values.push_back(slow_.gather(addresses_.advance(address, e * group.bytes), element, context_.mask));
    return values;
  };
  MergedRows result;
  result.elements = branches_.either_way_all(address.ok, fast, slow);
  if (!group.stores.empty()) result.untouched = untouched_by_stores(group, address, space);
  return result;
}

// Whether no store between the loads of a group writes what one of its lanes reads. Lanes that take no part do no harm:
// at worst, loads are made one by one.
llvm::Value* RowLoads::untouched_by_stores(const LoadGroup& group, const Address& address, Space space) {
  struct Written {
    std::uint32_t instruction;
    std::int64_t begin, end;
  };
  std::map<std::pair<std::uint32_t, Space>, Written> written;  // by base register
  for (std::uint32_t store : group.stores) {
    const ptx::Instruction& inst = function_.body[store];
    const ptx::Operand& target = inst.operands[0];
    const auto offsets = facts_.lane_offsets(facts_.forms[target.index]);
    const auto [lowest, highest] = std::minmax_element(offsets.begin(), offsets.end());
    const std::int64_t begin = target.value + *lowest,
                       end = target.value + *highest + ptx::byte_size(inst.d.type) * inst.d.vector;
    const auto [place, is_new] = written.try_emplace({target.index, inst.d.space}, Written{store, begin, end});
    place->second.begin = std::min(place->second.begin, begin);
    place->second.end = std::max(place->second.end, end);
  }
  const Rows rows = rows_of(group, address, space);
  Value* untouched = address.ok;
  for (const auto& [base, range] : written) {
    ptx::Operand target = function_.body[range.instruction].operands[0];
    target.value = 0;
    const Address to = addresses_.of(target, base.second);
    untouched = both(untouched, to.ok);
    // A row of `bytes` bytes at p meets [begin, end) where begin - bytes < p < end.
    const std::int64_t first = range.begin - static_cast<std::int64_t>(group.bytes * group.count) + 1;
    Value* start =
        b_.CreateAdd(b_.CreatePtrToInt(to.base, kernel_.abi.i64), b_.getInt64(static_cast<std::uint64_t>(first)));
    Value* from = rows.base ? b_.CreateSub(b_.CreatePtrToInt(rows.base, kernel_.abi.i64), start) : b_.CreateNeg(start);
    Value* distances = rows.base ? rows.of_lanes : b_.CreatePtrToInt(rows.of_lanes, vector_of(kernel_.abi.i64));
    Value* meets = b_.CreateICmpULT(b_.CreateAdd(distances, splat(from)),
                                    splat(b_.getInt64(static_cast<std::uint64_t>(range.end - first))));
    untouched = both(untouched, b_.CreateNot(any(both(context_.mask, meets))));
  }
  return untouched;
}

// A place that may always be read, for lanes that take no part.
llvm::Value* RowLoads::spare_row() {
  if (!spare_row_) {
    auto* type = llvm::ArrayType::get(kernel_.abi.i8, merged_bytes);
    spare_row_ = entry_alloca(type, "spare");
    spare_row_->setAlignment(llvm::Align(merged_bytes));
    llvm::IRBuilder<> builder(spare_row_->getNextNode());
    builder.CreateStore(llvm::Constant::getNullValue(type), spare_row_);
  }
  return spare_row_;
}

// Where each lane reads, as a common base and a distance of each lane, or as a pointer of each lane.
RowLoads::Rows RowLoads::rows_of(const LoadGroup& group, const Address& address, Space space) {
  if (address.form == Address::Form::affine) return {address.base, ramp(b_.getInt64(0), address.offsets)};
  if (!group.sum) return {nullptr, address.vector};
  Value* base = addresses_.pointer_at(spaces_.window_base(space), fit(registers_.read(group.sum->uniform), Type::u64));
  base = b_.CreateConstGEP1_64(kernel_.abi.i8, base, static_cast<std::uint64_t>(group.sum->distance));
  return {base, fit(registers_.read(group.sum->varying), Type::u64)};
}

// Lanes that take no part read what another one reads, or the spare place: which of them leaves the loops around it
// less to do.
std::vector<llvm::Value*> RowLoads::row_pointers(const LoadGroup& group, const Address& address, Space space) {
  const Rows rows = rows_of(group, address, space);
  Value* all = rows.of_lanes;
  if (context_.mask) all = b_.CreateSelect(context_.mask, all, splat(rows.base ? first_active(all) : spare_row()));
  std::vector<Value*> pointers;
  // Of a sum, either part may be the pointer and the other a number, zero among them, which must not be taken for a
  // null pointer.
  Value* base =
      rows.base && address.form != Address::Form::affine ? b_.CreatePtrToInt(rows.base, kernel_.abi.i64) : nullptr;
  for (unsigned lane = 0; lane < lanes(); ++lane) {
    Value* of_lane = b_.CreateExtractElement(all, std::uint64_t{lane});
    if (base)
      pointers.push_back(b_.CreateIntToPtr(b_.CreateAdd(base, of_lane), kernel_.abi.pointer));
    else
      pointers.push_back(rows.base ? b_.CreateGEP(kernel_.abi.i8, rows.base, of_lane) : of_lane);
  }
  return pointers;
}

// What each lane reads: a vector of elements where that is as long as a block of shuffles, else an integer.
std::vector<llvm::Value*> RowLoads::load_rows(const LoadGroup& group, const std::vector<Value*>& pointers,
                                              Space space) {
  const unsigned bytes = group.bytes * group.count;
  llvm::Type* type = llvm::IntegerType::get(kernel_.llvm, bytes * 8);
  if (bytes == shuffle_block_bytes)
    type = llvm::FixedVectorType::get(llvm::IntegerType::get(kernel_.llvm, group.bytes * 8), group.count);
  std::vector<Value*> rows;
  for (Value* pointer : pointers) {
    auto* row = b_.CreateAlignedLoad(type, pointer, llvm::Align(group.bytes));
    tag_space(row, space);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace heddle::device::cpu
