// The registers of a random function and which of them may stand where.
//
// Two things keep kernels deterministic. An f32 NaN has no payload once arithmetic has touched it, but may keep one
// that was loaded; so .f32 registers only ever hold canonical NaNs, and what has other bits lives in .b32 registers.
// The NaN of f64 arithmetic is any NaN; so .f64 registers are never looked at as bits.
#pragma once

#include <string>
#include <vector>

#include "ptx/type.hpp"
#include "random/random.hpp"

namespace heddle::test::random_kernel {

struct Reg {
  std::string name;
  ptx::Type type = ptx::Type::none;
};

// What an instruction may do with the registers it gets.
enum class Use : std::uint8_t {
  read,
  read_exact,   // as f32: the instruction copies the bits
  write,        // as f32: the result of arithmetic, canonical when it is a NaN
  write_exact,  // as f32: a copy of some bits
  read_small,   // a number of bits: PTX leaves open what more than 255 (or 31, of fns) mean
};

// Whether a register is one of floating-point numbers; ptxas keeps vectors of both kinds apart.
inline bool is_float(const Reg& reg) { return ptx::is_float(reg.type); }

bool may_stand(const Reg& reg, ptx::Type wanted, bool relaxed, Use use);

class Registers {
 public:
  void add(const std::string& prefix, ptx::Type type, unsigned count);
  const std::vector<Reg>& all() const { return all_; }
  // Those that may stand there.
  std::vector<const Reg*> candidates(ptx::Type wanted, bool relaxed, Use use) const;
  // One of them; null when there is none.
  const Reg* pick(Random& random, ptx::Type wanted, bool relaxed, Use use) const;
  // The lines that declare them.
  std::string declarations() const;

 private:
  struct Group {
    std::string prefix;
    ptx::Type type;
    unsigned count;
  };
  std::vector<Group> groups_;
  std::vector<Reg> all_;
};

// Registers that belong to one statement.
class Temporaries {
 public:
  std::string make(ptx::Type type);
  std::string declarations() const;

 private:
  struct Group {
    ptx::Type type;
    unsigned count;
  };
  std::vector<Group> groups_;
};

}  // namespace heddle::test::random_kernel
