// Writes the statements of one function of a random kernel.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "random/catalog.hpp"
#include "random/program.hpp"
#include "random/registers.hpp"
#include "random/structures.hpp"

namespace heddle::test::random_kernel {

// A 32-bit register that nobody writes but its owner, with values from 0 to `most`.
struct Known {
  std::string name;
  std::int64_t most = 0;
};

struct LoopLabels {
  std::string end, next;
  bool open = false;  // lanes may leave in any turn: it is not known who is inside
};

// Where a statement stands.
struct Scope {
  bool uniform = true;  // all threads of the block that have not exited run it together
  std::string mask;     // register or constant: exactly the lanes of the warp that run it; empty: not known
  unsigned turns = 1;   // how often it may run
  unsigned depth = 0;
  std::vector<LoopLabels> loops;
  std::vector<Known> known;
};

// A piece of memory of which every byte holds something.
struct Region {
  enum class Kind : std::uint8_t { global, constant, shared, local, parameter } kind = Kind::global;
  std::string base;  // a symbol, or a 64-bit register with a global address
  bool symbol = false;
  unsigned bytes = 0;        // that each thread may touch; a power of two
  std::string offset;        // 32-bit register with where the thread's part begins (symbols only)
  std::uint64_t stride = 0;  // bytes between units when they are not one after the other
  unsigned unit = 0;         // bytes of one
  unsigned alignment = 16;   // at least
  bool writable = false;
  bool direct_only = false;  // accessed by its name and constant offsets alone
};

struct Signature {
  std::string name;
  std::vector<ptx::Type> parameters;
  ptx::Type result = ptx::Type::b32;
  bool takes_mask = false;  // the first parameter: the lanes that call together
  bool recursive = false;   // the first parameter: how deep
  bool pair = false;        // its parameters are one aggregate of two 64-bit values
};

// What the whole program has in common.
struct Setting {
  Random& random;
  Catalog& catalog;
  Target target;
  Launch launch;
  bool early_exit = false;            // some threads leave the kernel before its end
  bool warp = true;                   // has operations of warps
  bool for_gpu = false;               // leave out what GPUs are known to do otherwise
  bool irregular = true;              // has flow that is no nest of branches and loops
  unsigned branching = 1;             // times as many branches and loops as usual
  std::vector<Structure> structures;  // that the kernel takes
  std::vector<Signature> signatures;
  unsigned next_label = 0;

  std::uint64_t threads() const { return launch.grid.count() * launch.block.count(); }
  std::uint64_t block_threads() const { return launch.block.count(); }
  std::string label(const char* what) { return fmt::format("{}_{}", what, next_label++); }
};

class Writer {
 public:
  Writer(Setting& setting, bool is_kernel) : s_(setting), random_(setting.random), is_kernel_(is_kernel) {}

  // At most `statements`, nested ones included.
  Body body(const Scope& scope, unsigned statements);
  std::string declarations() const;

  Registers varying, uniform;
  Temporaries temporaries;
  std::vector<Region> regions;

 protected:
  friend class KernelWriter;
  friend class FunctionWriter;
  using Type = ptx::Type;

  template <class... Args>
  static void line(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
    text += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  std::string temp(Type type) { return temporaries.make(type); }
  Body some(const Scope& scope, unsigned most);
  Statement statement(const Scope& scope);
  Statement plain_statement(const Scope& scope);
  Statement control_statement(const Scope& scope);

  // writer_arithmetic.cpp
  std::string read(const Scope& scope, Type type, Use use = Use::read, bool relaxed = false);
  std::string read_uniform(Type type);
  std::string read_small(const Scope& scope);
  std::string write(Type type, Use use = Use::write_exact);
  std::string constant(Type type);
  std::string guard(const Scope& scope, unsigned percent);
  std::string branch_guard(const Scope& scope, unsigned percent, std::string& text);
  std::string arithmetic(const Scope& scope, bool all_uniform);
  std::string carry_chain(const Scope& scope);
  std::string packing(const Scope& scope);
  std::string reinterpretation(const Scope& scope);
  std::string affine_value(const Scope& scope);

  // writer_memory.cpp
  struct Place {
    std::string text;   // between the brackets
    std::string space;  // ".global" or nothing
    bool is_floats = false;
  };
  std::string index(const Scope& scope, std::string& text, unsigned count);
  std::string affine_index(const Scope& scope, std::string& text, unsigned count);
  std::string scaled_address(std::string& text, const std::string& base, const std::string& index, unsigned size);
  std::string roundabout_address(std::string& text, const std::string& base, const std::string& index, unsigned size);
  Place parameter_place(const Scope& scope, std::string& text, const Region& region, unsigned size);
  Place place(const Scope& scope, std::string& text, const Region& region, unsigned size);
  Place window_place(const Scope& scope, std::string& text, const Region& region, unsigned size);
  std::string memory_access(const Scope& scope);
  std::string load(const Scope& scope, const Region& region);
  std::string store(const Scope& scope, const Region& region);
  std::string atomic_on_own(const Scope& scope);
  std::string reduction_on_all(const Scope& scope);
  std::string wrapped_access(const Scope& scope);

  // writer_control.cpp
  std::string condition(const Scope& scope, std::string& text, bool all_uniform);
  std::string comparison(const Scope& scope, std::string& text, bool all_uniform);
  std::string trip_count(const Scope& scope, std::string& text, bool all_uniform, unsigned most);
  Scope inner(const Scope& scope, bool all_uniform) const;
  Statement choice(const Scope& scope);
  Statement short_circuit(const Scope& scope);
  Statement counted_loop(const Scope& scope);
  Statement masked_loop(const Scope& scope);
  Statement turning_loop(const Scope& scope);
  Statement loops_with_one_head(const Scope& scope);
  Statement switch_statement(const Scope& scope);
  Statement jumble(const Scope& scope);
  Statement leave_loop(const Scope& scope);
  std::string leave_kernel(const Scope& scope);

  // writer_warp.cpp
  std::string warp_operation(const Scope& scope);
  std::string shuffle(const Scope& scope);
  std::string vote(const Scope& scope);
  std::string match_or_reduce(const Scope& scope);
  std::string active_lanes(const Scope& scope);
  std::string barrier(const Scope& scope);
  std::string exchange(const Scope& scope);
  std::string shared_reduction(const Scope& scope);
  std::string split_barrier(const Scope& scope);

  // writer_block.cpp
  std::string order(bool is_reduction);
  std::string wide_order(bool is_reduction);
  std::string fence();
  std::string drawn_numbers(const Scope& scope);
  std::string producers(const Scope& scope);
  std::string asynchronous_copy(const Scope& scope);

  // writer_gpu.cpp: nothing of it changes kernels that are not for GPUs.
  void make_zero(std::string& text);
  std::string unknown(std::string& text, const std::string& predicate);
  void make_unknown(std::string& text, const std::string& number);
  void vary(std::string& text, const std::string& reg, Type type);
  void start_counter(std::string& text, const std::string& counter, const std::string& value);
  std::string adapted(const Choice& choice, const std::string& instruction, std::string& before);
  std::string stored_part(std::string& text, const Reg& reg, Type type);
  const char* barrier_name() const;
  bool must_vary() const { return s_.for_gpu && s_.irregular; }

  // writer_calls.cpp
  std::string call(const Scope& scope);
  std::string call_through_pointer(const Scope& scope);
  std::string call_lines(const Scope& scope, const Signature& signature, const std::string& target,
                         const std::string& before_call, const std::string& prototype, const std::string& first);

  Setting& s_;
  Random& random_;
  bool is_kernel_;
  unsigned budget_ = 0;
  std::string zero_;  // of kernels for GPUs: a 32-bit register that is 0, which ptxas cannot know
};

}  // namespace heddle::test::random_kernel
