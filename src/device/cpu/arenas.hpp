// The memory of small allocations: large mappings of the system, and the ranges of them that are free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace heddle::device::cpu {

inline constexpr std::size_t page_bytes = 4096;
// Around each mapping of device memory.
inline constexpr std::size_t guard_bytes = 64 * 1024;

constexpr std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

// One thread at a time. What throws has no effect then.
class Arenas {
  using ByAddress = std::map<std::uint64_t, std::size_t>;
  using BySize = std::set<std::pair<std::size_t, std::uint64_t>>;  // best fit

 public:
  // Bytes that were taken. They hold the nodes that they need as a free range, so that giving them back allocates
  // nothing.
  class Piece {
   public:
    bool empty() const { return by_address_.empty(); }
    std::uint64_t address() const { return by_address_.key(); }

   private:
    friend class Arenas;
    ByAddress::node_type by_address_;
    BySize::node_type by_size_;
  };

  Arenas() = default;
  ~Arenas();
  Arenas(const Arenas&) = delete;
  Arenas& operator=(const Arenas&) = delete;

  // Empty when the system gives no memory. Throws std::bad_alloc.
  Piece take(std::size_t bytes);
  void give_back(Piece piece) noexcept;

 private:
  struct Mapping {
    void* start;
    std::size_t bytes;
  };
  bool add(std::size_t at_least);
  bool map(std::size_t data);
  void add_free(std::uint64_t address, std::size_t bytes);

  ByAddress free_;
  BySize free_by_size_;
  std::vector<Mapping> mappings_;
};

}  // namespace heddle::device::cpu
