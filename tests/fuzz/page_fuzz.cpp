// A tenant writes anything anywhere in the page that it shares with the daemon. The daemon reads on, within bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "daemon/messages.hpp"
#include "daemon/page.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::daemon;
  const auto page = std::make_unique<Page>();
  auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(page.get());
  RingReader reader(page->events);
  RingWriter writer(page->events);
  // Each 11 bytes: where, and what.
  for (std::size_t at = 0; at + 11 <= size; at += 11) {
    std::uint16_t where = 0;
    std::uint64_t what = 0;
    std::memcpy(&where, data + at, sizeof where);
    std::memcpy(&what, data + at + 3, sizeof what);
    if (data[at + 2] % 2 == 0)
      words[where % (sizeof(Page) / sizeof(std::uint64_t))].store(what, std::memory_order_relaxed);
    else
      writer.push({1, what, what >> 7, 0});
    std::uint64_t popped = 0;
    while (const auto message = reader.pop()) {
      if (++popped > ring_capacity) std::abort();
      const auto event = decode(*message);
      const auto* ended = event ? std::get_if<Ended>(&*event) : nullptr;
      if (ended != nullptr && ended->seconds > 86'400) std::abort();
    }
    if (const auto grant = read_grant(*page); grant && grant->units.count() > most_units) std::abort();
  }
  return 0;
}
