#include <string_view>

#include "device/sim/machine_file/fields.hpp"

namespace heddle::device::sim {
namespace {

using Names = const std::string_view[];
constexpr Names coalescing_names = {"cc1.0", "cc1.2", "lines", "sectors"};
constexpr Names broadcast_names = {"one-word", "any-words"};
constexpr Names write_names = {"through", "evict", "back"};
constexpr Names replacement_names = {"lru", "fifo", "random"};
constexpr Names allocation_names = {"on-miss", "on-fill"};
constexpr Names dram_models = {"banks", "fixed"};
constexpr Names dram_orders = {"fr-fcfs", "fcfs"};
constexpr Names row_policies = {"open", "closed"};

// An enumeration of one byte is read and written as that byte.
template <typename Choice>
FieldRef choice(Choice& value, std::span<const std::string_view> names) {
  static_assert(sizeof(Choice) == 1);
  return ChoiceRef{reinterpret_cast<std::uint8_t*>(&value), names};
}

#define AT(member) [](MachineDescription& m) -> FieldRef { return &m.member; }
#define CHOICE(member, names) [](MachineDescription& m) -> FieldRef { return choice(m.member, names); }

constexpr double kib = 1024, mib = 1024 * 1024, gib = 1024 * mib;

const Field fields[] = {
    {"coalescing", "rule", "", 0, 0, CHOICE(coalescing, coalescing_names),
     "which transactions the accesses of a warp become; see below"},

    {"shared", "banks", "", 1, 64, AT(shared.banks), "banks of the shared memory"},
    {"shared", "bank-bytes", "bytes", 4, 16, AT(shared.bank_bytes), "bytes of a bank that are served in a pass"},
    {"shared", "lanes", "lanes", 1, 32, AT(shared.lanes), "lanes served in one pass when nothing conflicts"},
    {"shared", "interval", "cycles", 1, 64, AT(shared.interval), "of a pass"},
    {"shared", "latency", "cycles", 1, 4096, AT(shared.latency), "from the first pass to the data"},
    {"shared", "broadcast", "", 0, 0, CHOICE(shared.broadcast, broadcast_names),
     "a pass gives one word to many lanes and other words to one lane each, or every word to all that want it"},
    {"shared", "atomic-passes", "passes", 1, 1024, AT(shared.atomic_passes),
     "for each thread of an atomic operation at one bank"},

    {"l1", "bytes", "bytes", 0, 16 * mib, AT(l1.bytes), "size of the L1 of an SM; 0: none"},
    {"l1", "ways", "", 1, 64, AT(l1.ways), "lines of a set"},
    {"l1", "line", "bytes", 32, 128, AT(l1.line), "of a line: 32, 64 or 128"},
    {"l1", "sector", "bytes", 32, 128, AT(l1.sector), "of what is fetched of a line: 32, 64 or 128"},
    {"l1", "banks", "", 1, 32, AT(l1.banks), "lines looked up in a cycle, each in another bank"},
    {"l1", "latency", "cycles", 1, 4096, AT(l1.latency), "from the look-up to the data of a hit"},
    {"l1", "miss-latency", "cycles", 0, 4096, AT(l1.miss_latency), "from the look-up to the port of the crossbar"},
    {"l1", "fill-latency", "cycles", 0, 4096, AT(l1.fill_latency), "from the arrival of data to their use"},
    {"l1", "mshrs", "", 1, 4096, AT(l1.mshrs), "lines that are being fetched; without a cache, transactions"},
    {"l1", "merges", "", 1, 256, AT(l1.merges), "transactions that wait for one of these lines"},
    {"l1", "global-loads", "", 0, 1, AT(l1.global_loads), "global loads use the L1"},
    {"l1", "local", "", 0, 1, AT(l1.local), "local memory uses the L1"},
    {"l1", "global-write", "", 0, 0, CHOICE(l1.global_write, write_names),
     "global stores: sent on, a line that is there updated; sent on, the line dropped; kept until the line is "
     "replaced"},
    {"l1", "local-write", "", 0, 0, CHOICE(l1.local_write, write_names), "the same for local stores"},
    {"l1", "replacement", "", 0, 0, CHOICE(l1.replacement, replacement_names), "which line of a set is replaced"},
    {"l1", "allocation", "", 0, 0, CHOICE(l1.allocation, allocation_names),
     "a line is replaced when its successor is asked for, or when that arrives"},

    {"lsu", "queue", "accesses", 1, 256, AT(lsu.queue),
     "accesses of warps that wait for the L1, in order; more are refused"},
    {"lsu", "stores", "transactions", 1, 64 * kib, AT(lsu.stores), "of stores that the L2 has not accepted yet"},
    {"lsu", "replays", "", 0, 1, AT(lsu.replays),
     "instructions that meet conflicts are issued again: each pass of a port beyond an access's first, of the L1, of "
     "shared memory's banks or of words of constants, takes a slot of the scheduler that has issued it"},

    {"constant", "bytes", "bytes", 64, 16 * mib, AT(constant.bytes), "size of the constant cache of an SM"},
    {"constant", "ways", "", 1, 64, AT(constant.ways), "lines of a set"},
    {"constant", "line", "bytes", 32, 128, AT(constant.line), "of a line: 32, 64 or 128"},
    {"constant", "latency", "cycles", 1, 4096, AT(constant.latency), "from the look-up to the data of a hit"},
    {"constant", "mshrs", "", 1, 4096, AT(constant.mshrs), "lines that are being fetched"},

    {"crossbar", "latency", "cycles", 1, 65536, AT(crossbar.latency),
     "of one way without queueing; half of the longest epoch of the simulation"},
    {"crossbar", "request-bytes", "bytes/cycle", 0.01, 1 * kib, AT(crossbar.request_bytes), "that one SM sends"},
    {"crossbar", "response-bytes", "bytes/cycle", 0.01, 1 * kib, AT(crossbar.response_bytes), "that one SM receives"},
    {"crossbar", "header-bytes", "bytes", 0, 128, AT(crossbar.header_bytes), "of a packet"},

    {"l2", "bytes", "bytes", 0, 4 * gib, AT(l2.bytes), "size of all slices together; 0: none"},
    {"l2", "slices", "", 1, 1024, AT(l2.slices), "slices; a multiple of the DRAM's channels"},
    {"l2", "ways", "", 1, 64, AT(l2.ways), "lines of a set"},
    {"l2", "line", "bytes", 32, 128, AT(l2.line), "of a line: 32, 64 or 128"},
    {"l2", "sector", "bytes", 32, 128, AT(l2.sector), "of what is fetched of a line: 32, 64 or 128"},
    {"l2", "latency", "cycles", 1, 65536, AT(l2.latency),
     "from the arrival of a request to the departure of a hit's data"},
    {"l2", "bytes-per-cycle", "bytes/cycle", 0.01, 4 * kib, AT(l2.bytes_per_cycle), "of a slice"},
    {"l2", "mshrs", "", 1, 4096, AT(l2.mshrs), "lines that a slice is fetching"},
    {"l2", "merges", "", 1, 256, AT(l2.merges), "requests that wait for one of these lines"},
    {"l2", "replacement", "", 0, 0, CHOICE(l2.replacement, replacement_names), "which line of a set is replaced"},
    {"l2", "fetch-on-partial-write", "", 0, 1, AT(l2.fetch_on_partial_write),
     "a write of a part of a sector fetches the sector; else the slice knows which bytes it has"},
    {"l2", "row-write-back", "", 0, 1, AT(l2.row_write_back),
     "a line that is written back takes the other changed lines of its DRAM row along; else it goes alone"},
    {"l2", "atomics-per-cycle", "", 0.001, 1 * kib, AT(l2.atomics_per_cycle), "of a slice, at different addresses"},
    {"l2", "atomic-interval", "cycles", 0, 65536, AT(l2.atomic_interval),
     "between two atomic operations at one address; 0: those of one warp at one address are done as one"},

    {"dram", "bytes", "bytes", mib, 1024 * gib, AT(dram.bytes), "the device's memory"},
    {"dram", "channels", "", 1, 1024, AT(dram.channels), "channels"},
    {"dram", "interleave", "bytes", 32, 64 * kib, AT(dram.interleave),
     "consecutive bytes in one L2 slice; a power of two, at least an L2 line"},
    {"dram", "hash", "", 0, 1, AT(dram.hash), "the slice depends on higher bits of the address too"},
    {"dram", "bytes-per-clock", "bytes", 0.01, 4 * kib, AT(dram.bytes_per_clock),
     "of a channel, in a command clock cycle"},
    {"dram", "burst", "bytes", 8, 128, AT(dram.burst), "that are moved at least; a power of two"},
    {"dram", "latency", "SM cycles", 0, 65536, AT(dram.latency),
     "controller and wires, both ways together; of the model `fixed` the whole latency"},
    {"dram", "queue", "requests", 4, 256, AT(dram.queue), "among which a channel's controller chooses"},
    {"dram", "model", "", 0, 0, CHOICE(dram.model, dram_models),
     "banks with rows and timing, or a latency and a bandwidth"},
    {"dram", "order", "", 0, 0, CHOICE(dram.order, dram_orders),
     "open rows' requests first, else the oldest; or always the oldest"},
    {"dram", "row-policy", "", 0, 0, CHOICE(dram.row_policy, row_policies),
     "a row stays open after an access, or is closed when no waiting request wants it"},
    {"dram", "banks", "", 1, 256, AT(dram.banks), "of a channel; a power of two"},
    {"dram", "row-bytes", "bytes", 128, mib, AT(dram.row_bytes), "of a row of a bank in a channel; a power of two"},
    {"dram", "t-cl", "DRAM cycles", 1, 4096, AT(dram.t_cl), "column access to its data"},
    {"dram", "t-rp", "DRAM cycles", 1, 4096, AT(dram.t_rp), "precharge"},
    {"dram", "t-rc", "DRAM cycles", 1, 4096, AT(dram.t_rc), "between two activations of a bank"},
    {"dram", "t-ras", "DRAM cycles", 1, 4096, AT(dram.t_ras), "activation to precharge"},
    {"dram", "t-rcd", "DRAM cycles", 1, 4096, AT(dram.t_rcd), "activation to column access"},
    {"dram", "t-rrd", "DRAM cycles", 0, 4096, AT(dram.t_rrd), "between activations of different banks"},
    {"dram", "t-wr", "DRAM cycles", 0, 4096, AT(dram.t_wr), "a write's data to precharge"},
    {"dram", "t-wtr", "DRAM cycles", 0, 4096, AT(dram.t_wtr), "a write's data to a read's command"},
    {"dram", "t-rfc", "DRAM cycles", 0, 65536, AT(dram.t_rfc), "duration of a refresh"},
    {"dram", "t-refi", "DRAM cycles", 0, mib, AT(dram.t_refi), "between two refreshes; 0: none"},
    {"dram", "write-high", "requests", 1, 256, AT(dram.write_high), "waiting writes from which on writes are served"},
    {"dram", "write-low", "requests", 0, 256, AT(dram.write_low), "waiting writes at which reads are served again"},
};

#undef AT
#undef CHOICE

}  // namespace

std::span<const Field> memory_fields() { return fields; }

}  // namespace heddle::device::sim
