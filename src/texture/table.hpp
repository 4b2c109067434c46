// The textures and surfaces of a device, by the numbers that kernels have. Kernels look them up without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "base/thread_safety.hpp"
#include "heddle/texture.hpp"
#include "texture/texture.hpp"

namespace heddle::texture {

class Table final : public TextureTable {
 public:
  Table() = default;
  ~Table() override;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  std::uint64_t add_texture(const Image& image, const Sampler& sampler) override;
  std::uint64_t add_surface(const Image& image) override;
  bool remove(std::uint64_t handle) override;

  // Null if there is none.
  const Texture* find(std::uint64_t handle) const;

 private:
  // The handle's lower half is the number of the slot, from 1; the upper half counts how often it has been used before.
  struct Slot {
    std::atomic<std::uint64_t> handle{0};  // 0: free
    Texture texture;
  };
  static constexpr unsigned slots_of_chunk = 256, most_chunks = 4096;
  using Chunk = std::array<Slot, slots_of_chunk>;

  std::uint64_t add(const Texture& texture);
  Slot* slot(std::uint64_t handle) const;

  std::array<std::atomic<Chunk*>, most_chunks> chunks_{};
  heddle::base::Mutex mutex_;
  std::uint32_t used_ HEDDLE_GUARDED_BY(mutex_) = 0;
  std::deque<std::uint64_t> free_ HEDDLE_GUARDED_BY(mutex_);  // the next handles of slots that were used
};

}  // namespace heddle::texture
