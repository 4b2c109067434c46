// A simulated GPU in numbers: what a machine file (TOML) says, read by read_machine() (reader.hpp). Plain data; a value
// that a file does not give is the one below, unless the file is based on a preset.
//
// Units: a cycle is one of the SM's clock (clocks.sm_mhz), except for the timing of DRAM, which is in cycles of the
// DRAM's command clock, as data sheets have it. Sizes are bytes. A register has 32 bits. docs/machines.md lists the
// keys.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::device::sim {

struct Clocks {
  double sm_mhz = 1000;    // of the SMs; all cycles but the DRAM's
  double dram_mhz = 1000;  // DRAM's command clock
  bool operator==(const Clocks&) const = default;
};

// What one SM holds, and the units in which it is allocated (Virtual Thread, section 2.1: the four limits).
struct Residency {
  unsigned threads = 1536, warps = 48, blocks = 8;
  unsigned block_threads = 1024;  // a block's most
  unsigned registers = 32 * 1024;
  unsigned thread_registers = 63;  // a thread's most
  unsigned register_unit = 64;     // registers are allocated in multiples of it: of a warp, or of a block
  bool registers_by_block = false;
  unsigned warp_unit = 1;  // warps of a block are allocated in multiples of it
  std::uint64_t shared_bytes = 48 * 1024;
  std::uint64_t block_shared_bytes = 48 * 1024;  // a block's most
  std::uint64_t shared_reserved = 0;             // taken of every block by the system
  unsigned shared_unit = 128;
  unsigned barriers = 16;  // of a block
  bool operator==(const Residency&) const = default;
};

// The front of an SM: from warps to the pipes.
struct Front {
  unsigned schedulers = 2;
  unsigned issue_width = 1;         // instructions of one warp that a scheduler issues in a turn (2: dual issue)
  unsigned issue_interval = 1;      // cycles between two turns of a scheduler
  unsigned scheduler_latency = 0;   // cycles of the choice, by which a dependent instruction is later
  unsigned delivery_latency = 0;    // cycles from issue to the operands' read
  unsigned scoreboard_entries = 0;  // instructions of a warp in flight; 0: as many as the pipes hold
  bool one_in_flight = false;       // a thread has one instruction in flight (Dynamic Warp Formation, section 2.1)
  bool pools_by_warp = true;        // warp w belongs to scheduler w mod schedulers; false: any scheduler, any warp
  unsigned fetch_latency = 0;       // cycles without issue after a taken branch
  unsigned barrier_latency = 20;    // cycles from the last arrival to the first issue after it
  unsigned barrier_interval = 0;    // cycles between two arrivals of warps at barriers of an SM; 0: any number at once
  unsigned early_loads = 0;         // loads that the compiler pulls before a use of one; 0: the order of the PTX
  // How operands are read (src/device/sim/operand_stage.hpp).
  unsigned register_banks = 0;   // banks of a scheduler's part of the register file; 0: operands are always in time
  unsigned bank_ports = 1;       // reads that a bank serves at a time
  unsigned bank_interval = 1;    // cycles of a read
  unsigned operand_window = 1;   // cycles in which an instruction's operands are read without delay
  unsigned collectors = 0;       // operand collectors of an SM; 0: a late instruction holds up its scheduler
  bool operand_reuse = false;    // operands that a warp reads again at once come from a cache
  bool bank_swizzle = false;     // registers of the next warp begin in the next bank
  bool banks_by_number = false;  // register r is in bank r mod banks; else a compiler has assigned them
  bool lane_decoders = true;     // threads of several warps read in one access, each lane its own register
  bool operator==(const Front&) const = default;
};

// Units that execute one class of instructions.
struct Pipe {
  // Pipes of an SM. A multiple of the schedulers: each scheduler has its own; else all share them. 0: the FMA pipe
  // executes these instructions, with this latency and interval.
  unsigned count = 1;
  unsigned latency = 18;  // cycles from issue until a dependent instruction can issue
  unsigned interval = 1;  // cycles for which a warp occupies the pipe: warp size / lanes
  bool operator==(const Pipe&) const = default;
};

struct Pipes {
  Pipe alu;  // integers, logic, moves
  Pipe fma;  // FP32; at least one
  Pipe fp64, sfu;
  Pipe lsu;  // at least one; its latency is that of the address, the memory's comes on top
  Pipe branch;
  // Products of matrices; the interval is that of 16 x 8 x 16 halves. Without tensor cores the FMA pipe does their
  // 2048 multiplications and additions, a warp's width at a time.
  Pipe tensor{.count = 0, .latency = 80, .interval = 64};
  // FP32 multiplications may also go to the SFU, for so many cycles (Tesla, section 2.4); 0: they may not.
  unsigned sfu_multiply_interval = 0;
  bool operator==(const Pipes&) const = default;
};

// Which transactions the accesses of a warp become (src/device/sim/memory/coalescer.hpp).
enum class CoalescingRule : std::uint8_t {
  half_warp_in_order,  // "cc1.0": thread k at word k of an aligned segment, else one transaction a thread
  half_warp_segments,  // "cc1.2": fewest segments of 32, 64 or 128 bytes for a half-warp
  lines,               // "lines": the cache lines that a warp touches, whole (Fermi)
  sectors,             // "sectors": the lines that a warp touches, and of each the sectors (Kepler and later)
};

enum class Broadcast : std::uint8_t {
  one_word,   // a pass serves one word to many lanes, other words to one lane each (compute capability 1.x)
  any_words,  // every word goes to all lanes that want it
};

struct SharedMemory {
  unsigned banks = 32, bank_bytes = 4;
  unsigned lanes = 32;    // served in one pass when there is no conflict
  unsigned interval = 1;  // cycles of a pass
  unsigned latency = 26;  // cycles from the first pass to the data
  Broadcast broadcast = Broadcast::any_words;
  unsigned atomic_passes = 1;  // passes for each thread of an atomic operation that meets others at its word
  bool operator==(const SharedMemory&) const = default;
};

enum class WritePolicy : std::uint8_t {
  through,  // written on; a line that is there is updated
  evict,    // written on; a line that is there is dropped
  back,     // kept in the cache, and written on when the line is replaced
};
enum class Replacement : std::uint8_t { lru, fifo, random };
enum class Allocation : std::uint8_t { on_miss, on_fill };

struct L1Cache {
  std::uint64_t bytes = 16 * 1024;  // 0: none
  unsigned ways = 4, line = 128, sector = 128;
  unsigned banks = 1;          // lines looked up in a cycle, each in another bank
  unsigned latency = 30;       // cycles from the look-up to the data of a hit
  unsigned miss_latency = 10;  // cycles from the look-up to the crossbar's port
  unsigned fill_latency = 10;  // cycles from the arrival of data to their use
  unsigned mshrs = 32;         // lines that are being fetched; without a cache, transactions
  unsigned merges = 8;         // accesses that wait for one of them
  bool global_loads = true;    // global loads use the cache
  bool local = true;           // local loads and stores do
  WritePolicy global_write = WritePolicy::evict;
  WritePolicy local_write = WritePolicy::back;
  Replacement replacement = Replacement::lru;
  Allocation allocation = Allocation::on_miss;
  bool operator==(const L1Cache&) const = default;
};

struct LoadStoreUnit {
  unsigned queue = 8;    // warp accesses that wait for the L1; more are refused
  unsigned stores = 64;  // transactions of stores that no L2 slice has accepted yet
  bool replays = false;  // what an access needs beyond one pass of its port takes slots of its scheduler
  bool operator==(const LoadStoreUnit&) const = default;
};

struct ConstantCache {
  std::uint64_t bytes = 8 * 1024;
  unsigned ways = 4, line = 64;
  unsigned latency = 20;
  unsigned mshrs = 4;
  bool operator==(const ConstantCache&) const = default;
};

struct Crossbar {
  unsigned latency = 30;       // cycles of one way, without queueing; twice this is the simulation's longest epoch
  double request_bytes = 32;   // a cycle, from one SM
  double response_bytes = 32;  // a cycle, to one SM
  unsigned header_bytes = 8;   // of a packet
  bool operator==(const Crossbar&) const = default;
};

struct L2Cache {
  std::uint64_t bytes = 768 * 1024;  // of all slices; 0: none, accesses go to DRAM
  unsigned slices = 6;               // a multiple of the DRAM's channels
  unsigned ways = 16, line = 128, sector = 32;
  unsigned latency = 60;        // cycles from the arrival of a request to the departure of a hit's data
  double bytes_per_cycle = 32;  // of a slice
  unsigned mshrs = 32, merges = 16;
  Replacement replacement = Replacement::lru;
  bool fetch_on_partial_write = false;  // a write of a part of a sector fetches the sector
  bool row_write_back = false;          // a line that is written back takes the changed lines of its DRAM row along
  double atomics_per_cycle = 1;         // of a slice, at different addresses
  unsigned atomic_interval = 1;         // cycles between two at one address; 0: a warp's are combined
  bool operator==(const L2Cache&) const = default;
};

enum class DramModel : std::uint8_t {
  banks,  // banks with rows and their timing
  fixed,  // a fixed latency and a bandwidth
};
enum class DramOrder : std::uint8_t {
  fr_fcfs,  // first ready: hits of open rows, then the oldest
  fcfs,     // the oldest
};
enum class RowPolicy : std::uint8_t { open, closed };

// One memory; all of its channels are alike. Names of the timing as in JEDEC's standards, in command clock cycles.
struct Dram {
  std::uint64_t bytes = std::uint64_t{1} << 30;  // the device's memory
  unsigned channels = 6;
  unsigned interleave = 256;    // consecutive bytes in one L2 slice
  bool hash = false;            // the slice depends on higher address bits too
  double bytes_per_clock = 32;  // of a channel
  unsigned burst = 32;          // bytes that are moved at least
  unsigned latency = 0;  // cycles of the SM: controller and wires, both ways together; `fixed`: the whole latency
  unsigned queue = 32;   // requests among which the controller chooses
  DramModel model = DramModel::banks;
  DramOrder order = DramOrder::fr_fcfs;
  RowPolicy row_policy = RowPolicy::open;
  unsigned banks = 16, row_bytes = 2048;
  unsigned t_cl = 12, t_rp = 12, t_rc = 40, t_ras = 28, t_rcd = 12, t_rrd = 6;
  unsigned t_wr = 12;                       // from a write's data to the precharge
  unsigned t_wtr = 5;                       // from a write's data to a read's command
  unsigned t_rfc = 0, t_refi = 0;           // refresh: its duration and interval; 0: none
  unsigned write_high = 16, write_low = 4;  // writes are served from `high` waiting ones on until `low` are left
  bool operator==(const Dram&) const = default;
};

// Between host and device, and what starts blocks.
struct Launching {
  unsigned kernel_cycles = 2000;   // from a launch at the head of its queue to its first block's start
  unsigned block_cycles = 100;     // from the choice of an SM to the block's first issue
  double blocks_per_cycle = 0.25;  // that the distributor starts on the whole device
  unsigned concurrent_kernels = 16;
  bool operator==(const Launching&) const = default;
};

struct CopyEngines {
  unsigned count = 1;
  double to_device_gbs = 6, to_host_gbs = 6;  // 1e9 bytes a second, of the link
  double device_gbs = 50;                     // of copies within the device
  double latency_us = 5;                      // of a copy
  bool operator==(const CopyEngines&) const = default;
};

// Names of policies (docs/simulator.md). Who makes the policies refuses unknown names.
struct Policies {
  std::string scheduler = "lrr", divergence = "pdom", residency = "round-robin", issue = "single", lanes = "identity",
              memory_queue = "fifo";
  std::string options;  // of policies, as "formation=majority,pool=64"
  bool operator==(const Policies&) const = default;
};

struct MachineDescription {
  std::string name;          // as in --device sim:NAME
  std::string title;         // one line for people
  unsigned capability = 20;  // compute capability as 20 for 2.0, which programs are given
  unsigned sms = 14;
  unsigned warp_size = 32;   // of NVIDIA's machines always 32
  unsigned simd_width = 32;  // lanes of the register file and of the widest pipe
  Clocks clocks;
  Residency residency;
  Front front;
  Pipes pipes;
  CoalescingRule coalescing = CoalescingRule::lines;
  SharedMemory shared;
  L1Cache l1;
  LoadStoreUnit lsu;
  ConstantCache constant;
  Crossbar crossbar;
  L2Cache l2;
  Dram dram;
  Launching launching;
  CopyEngines copies;
  Policies policies;
  bool operator==(const MachineDescription&) const = default;
};

}  // namespace heddle::device::sim
