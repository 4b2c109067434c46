#include "device/sim/machine_file/fields.hpp"

namespace heddle::device::sim {
namespace {

#define AT(member) [](MachineDescription& m) -> FieldRef { return &m.member; }
#define PIPE(name, what)                                                                         \
  {"pipes." #name,                                                                               \
   "count",                                                                                      \
   "",                                                                                           \
   0,                                                                                            \
   64,                                                                                           \
   AT(pipes.name.count),                                                                         \
   "pipes for " what                                                                             \
   " of an SM. A multiple of the schedulers: each has its own; else all share them. 0: the FMA " \
   "pipe executes these, with this latency and interval"},                                       \
      {"pipes." #name,                                                                           \
       "latency",                                                                                \
       "cycles",                                                                                 \
       1,                                                                                        \
       4096,                                                                                     \
       AT(pipes.name.latency),                                                                   \
       "from issue until a dependent instruction can issue"},                                    \
      {"pipes." #name,                                                                           \
       "interval",                                                                               \
       "cycles",                                                                                 \
       1,                                                                                        \
       4096,                                                                                     \
       AT(pipes.name.interval),                                                                  \
       "for which a warp occupies the pipe: threads of a warp / lanes"}

constexpr double millions = 1e6, kib = 1024, mib = 1024 * 1024;

const Field fields[] = {
    {"", "name", "", 0, 0, AT(name),
     "the machine's name, as in `--device sim:NAME`; that of the file if it is left out"},
    {"", "title", "", 0, 0, AT(title), "one line for people"},
    {"", "capability", "", 10, 999, AT(capability), "compute capability that programs see, as 20 for 2.0"},
    {"", "sms", "", 1, 1024, AT(sms), "SMs"},
    {"", "warp-size", "threads", 32, 32, AT(warp_size), "threads of a warp, which PTX fixes at 32"},
    {"", "simd-width", "lanes", 1, 64, AT(simd_width), "lanes of the register file and of the widest pipe"},

    {"clocks", "sm-mhz", "MHz", 1, 100e3, AT(clocks.sm_mhz), "clock of the SMs, in which cycles are counted"},
    {"clocks", "dram-mhz", "MHz", 1, 100e3, AT(clocks.dram_mhz), "command clock of the DRAM, for its timing"},

    {"residency", "threads", "", 32, 64 * kib, AT(residency.threads), "threads of an SM"},
    {"residency", "warps", "", 1, 2048, AT(residency.warps), "warps of an SM"},
    {"residency", "blocks", "", 1, 1024, AT(residency.blocks), "blocks of an SM"},
    {"residency", "block-threads", "", 32, 1024, AT(residency.block_threads), "threads of a block"},
    {"residency", "registers", "", 32, 16 * millions, AT(residency.registers), "registers of 32 bits of an SM"},
    {"residency", "thread-registers", "", 1, 1024, AT(residency.thread_registers), "registers of a thread"},
    {"residency", "register-unit", "registers", 1, 64 * kib, AT(residency.register_unit),
     "registers are allocated in multiples of it"},
    {"residency", "registers-by-block", "", 0, 1, AT(residency.registers_by_block),
     "registers are allocated for a block as a whole, else for each warp"},
    {"residency", "warp-unit", "warps", 1, 64, AT(residency.warp_unit),
     "a block's warps are allocated in multiples of it"},
    {"residency", "shared-bytes", "bytes", 0, 16 * mib, AT(residency.shared_bytes), "shared memory of an SM"},
    {"residency", "block-shared-bytes", "bytes", 0, 16 * mib, AT(residency.block_shared_bytes),
     "shared memory of a block"},
    {"residency", "shared-reserved", "bytes", 0, mib, AT(residency.shared_reserved),
     "shared memory that the system takes of every block"},
    {"residency", "shared-unit", "bytes", 1, mib, AT(residency.shared_unit),
     "shared memory is allocated in multiples of it"},
    {"residency", "barriers", "", 1, 64, AT(residency.barriers), "barriers of a block"},

    {"front", "schedulers", "", 1, 16, AT(front.schedulers), "warp schedulers of an SM"},
    {"front", "issue-width", "instructions", 1, 4, AT(front.issue_width),
     "instructions of one warp that a scheduler issues in its turn; 2 is dual issue"},
    {"front", "issue-interval", "cycles", 1, 64, AT(front.issue_interval), "between two turns of a scheduler"},
    {"front", "scheduler-latency", "cycles", 0, 64, AT(front.scheduler_latency),
     "of the choice of an instruction, by which one that depends on it is later; 0: pipes' latencies contain them"},
    {"front", "delivery-latency", "cycles", 0, 64, AT(front.delivery_latency), "from issue to the read of operands"},
    {"front", "scoreboard-entries", "", 0, 1024, AT(front.scoreboard_entries),
     "instructions of a warp in flight; 0: as many as the pipes hold"},
    {"front", "one-in-flight", "", 0, 1, AT(front.one_in_flight), "a thread has one instruction in flight"},
    {"front", "pools-by-warp", "", 0, 1, AT(front.pools_by_warp),
     "warp w belongs to scheduler w mod schedulers; else any scheduler takes any warp"},
    {"front", "fetch-latency", "cycles", 0, 1024, AT(front.fetch_latency),
     "without issue of a warp after a taken branch"},
    {"front", "barrier-latency", "cycles", 0, 4096, AT(front.barrier_latency),
     "from the last arrival at a barrier to the first issue after it"},
    {"front", "barrier-interval", "cycles", 0, 64, AT(front.barrier_interval),
     "between two arrivals of warps at barriers of an SM; 0: any number at once"},
    {"front", "early-loads", "", 0, 256, AT(front.early_loads),
     "loads that the compiler of machine code pulls before an instruction that uses one; 0: the order of the PTX"},
    {"front", "register-banks", "", 0, 64, AT(front.register_banks),
     "banks of a scheduler's part of the register file; 0: operands are always read in time"},
    {"front", "bank-ports", "", 1, 8, AT(front.bank_ports),
     "reads that a bank serves at a time, each a register of all threads of a warp"},
    {"front", "bank-interval", "cycles", 1, 64, AT(front.bank_interval), "of a read of a bank"},
    {"front", "operand-window", "cycles", 1, 64, AT(front.operand_window),
     "in which an instruction's operands are read without delay; the pipe's latency contains them"},
    {"front", "collectors", "", 0, 1024, AT(front.collectors),
     "operand collectors of an SM, in which instructions wait for operands; 0: an instruction that is late holds up "
     "its "
     "scheduler"},
    {"front", "operand-reuse", "", 0, 1, AT(front.operand_reuse),
     "an operand that the same source of a warp's last instruction from that bank has read comes from a cache"},
    {"front", "bank-swizzle", "", 0, 1, AT(front.bank_swizzle), "registers of the next warp begin in the next bank"},
    {"front", "banks-by-number", "", 0, 1, AT(front.banks_by_number),
     "register r of a function is in bank r mod register-banks, in the order in which they are named first; else a "
     "compiler of machine code has put registers that are read together into different banks"},
    {"front", "lane-decoders", "", 0, 1, AT(front.lane_decoders),
     "lanes of a formed warp read their threads' registers in one access; else one access for each static warp"},

    PIPE(alu, "integers, logic and moves"),
    PIPE(fma, "FP32 (at least one)"),
    PIPE(fp64, "FP64"),
    PIPE(sfu, "special functions"),
    PIPE(lsu, "memory instructions (at least one; the latency is that of the address, the memory's comes on top)"),
    PIPE(branch, "branches"),
    PIPE(tensor,
         "products of matrices (the interval is that of 16 x 8 x 16 halves; others take as long as they have more "
         "products and bits)"),
    {"pipes", "sfu-multiply-interval", "cycles", 0, 4096, AT(pipes.sfu_multiply_interval),
     "for which an FP32 multiplication occupies the SFU, if it may go there; 0: it may not"},

    {"launching", "kernel-cycles", "cycles", 0, 1e9, AT(launching.kernel_cycles),
     "from a launch at the head of its queue to the start of its first block"},
    {"launching", "block-cycles", "cycles", 0, 1e9, AT(launching.block_cycles),
     "from the choice of an SM for a block to the block's first issue"},
    {"launching", "blocks-per-cycle", "", 1e-6, 1024, AT(launching.blocks_per_cycle),
     "blocks started on the whole device"},
    {"launching", "concurrent-kernels", "", 1, 1024, AT(launching.concurrent_kernels), "kernels that run at a time"},

    {"copies", "count", "", 1, 64, AT(copies.count), "copy engines"},
    {"copies", "to-device-gbs", "1e9 bytes/s", 1e-3, 1e6, AT(copies.to_device_gbs), "from the host over the link"},
    {"copies", "to-host-gbs", "1e9 bytes/s", 1e-3, 1e6, AT(copies.to_host_gbs), "to the host over the link"},
    {"copies", "device-gbs", "1e9 bytes/s", 1e-3, 1e6, AT(copies.device_gbs), "of copies within the device"},
    {"copies", "latency-us", "microseconds", 0, 1e6, AT(copies.latency_us), "fixed part of a copy's time"},

    {"policies", "scheduler", "", 0, 0, AT(policies.scheduler), "how a scheduler chooses a warp"},
    {"policies", "divergence", "", 0, 0, AT(policies.divergence), "what happens where threads of a warp part"},
    {"policies", "residency", "", 0, 0, AT(policies.residency), "which SM gets a block, and when"},
    {"policies", "issue", "", 0, 0, AT(policies.issue), "which instructions share a cycle"},
    {"policies", "lanes", "", 0, 0, AT(policies.lanes), "which lane a thread has"},
    {"policies", "memory-queue", "", 0, 0, AT(policies.memory_queue),
     "which waiting memory instruction goes to the load/store unit next"},
    {"policies", "options", "", 0, 0, AT(policies.options), "options of policies, as \"formation=majority,pool=64\""},
};

#undef PIPE
#undef AT

}  // namespace

std::span<const Field> sm_fields() { return fields; }

}  // namespace heddle::device::sim
