#include "device/cpu/codegen/emitter_shuffles.hpp"

#include <cstdint>
#include <numeric>
#include <utility>

#include <llvm/IR/Constants.h>

namespace heddle::device::cpu {

namespace {

unsigned elements_of(const llvm::Value* value) {
  return llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
}

// Rows one after the other in one vector of elements.
llvm::Value* joined_rows(llvm::IRBuilder<>& b, const std::vector<llvm::Value*>& rows, unsigned bytes) {
  if (rows[0]->getType()->isVectorTy()) return concatenate(b, rows);
  auto* type = llvm::FixedVectorType::get(rows[0]->getType(), static_cast<unsigned>(rows.size()));
  llvm::Value* joined = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < rows.size(); ++i) joined = b.CreateInsertElement(joined, rows[i], std::uint64_t{i});
  const unsigned elements = type->getPrimitiveSizeInBits().getFixedValue() / (bytes * 8);
  return b.CreateBitCast(joined, llvm::FixedVectorType::get(b.getIntNTy(bytes * 8), elements));
}

// Each block's lower or upper half of one vector with that of another.
llvm::Value* interleaved(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, unsigned in_block, unsigned half) {
  const unsigned lanes = elements_of(x);
  std::vector<int> pick;
  for (unsigned block = 0; block < lanes; block += in_block)
    for (unsigned i = 0; i < in_block / 2; ++i) {
      const auto place = static_cast<int>(block + half * in_block / 2 + i);
      pick.push_back(place);
      pick.push_back(place + static_cast<int>(lanes));
    }
  return b.CreateShuffleVector(x, y, pick);
}

// Even and odd elements of two vectors, block by block.
std::vector<llvm::Value*> separated(llvm::IRBuilder<>& b, const std::vector<llvm::Value*>& parts, unsigned in_block) {
  const unsigned lanes = elements_of(parts[0]);
  std::vector<llvm::Value*> result;
  for (unsigned e = 0; e < 2; ++e) {
    std::vector<int> pick;
    for (unsigned block = 0; block < lanes; block += in_block)
      for (unsigned part = 0; part < 2; ++part)
        for (unsigned i = 0; i < in_block; i += 2) pick.push_back(static_cast<int>(part * lanes + block + i + e));
    result.push_back(b.CreateShuffleVector(parts[0], parts[1], pick));
  }
  return result;
}

}  // namespace

std::vector<int> numbers(unsigned first, unsigned count) {
  std::vector<int> result(count);
  std::iota(result.begin(), result.end(), static_cast<int>(first));
  return result;
}

llvm::Value* concatenate(llvm::IRBuilder<>& b, std::vector<llvm::Value*> parts) {
  while (parts.size() > 1) {
    std::vector<llvm::Value*> joined;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      const unsigned n = elements_of(parts[i]);
      joined.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], numbers(0, 2 * n)));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

llvm::Value* repeated(llvm::IRBuilder<>& b, llvm::Value* mask, unsigned count) {
  if (count == 1) return mask;
  std::vector<int> repeat;
  for (unsigned i = 0; i < elements_of(mask) * count; ++i) repeat.push_back(static_cast<int>(i / count));
  return b.CreateShuffleVector(mask, repeat);
}

std::vector<llvm::Value*> picked(llvm::IRBuilder<>& b, llvm::Value* all, unsigned count) {
  const unsigned lanes = elements_of(all) / count;
  std::vector<llvm::Value*> result;
  for (unsigned e = 0; e < count; ++e) {
    std::vector<int> pick;
    for (unsigned lane = 0; lane < lanes; ++lane) pick.push_back(static_cast<int>(lane * count + e));
    result.push_back(b.CreateShuffleVector(all, pick));
  }
  return result;
}

llvm::Value* woven(llvm::IRBuilder<>& b, const std::vector<llvm::Value*>& values) {
  const unsigned lanes = elements_of(values[0]);
  std::vector<int> weave;
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned e = 0; e < values.size(); ++e) weave.push_back(static_cast<int>(e * lanes + lane));
  return b.CreateShuffleVector(concatenate(b, values), weave);
}

// Where the lanes fill blocks of 16 bytes, `count` vectors are joined of the rows, each with some rows of every block's
// lanes, and a network of interleavings within blocks turns rows into columns: number an element by the bits of its
// vector and, below them, its place in the block; interleaving vector i with vector i + count / 2 rotates these bits by
// one.
std::vector<llvm::Value*> transposed(llvm::IRBuilder<>& b, const std::vector<llvm::Value*>& rows, unsigned bytes,
                                     unsigned count) {
  const auto lanes = static_cast<unsigned>(rows.size());
  const unsigned in_block = shuffle_block_bytes / bytes, in_row = in_block / count;  // elements of a block; rows of it
  if (lanes % in_block != 0) return picked(b, joined_rows(b, rows, bytes), count);
  std::vector<llvm::Value*> parts;
  for (unsigned part = 0; part < count; ++part) {
    std::vector<llvm::Value*> chosen;
    for (unsigned block = 0; block < lanes; block += in_block)
      for (unsigned row = 0; row < in_row; ++row) chosen.push_back(rows[block + part * in_row + row]);
    parts.push_back(joined_rows(b, chosen, bytes));
  }
  if (count == 2) return separated(b, parts, in_block);
  for (unsigned stage = in_block; stage > 1; stage /= 2) {
    std::vector<llvm::Value*> next;
    for (unsigned i = 0; i < count / 2; ++i)
      for (unsigned half = 0; half < 2; ++half)
        next.push_back(interleaved(b, parts[i], parts[i + count / 2], in_block, half));
    parts = std::move(next);
  }
  return parts;
}

}  // namespace heddle::device::cpu
