// The contract between generated code and the executor: plain C structs that generated code reaches by offset
// (offsetof, codegen/abi_types.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::device::cpu {

struct RuntimeTable;
struct BlockContext;
struct KnownRanges;

// One launch; read-only for generated code and shared by all workers.
struct LaunchContext {
  const std::uint8_t* parameters;  // packed kernel parameters
  std::uint8_t* const* variables;  // addresses of the module's variables, by index in ptx::Module::variables
  const RuntimeTable* runtime;
  std::uint32_t grid[3];              // %nctaid
  std::uint32_t block[3];             // %ntid
  std::uint32_t static_shared_bytes;  // where the dynamic part of the shared window begins
  std::uint32_t dynamic_shared_bytes;
  std::uint64_t grid_id;         // %gridid
  void* executor;                // the executor's object for this launch
  std::uint32_t streams;         // the launch writes more than the caches hold
  std::uint64_t grid_workspace;  // %envreg1 (upper half) and %envreg2; 0 for launches that are not cooperative
};

// One resident block.
struct BlockContext {
  const LaunchContext* launch;
  std::uint8_t* shared;       // shared window: static variables, then dynamic; address 0 of the .shared space
  std::uint32_t block_id[3];  // %ctaid
  std::uint32_t worker;       // %smid
  KnownRanges* known_ranges;  // code made for checks looks there before it calls RuntimeTable::check or check_run
  // As KnownRanges::exempt: from the start of the shared window, accesses that cannot race need no record.
  std::uint64_t exempt_shared_bytes;
};

// One warp (or, in the narrower shapes, one group of `lanes` consecutive threads) of a resident block.
struct WarpContext {
  BlockContext* block;
  std::uint32_t first_thread;  // linear id in the block of lane 0
  std::uint32_t lanes;         // threads that exist: less than the shape's width in the last warp of a block
  std::uint32_t line;          // where.line of the instruction that makes a runtime call, for messages
  std::uint32_t ended;         // shape of phases: the warp has come to its end
};

// Direct shape: nothing in the kernel waits, so one call runs every warp of blocks [begin, end) one after the other.
// `warp` and its block are scratch that the code fills as it goes, so that a fault can say where it happened.
using DirectEntry = void (*)(const LaunchContext* launch, WarpContext* warp, std::uint64_t begin, std::uint64_t end);
// Shape of phases: runs one warp from its beginning to the first barrier, or to its end. What it goes on with is in
// `frame` then, whose first word is the PhaseResume for it.
using PhaseEntry = void (*)(WarpContext* warp, void* frame);
// Runs the warp to its next barrier or to its end, with the same WarpContext.
using PhaseResume = void (*)(void* frame);
constexpr std::size_t frame_alignment = 256;  // of frames: that of the largest vector
// Fiber shape: runs one warp to its end; runtime calls may switch to another warp.
using WarpEntry = void (*)(WarpContext* warp);

enum class BarrierKind : std::uint32_t { sync, arrive, reduce_and, reduce_or, reduce_popc };

// What RuntimeTable::check and check_marked are asked for.
struct CheckedAccess {
  static constexpr std::uint32_t reads = 1, writes = 2, both = reads | writes;
  // For check_marked. strong: volatile, atomic and the like, which race with weak accesses only.
  static constexpr std::uint32_t strong = 4, acquires = 8, releases = 16, block_scope = 32;
  // The size of an element as a power of two, and for each element a bit: the kernel computes with what it reads there,
  // and does not only copy it.
  static constexpr unsigned size_shift = 8, used_shift = 16;
};

// Memory that accesses of one place of the code may go to, as the last call of RuntimeTable::check from there has found
// it. An access is within it if (address - begin), rotated right by the logarithm of its size, is less than `starts`:
// misaligned addresses become large. Of an access of several lanes it is the lowest address that is looked at.
struct KnownRange {
  std::uint64_t begin;   // a multiple of the access's size
  std::uint64_t starts;  // how many aligned addresses the access may have there; 0: nothing is known
};

// What generated code passes on to the runtime, so that it knows where to note what it finds: the number of the place
// and, in the upper half, the bytes from the lowest to the highest address that lanes access there.
constexpr std::uint64_t packed_site(std::uint32_t number, std::uint32_t span) {
  return number | std::uint64_t{span} << 32;
}

// Of one block that runs. What is known holds as long as no memory was released since.
struct KnownRanges {
  static constexpr std::uint32_t most_sites = 1024, no_site = ~0u;
  const std::uint64_t* releases;  // changes whenever memory is released (Allocator::releases)
  std::uint64_t seen;             // what it was when `sites` was last found to be empty or valid
  KnownRange sites[most_sites];   // by place of the code
  // By place, numbered anew: memory that accesses need not be recorded in, since it has been written and the launch
  // does not write it.
  KnownRange exempt[most_sites];
};

// The kinds of RuntimeTable::order. (Barriers that may wait have a call of their own.)
enum class OrderKind : std::uint32_t {
  fence_block,      // a fence at the scope of the block
  fence_device,     // at a wider one
  lone_barrier,     // a barrier of a block of one warp; of larger ones, who comes to it
  warp_barrier,     // bar.warp.sync
  exchange,         // shfl, vote, match, redux: values of the lanes that take part
  together,         // wmma.load, wmma.store: all lanes are to execute it, which orders nothing
  aligned_barrier,  // an aligned barrier with a number of threads or a computed number of its own, before it is called.
                    // In the place of member masks: its number, and in the upper half how many threads
};

// The registers of a lane for a product of matrices: those of d, a, b and c, each in a word.
struct MatrixRecord {
  static constexpr unsigned registers = 8, words = 4 * registers;
};

// Functions that generated code calls, through this table so that cached code needs no relocation. All may switch
// fibers unless noted; those marked noreturn end the launch with an Error.
struct RuntimeTable {
  // bar/barrier: `threads` expected to participate (0: all of the block), `arriving` lanes arrive now; for reductions
  // `value` is the number of arriving lanes whose predicate holds. Returns the reduction's result.
  std::uint32_t (*barrier)(WarpContext* warp, std::uint32_t id, std::uint32_t threads, std::uint32_t arriving,
                           BarrierKind kind, std::uint32_t value);
  // Lanes that have left the kernel while others of the warp go on: they count as arrived at every barrier.
  void (*lanes_exited)(WarpContext* warp, std::uint32_t count);
  // A turn of a loop that may be waiting for another warp or block: lets others run. `progress`: not 0 where the loop
  // ends after a number of turns, too, so that long searches that look at a flag are not taken for dead.
  void (*spin)(WarpContext* warp, std::uint32_t progress);
  // `progress`: not 0 where no loop around the call may be waiting for others, so that kernels that sleep for long, but
  // a number of times, are not taken for dead.
  void (*nanosleep)(WarpContext* warp, std::uint32_t nanoseconds, std::uint32_t progress);

  // One-lane shape only (each thread a fiber): meets the named lanes of the warp. Each passes its value; on return
  // values[i] holds lane i's value for each lane that took part, and the result is the mask of those lanes.
  std::uint32_t (*warp_meet)(WarpContext* warp, std::uint32_t members, std::uint64_t value, std::uint64_t* values);

  // One-lane shape only: the lanes of the warp that are at this place, once those that can have come here.
  std::uint32_t (*active_mask)(WarpContext* warp);

  std::int32_t (*vprintf)(WarpContext* warp, std::uint32_t lane, std::uint64_t format, std::uint64_t arguments);
  std::uint64_t (*malloc)(WarpContext* warp, std::uint64_t bytes);
  void (*free)(WarpContext* warp, std::uint64_t address);
  void (*assert_fail)(WarpContext* warp, std::uint32_t lane, std::uint64_t message, std::uint64_t file,
                      std::uint32_t line, std::uint64_t function);  // noreturn
  void (*trap)(WarpContext* warp, std::uint32_t lane);              // noreturn
  // A call through a pointer that is no function, or a branch index out of range.
  void (*bad_jump)(WarpContext* warp, std::uint32_t lane, std::uint64_t target);  // noreturn

  // Check mode: verifies `size` bytes at addresses[lane] for each lane of `mask`, or the first sizes[lane] of them
  // (null: all), and that the address is a multiple of the size; does not return when one is bad.
  // space is ptx::Space; for shared and local the addresses are offsets in their windows. `window` is the size of the
  // local one; that of the shared one the launch knows. `site`: where in KnownRanges to note the allocation that the
  // bytes were found in, as of accesses of `span` bytes; or no_site.
  void (*check)(WarpContext* warp, const std::uint64_t* addresses, const std::uint32_t* sizes, std::uint32_t mask,
                std::uint32_t size, std::uint32_t space, std::uint32_t access, std::uint64_t window, std::uint32_t site,
                std::uint32_t span);
  // Check mode: verifies that members[lane], the member mask that a warp operation was given, names the lane, for each
  // lane of `mask`; does not return when one does not.
  void (*check_members)(WarpContext* warp, const std::uint32_t* members, std::uint32_t mask);
  // mbarrier: for each lane of `mask` in turn, the ptx::semantics::MbarrierOperation on the eight bytes at
  // places[lane], with values[lane] as its argument, in the place of which the result goes. Does not switch fibers.
  void (*mbarrier)(WarpContext* warp, std::uint64_t* const* places, std::uint64_t* values, std::uint32_t mask,
                   std::uint32_t operation);
  // Textures and surfaces: for each lane of `mask` in turn, the texture::Operation `low`, `high` on the texture
  // handles[lane]. Argument a of a lane is arguments[a * lanes + lane], result r becomes results[r * lanes + lane].
  // Does not switch fibers.
  void (*texture)(WarpContext* warp, const std::uint64_t* handles, const std::uint64_t* arguments,
                  std::uint64_t* results, std::uint32_t mask, std::uint32_t lanes, std::uint64_t low,
                  std::uint64_t high);
  std::uint64_t (*clock)();
  std::uint64_t (*global_timer)();
  // Scalar functions for rare instructions (directed rounding without hardware help and the like), by the numbering of
  // codegen/soft_functions.def. They never switch fibers.
  void (*const* soft)();
  std::uint32_t warps_per_processor;  // %nwarpid
  std::uint32_t processors;           // %nsmid

  // Check mode for races and memory that nobody has written: an access that check() has let pass, or that may be
  // anywhere, is recorded. `values`: of a store, element after element the values of all lanes; null: not known.
  // `site`: a packed_site() of KnownRanges::exempt.
  void (*check_marked)(WarpContext* warp, const std::uint64_t* addresses, const std::uint32_t* sizes,
                       const void* values, std::uint32_t mask, std::uint32_t size, std::uint32_t space,
                       std::uint32_t access, std::uint64_t site);
  // Check mode for races and synchronisation: the lanes of `mask` come to such an instruction. members[lane]: the
  // member mask that a warp operation was given; null where it has none.
  void (*order)(WarpContext* warp, const std::uint32_t* members, std::uint32_t mask, OrderKind kind);
  // What check_marked() does, of lanes whose addresses are `step` bytes apart, from that of lane 0 on.
  void (*check_run)(WarpContext* warp, std::uint64_t address, const void* values, std::uint32_t mask,
                    std::uint32_t size, std::uint32_t space, std::uint32_t access, std::uint64_t step,
                    std::uint64_t site);

  // ptx::semantics::multiply_matrices() of the ptx::MatrixProduct with this code. Does not switch fibers.
  void (*multiply)(std::uint64_t product, const void* a, const void* b, const void* c, void* d);
  // The same in the one-lane shape: records[lane] is the address of a MatrixRecord, for each lane that is present.
  void (*multiply_records)(std::uint64_t product, const std::uint64_t* records, std::uint32_t present);
};

}  // namespace heddle::device::cpu
