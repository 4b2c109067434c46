#include "heddle/moved.hpp"

#include "core/core.hpp"
#include "runtime/buffer.hpp"
#include "runtime/held.hpp"

namespace heddle {

std::vector<Moved> moved(const ArrayBytes& array) {
  core::Core& core = runtime::held(array.buffer(), "Array").core();
  const auto name = [&](std::size_t place) {
    return place < core.places() ? core.device(place).info().id : std::string("host");
  };
  std::vector<Moved> list;
  const base::Lock lock(core.mutex());
  for (const auto& [pair, moves] : core.transfers().moves())
    list.push_back({name(pair.first), name(pair.second), moves.copies, moves.bytes});
  return list;
}

}  // namespace heddle
