#include "device/cpu/codegen/emitter_elements.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>

#include "device/cpu/codegen/emitter_shuffles.hpp"

namespace heddle::device::cpu {

using ptx::Space;

namespace {
// Shorter runs than this are not worth an access each.
constexpr unsigned min_run = 4;
// A window may have so many times the elements that lanes access, and so many bytes.
constexpr unsigned widest_window = 4, most_window_bytes = 512;
constexpr unsigned scattered_bytes = 8;   // at most, of what one lane of a scatter stores
constexpr std::uint64_t line_bytes = 64;  // of a cache line
}  // namespace

void tag_space(llvm::Instruction* access, Space space) {
  // A variable for a call's parameter may be read as local memory, too.
  if (space == Space::generic || space == Space::param) return;
  llvm::MDBuilder md(access->getContext());
  llvm::MDNode* root = md.createTBAARoot("ptx");
  static constexpr const char* names[] = {"generic", "global", "shared", "local", "global"};
  llvm::MDNode* type = md.createTBAAScalarTypeNode(names[static_cast<unsigned>(space)], root);
  access->setMetadata(llvm::LLVMContext::MD_tbaa, md.createTBAAStructTagNode(type, type, 0));
}

llvm::Value* ElementAccess::gather(Value* pointers, llvm::Type* element, std::uint64_t align, Value* mask) {
  return b_.CreateMaskedGather(vector_of(element), pointers, llvm::Align(align), mask_or_full(mask),
                               llvm::Constant::getNullValue(vector_of(element)));
}

void ElementAccess::scatter(Value* pointers, Value* value, std::uint64_t align, Value* mask) {
  b_.CreateMaskedScatter(value, pointers, llvm::Align(align), mask_or_full(mask));
}

// Elements of each lane, one after the other in memory: <lane 0: e0 e1 ...><lane 1: ...>. One wide access and shuffles.
std::vector<llvm::Value*> ElementAccess::load_interleaved(const Address& address, llvm::Type* element, unsigned count,
                                                          unsigned bytes, Value* mask, Space space) {
  auto* wide = llvm::FixedVectorType::get(element, lanes() * count);
  llvm::Instruction* all = nullptr;
  if (mask) {
    all = b_.CreateMaskedLoad(wide, address.base, llvm::Align(bytes), repeated(b_, mask, count),
                              llvm::Constant::getNullValue(wide));
  } else {
    all = b_.CreateAlignedLoad(wide, address.base, llvm::Align(bytes));
  }
  tag_space(all, space);
  if (count == 1) return {all};
  return picked(b_, all, count);
}

void ElementAccess::store_interleaved(const Address& address, const std::vector<Value*>& values, unsigned bytes,
                                      Value* mask, Space space) {
  const auto count = static_cast<unsigned>(values.size());
  Value* all = values[0];
  if (count > 1) all = woven(b_, values);
  llvm::Instruction* access = nullptr;
  if (mask) {
    access = b_.CreateMaskedStore(all, address.base, llvm::Align(bytes), repeated(b_, mask, count));
  } else {
    access = b_.CreateAlignedStore(all, address.base, llvm::Align(bytes));
  }
  tag_space(access, space);
}

// How many lanes at a time lie one after the other in memory, `bytes` apart: a power of two; 1 when none do.
unsigned ElementAccess::run_length(const Address& address, std::int64_t bytes) const {
  unsigned length = lanes();
  for (; length > 1; length /= 2) {
    bool regular = true;
    for (unsigned lane = 0; lane < lanes(); ++lane)
      regular &= address.offsets[lane] == address.offsets[lane / length * length] + bytes * (lane % length);
    if (regular) break;
  }
  return length;
}

// Loads each run of lanes at once. Runs at one place are loaded once.
llvm::Value* ElementAccess::load_runs(const Address& address, llvm::Type* element, unsigned bytes, unsigned length,
                                      Value* mask, Space space) {
  std::map<std::int64_t, Value*> unmasked;
  std::vector<Value*> parts;
  auto* part_type = llvm::FixedVectorType::get(element, length);
  for (unsigned first = 0; first < lanes(); first += length) {
    const std::int64_t offset = address.offsets[first];
    if (const auto known = unmasked.find(offset); !mask && known != unmasked.end()) {
      parts.push_back(known->second);
      continue;
    }
    Value* at = b_.CreateConstGEP1_64(kernel_.abi.i8, address.base, static_cast<std::uint64_t>(offset));
    llvm::Instruction* part = nullptr;
    if (mask)
      part =
          b_.CreateMaskedLoad(part_type, at, llvm::Align(bytes), b_.CreateShuffleVector(mask, numbers(first, length)),
                              llvm::Constant::getNullValue(part_type));
    else
      part = b_.CreateAlignedLoad(part_type, at, llvm::Align(bytes));
    tag_space(part, space);
    unmasked[offset] = part;
    parts.push_back(part);
  }
  return concatenate(b_, std::move(parts));
}

// Whole lines go past the caches where that pays; what else there is goes the plain way.
void ElementAccess::stream_or(Value* pointer, Value* value, Value* mask, const std::function<void()>& plain) {
  auto* past = new_block("past_caches");
  auto* through = new_block("through_caches");
  auto* stored = new_block("stored");
  Value* place = b_.CreateAnd(b_.CreatePtrToInt(pointer, kernel_.abi.i64), line_bytes - 1);
  Value* whole = b_.CreateICmpEQ(place, b_.getInt64(0));
  if (mask) {
    Value* bits = mask_bits(mask);
    whole = b_.CreateAnd(whole, b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType())));
  }
  b_.CreateCondBr(b_.CreateAnd(inputs_.streams, whole), past, through);
  b_.SetInsertPoint(past);
  auto* store = b_.CreateAlignedStore(value, pointer, llvm::Align(line_bytes));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                     llvm::MDNode::get(kernel_.llvm, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
  b_.CreateBr(stored);
  b_.SetInsertPoint(through);
  plain();
  b_.CreateBr(stored);
  b_.SetInsertPoint(stored);
}

void ElementAccess::store_runs(const Address& address, Value* value, unsigned bytes, unsigned length, Value* mask,
                               Space space) {
  for (unsigned first = 0; first < lanes(); first += length) {
    Value* at = b_.CreateConstGEP1_64(kernel_.abi.i8, address.base, static_cast<std::uint64_t>(address.offsets[first]));
    Value* part = b_.CreateShuffleVector(value, numbers(first, length));
    if (length == lanes() && inputs_.streams && facts_.streaming.stores[context_.index] &&
        bytes * length % line_bytes == 0) {
      stream_or(at, part, mask, [&] {
        if (mask)
          b_.CreateMaskedStore(part, at, llvm::Align(bytes), mask);
        else
          b_.CreateAlignedStore(part, at, llvm::Align(bytes));
      });
      continue;
    }
    llvm::Instruction* store = nullptr;
    if (mask)
      store = b_.CreateMaskedStore(part, at, llvm::Align(bytes), b_.CreateShuffleVector(mask, numbers(first, length)));
    else
      store = b_.CreateAlignedStore(part, at, llvm::Align(bytes));
    tag_space(store, space);
  }
}

// Few distinct places, each read by many lanes: scalar loads, spread. Only where all lanes run, since a lane that does
// not might be the only one of its place.
llvm::Value* ElementAccess::load_few(const Address& address, llvm::Type* element, unsigned bytes, Space space) {
  std::map<std::int64_t, int> places;
  for (std::int64_t offset : address.offsets) places.emplace(offset, 0);
  if (places.size() > 4) return nullptr;
  auto* few = llvm::FixedVectorType::get(element, static_cast<unsigned>(std::bit_ceil(places.size())));
  Value* all = llvm::PoisonValue::get(few);
  int number = 0;
  for (auto& [offset, position] : places) {
    Value* at = b_.CreateConstGEP1_64(kernel_.abi.i8, address.base, static_cast<std::uint64_t>(offset));
    auto* load = b_.CreateAlignedLoad(element, at, llvm::Align(bytes));
    tag_space(load, space);
    position = number;
    all = b_.CreateInsertElement(all, load, static_cast<std::uint64_t>(number++));
  }
  std::vector<int> pick;
  for (std::int64_t offset : address.offsets) pick.push_back(places[offset]);
  return b_.CreateShuffleVector(all, pick);
}

// With AVX-512 a host has masks of single elements of any size. Without, shuffles of masks cost more than gathers.
std::optional<LaneWindow> ElementAccess::window_to_load(const Address& address, unsigned count, unsigned bytes,
                                                        Value* mask) const {
  if (address.form != Address::Form::affine || lanes() < 8 || bytes > 8) return std::nullopt;
  if (!kernel_.features.avx512 && (mask != nullptr || bytes < 4)) return std::nullopt;
  auto window =
      lane_window(address.offsets, count, bytes, std::min(widest_window * count * lanes(), most_window_bytes / bytes));
  if (window && mask != nullptr && !window->distinct) return std::nullopt;
  return window;
}

// Without AVX-512, masked stores take longer than a store for each lane.
std::optional<LaneWindow> ElementAccess::window_to_store(const Address& address, unsigned count, unsigned bytes,
                                                         Value* mask) const {
  auto window = window_to_load(address, count, bytes, mask);
  if (!window || !window->distinct) return std::nullopt;
  if (!kernel_.features.avx512 && window->elements != count * lanes()) return std::nullopt;
  return window;
}

// Of the elements of a window that is padded to whole vectors: those that some lane accesses that takes part.
llvm::Value* ElementAccess::window_mask(const LaneWindow& window, unsigned count, unsigned padded, Value* mask) {
  std::vector<int> lane_of = lanes_of_window(window, count, padded);
  if (mask) {
    for (int& lane : lane_of) lane = lane < 0 ? static_cast<int>(lanes()) : lane;
    return b_.CreateShuffleVector(mask, llvm::Constant::getNullValue(mask->getType()), lane_of);
  }
  std::vector<llvm::Constant*> bits;
  for (const int lane : lane_of) bits.push_back(b_.getInt1(lane >= 0));
  return llvm::ConstantVector::get(bits);
}

std::vector<llvm::Value*> ElementAccess::load_window(const Address& address, const LaneWindow& window,
                                                     llvm::Type* element, unsigned count, unsigned bytes, Value* mask,
                                                     Space space) {
  const unsigned padded = std::bit_ceil(window.elements);
  auto* wide = llvm::FixedVectorType::get(element, padded);
  Value* at = b_.CreateConstGEP1_64(kernel_.abi.i8, address.base, static_cast<std::uint64_t>(window.first));
  llvm::Instruction* all = nullptr;
  if (!mask && padded == window.elements) {
    all = b_.CreateAlignedLoad(wide, at, llvm::Align(bytes));
  } else if (mask) {
    all = b_.CreateMaskedLoad(wide, at, llvm::Align(bytes), window_mask(window, count, padded, mask),
                              llvm::Constant::getNullValue(wide));
  } else {
    // What lies between lanes' elements is read as well: in the pages of the first and the last one.
    std::vector<llvm::Constant*> bits;
    for (unsigned i = 0; i < padded; ++i) bits.push_back(b_.getInt1(i < window.elements));
    all = b_.CreateMaskedLoad(wide, at, llvm::Align(bytes), llvm::ConstantVector::get(bits),
                              llvm::PoisonValue::get(wide));
  }
  tag_space(all, space);
  std::vector<Value*> values;
  for (unsigned e = 0; e < count; ++e) {
    std::vector<int> pick;
    for (const unsigned place : window.place) pick.push_back(static_cast<int>(place + e));
    values.push_back(b_.CreateShuffleVector(all, pick));
  }
  return values;
}

void ElementAccess::store_window(const Address& address, const LaneWindow& window, const std::vector<Value*>& values,
                                 unsigned bytes, Value* mask, Space space) {
  const auto count = static_cast<unsigned>(values.size());
  const unsigned padded = std::bit_ceil(window.elements);
  std::vector<int> pick(padded, llvm::PoisonMaskElem);
  for (unsigned lane = 0; lane < lanes(); ++lane)
    for (unsigned e = 0; e < count; ++e) pick[window.place[lane] + e] = static_cast<int>(lane * count + e);
  Value* all = b_.CreateShuffleVector(count > 1 ? woven(b_, values) : values[0], pick);
  Value* at = b_.CreateConstGEP1_64(kernel_.abi.i8, address.base, static_cast<std::uint64_t>(window.first));
  const bool whole = !mask && padded == lanes() * count;
  tag_space(whole ? static_cast<llvm::Instruction*>(b_.CreateAlignedStore(all, at, llvm::Align(bytes)))
                  : b_.CreateMaskedStore(all, at, llvm::Align(bytes), window_mask(window, count, padded, mask)),
            space);
}

std::vector<llvm::Value*> ElementAccess::load(const Address& address, llvm::Type* element, unsigned count,
                                              unsigned bytes, Value* mask, Space space) {
  std::vector<Value*> result;
  if (address.form == Address::Form::uniform) {
    for (unsigned e = 0; e < count; ++e) {
      auto* load = b_.CreateAlignedLoad(element, addresses_.advance(address, e * bytes).base, llvm::Align(bytes));
      tag_space(load, space);
      if (address.is_parameter)
        load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(kernel_.llvm, {}));
      result.push_back(load);
    }
    return result;
  }
  const bool affine = address.form == Address::Form::affine;
  if (affine && count > 1 && run_length(address, static_cast<std::int64_t>(count) * bytes) == lanes())
    return load_interleaved(address, element, count, bytes, mask, space);
  const unsigned length = affine ? run_length(address, bytes) : 1;
  if (length < min_run)
    if (const auto window = window_to_load(address, count, bytes, mask))
      return load_window(address, *window, element, count, bytes, mask, space);
  for (unsigned e = 0; e < count; ++e) {
    const Address at = addresses_.advance(address, e * bytes);
    Value* value = nullptr;
    if (length >= min_run)
      value = load_runs(at, element, bytes, length, mask, space);
    else if (affine && !mask)
      value = load_few(at, element, bytes, space);
    if (!value) {
      Value* pointers = affine ? b_.CreateGEP(kernel_.abi.i8, at.base, ramp(b_.getInt64(0), at.offsets)) : at.vector;
      value = gather(pointers, element, bytes, mask);
      tag_space(llvm::cast<llvm::Instruction>(value), space);
    }
    result.push_back(value);
  }
  return result;
}

void ElementAccess::store(const Address& address, const std::vector<Value*>& values, unsigned bytes, Value* mask,
                          Space space) {
  const bool affine = address.form == Address::Form::affine;
  const auto record = static_cast<std::int64_t>(values.size()) * bytes;
  if (affine && values.size() > 1 && run_length(address, record) == lanes())
    return store_interleaved(address, values, bytes, mask, space);
  const unsigned length = affine ? run_length(address, bytes) : 1;
  if (length < min_run) {
    if (const auto window = window_to_store(address, static_cast<unsigned>(values.size()), bytes, mask))
      return store_window(address, *window, values, bytes, mask, space);
    return scatter_records(address, values, bytes, mask);
  }
  for (unsigned e = 0; e < values.size(); ++e)
    store_runs(addresses_.advance(address, e * bytes), values[e], bytes, length, mask, space);
}

// A scatter takes its time for each lane, whatever the lane stores: so lanes store as many elements at once as there is
// an instruction for. Lanes' records are apart or the same, as PTX aligns them to their size, so that the last lane's
// stays either way.
void ElementAccess::scatter_records(const Address& address, const std::vector<Value*>& values, unsigned bytes,
                                    Value* mask) {
  const auto count = static_cast<unsigned>(values.size());
  const unsigned together = std::clamp(scattered_bytes / bytes, 1u, count);
  for (unsigned e = 0; e < count; e += together) {
    Value* value = values[e];
    if (together > 1) {
      std::vector<Value*> parts;
      for (unsigned i = e; i < e + together; ++i)
        parts.push_back(b_.CreateBitCast(values[i], vector_of(b_.getIntNTy(bytes * 8))));
      value = b_.CreateBitCast(woven(b_, parts), vector_of(b_.getIntNTy(bytes * 8 * together)));
    }
    const Address at = addresses_.advance(address, e * bytes);
    const bool affine = at.form == Address::Form::affine;
    scatter(affine ? b_.CreateGEP(kernel_.abi.i8, at.base, ramp(b_.getInt64(0), at.offsets)) : at.vector, value, bytes,
            mask);
  }
}

}  // namespace heddle::device::cpu
