// All memory that CUDA calls know, by address: of devices, of the host as far as it was allocated or registered through
// CUDA, and the variables of modules.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/caller_place.hpp"
#include "base/thread_safety.hpp"
#include "cuda_api/core/pool.hpp"
#include "heddle/device.hpp"

namespace heddle::cuda_api {

class GraphMemory;

enum class BlockKind : std::uint8_t { device, host, registered, managed, variable };

// Hints of the program about managed memory, without effect. Devices by CUDA's number, -1: the host, -2: no hint.
struct MemoryHints {
  heddle::base::Mutex mutex;
  bool mostly_read HEDDLE_GUARDED_BY(mutex) = false;
  int preferred HEDDLE_GUARDED_BY(mutex) = -2, prefetched HEDDLE_GUARDED_BY(mutex) = -2;
  std::vector<int> accessed_by HEDDLE_GUARDED_BY(mutex);
};

struct Block {
  std::uint64_t address = 0;
  std::size_t size = 0;
  BlockKind kind = BlockKind::device;
  int device = 0;  // CUDA's number
  // add() writes these: the slot of the context in which it was made, and a number that no other block has had.
  static constexpr int no_owner = -1;  // it stays when contexts end
  int owner = 0;
  std::uint64_t id = 0;
  MemorySpan span;                      // the form that copies use
  unsigned flags = 0;                   // of the call that made it
  base::CallerPlace made_by;            // with --check=leak: by which code of the program
  heddle::Memory memory;                // none for variables
  std::shared_ptr<MemoryHints> hints;   // of managed memory
  CUmemPoolHandle_st* pool = nullptr;   // that it was allocated from
  std::weak_ptr<GraphMemory> of_graph;  // memory that a graph allocates holds itself
  bool is_of_graph() const { return std::weak_ptr<GraphMemory>().owner_before(of_graph); }
  bool on_host() const { return kind == BlockKind::host || kind == BlockKind::registered; }
  // `bytes` bytes at an address within.
  MemorySpan part(std::uint64_t at, std::size_t bytes) const { return {span.device, at, bytes}; }
};

// Any thread.
class MemoryTable {
 public:
  // The block belongs to the calling thread's context.
  void add(Block block);
  // It belongs to no context.
  void add_lasting(Block block);
  // Removes the block that begins there; nothing if there is no such block.
  std::optional<Block> take(std::uint64_t address);
  // The block that contains the address.
  std::optional<Block> find(std::uint64_t address) const;
  // Calls f with each block; it must not use the table.
  void for_each(const std::function<void(const Block&)>& f) const;
  // Removes all that belong to a context, by its slot (of a device's own: the device's number).
  std::map<std::uint64_t, Block> take_all(int owner);

 private:
  void put(Block block);

  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Block> blocks_;
  std::uint64_t last_id_ = 0;
};

}  // namespace heddle::cuda_api
