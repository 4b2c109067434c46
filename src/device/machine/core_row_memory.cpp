// Loads and stores of all lanes at once, where one check is enough for all of their bytes. Others execute lane by lane,
// as do all faults.
#include <algorithm>
#include <cstring>

#include "device/machine/core.hpp"
#include "device/machine/row_group.hpp"
#include "ptx/matrix.hpp"

namespace heddle::device::machine {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

namespace {

std::uint64_t address_of(const std::byte* at) { return reinterpret_cast<std::uint64_t>(at); }

std::span<const Operand> elements_of(const Operand& data) {
  return data.kind == OperandKind::vector ? std::span<const Operand>(data.elements) : std::span(&data, 1);
}

// f(T{}) with the unsigned type of so many bytes.
template <class F>
void for_bytes(unsigned bytes, F&& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

}  // namespace

// The last allocation that was asked for, while no allocation has come or gone.
const AddressMap::Holder* Core::holder_of(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t version = machine_.memory.version();
  const auto holds = [&] {
    return address >= holder_.address && address - holder_.address <= holder_.size &&
           bytes <= holder_.size - (address - holder_.address);
  };
  if (version == holder_version_ && holds()) return &holder_;
  const auto found = machine_.memory.holder(address, bytes);
  if (!found) return nullptr;
  holder_ = *found;
  holder_version_ = version;
  return &holder_;
}

// Whether the accesses, if they are parts of those of ldmatrix or stmatrix, lie in rows that begin where rows may.
bool Core::has_matrix_rows(const LaneThreads& threads, LaneMask lanes, const RowPlaces& places) const {
  bool right = true;
  for_each_lane(lanes, [&](unsigned lane) {
    const auto offset = ptx::offset_in_row(inst_->d.matrix, threads[lane]->lane());
    right = right && (!offset || (places.address[lane] - *offset) % ptx::matrix_row_bytes == 0);
  });
  return right;
}

// Where the lanes' bytes lie, if they may be accessed; false: that must be found lane by lane.
bool Core::place_rows(const RowGroup& group, LaneMask lanes, const Operand& operand, unsigned bytes, bool writes,
                      RowPlaces& places) {
  const RowOp& row = op_->row;
  places.space = op_->space;
  if (row.base.kind == RowSource::Kind::none) {
    if (thread_->frames.size() != 1) return false;
    const Place place = place_of(operand, op_->space);
    places.space = place.space;
    places.address.fill(place.address);
  } else {
    Row buffer;
    const std::uint64_t* const base = source_row(row.base, group, lanes, buffer);
    for (unsigned lane = 0; lane < row_lanes; ++lane)
      places.address[lane] = (base[lane] + row.offset) & row.address_mask;
  }
  std::uint64_t low = ~std::uint64_t{0}, high = 0, bits = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    low = std::min(low, places.address[lane]);
    high = std::max(high, places.address[lane]);
    bits |= places.address[lane];
  });
  if ((bits & (bytes - 1)) != 0 || high > ~std::uint64_t{0} - bytes) return false;
  if (inst_->d.matrix != ptx::MatrixAccess::none && !has_matrix_rows(group.threads, lanes, places)) return false;
  return check_rows(low, high + bytes, writes, places);
}

// The same for all bytes from `low` to `end`.
bool Core::check_rows(std::uint64_t low, std::uint64_t end, bool writes, RowPlaces& places) {
  const auto within = [&](std::uint64_t base, std::uint64_t bytes) { return low >= base && end - base <= bytes; };
  const auto touches = [&](std::uint64_t base, std::uint64_t bytes) { return low < base + bytes && end > base; };
  const std::uint64_t parameters = address_of(grid_.parameters()), shared = address_of(block_->shared);
  switch (places.space) {
    case Space::shared: places.to_host = shared; return within(0, block_->shared_bytes);
    case Space::local: return false;
    case Space::param:
    case Space::generic:
      if (!writes && within(parameters, grid_.kernel.parameter_bytes())) {
        places.space = Space::param;
        places.origin = parameters;
        return true;
      }
      if (within(shared, block_->shared_bytes)) {
        places.space = Space::shared;
        places.origin = shared;
        return true;
      }
      if (touches(parameters, grid_.kernel.parameter_bytes()) || touches(shared, block_->shared_bytes)) return false;
      break;
    default: break;
  }
  const AddressMap::Holder* const holder = holder_of(low, end - low);
  if (!holder || (holder->guarded && grid_.footprint != nullptr)) return false;
  // Local memory is the host's too: only memory of the host can have others' inside.
  if (places.space != Space::global && holder->kind == Allocation::Kind::host) return false;
  const bool constant = holder->kind == Allocation::Kind::constant;
  if ((constant && writes) || (places.space == Space::constant && !constant)) return false;
  places.space = constant ? Space::constant : Space::global;
  places.origin = std::uint64_t{0} - holder->to_model();
  return true;
}

void Core::note_rows(const RowPlaces& places, LaneMask lanes, unsigned bytes, AccessKind kind) {
  for_each_lane(lanes, [&](unsigned lane) {
    effects_->add({places.address[lane] - places.origin, bytes, places.space, kind, static_cast<std::uint8_t>(lane)});
  });
}

bool Core::load_rows(const RowGroup& group, LaneMask lanes) {
  const unsigned size = op_->element_bytes, bytes = size * op_->elements;
  RowPlaces places;
  if (!place_rows(group, lanes, operand(1), bytes, false, places)) return false;
  note_rows(places, lanes, bytes, AccessKind::load);
  std::uint64_t offset = places.to_host;
  Row row;
  for (const Operand& element : elements_of(operand(0))) {
    if (element.is_reg()) {
      for_bytes(size, [&](auto word) {
        for_each_lane(lanes, [&](unsigned lane) {
          std::memcpy(&word, reinterpret_cast<const void*>(places.address[lane] + offset), sizeof word);
          row[lane] = word;
        });
      });
      group.write(element.index, op_->row.finish, row.data(), lanes);
    }
    offset += size;
  }
  return true;
}

bool Core::store_rows(const RowGroup& group, LaneMask lanes) {
  const unsigned size = op_->element_bytes, bytes = size * op_->elements;
  RowPlaces places;
  if (!place_rows(group, lanes, operand(0), bytes, true, places)) return false;
  note_rows(places, lanes, bytes, AccessKind::store);
  const std::uint64_t* rows[Operation::most_elements];
  std::array<Row, Operation::most_elements> buffers;
  const std::span<const Operand> elements = elements_of(operand(1));
  for (std::size_t i = 0; i < elements.size(); ++i)
    rows[i] = source_row(row_source(elements[i], inst_->d.type, 1), group, lanes, buffers[i]);
  for_bytes(size, [&](auto word) {
    for_each_lane(lanes, [&](unsigned lane) {
      auto* at = reinterpret_cast<std::byte*>(places.address[lane] + places.to_host);
      for (std::size_t i = 0; i < elements.size(); ++i, at += sizeof word) {
        word = static_cast<decltype(word)>(rows[i][lane]);
        if (std::memcmp(at, &word, sizeof word) == 0) continue;
        std::memcpy(at, &word, sizeof word);
        ++memory_epoch_;
      }
    });
  });
  return true;
}

}  // namespace heddle::device::machine
