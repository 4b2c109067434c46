// A random kernel as a tree of statements, so that a reducer can take parts away, and as text in the notation of
// support/ptx_case.hpp: PTX with the launch, the arguments and what to compare in comments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/dim3.hpp"

namespace heddle::test::random_kernel {

struct Statement;
using Body = std::vector<Statement>;

// Text that stands for itself, or statements.
struct Piece {
  std::string text;
  Body body;
  bool is_body = false;
};

// Lines that belong together, with bodies among them (the arms of an if, the turns of a loop). Taking a statement away
// leaves a valid kernel, unless others read registers or jump to labels of its own.
struct Statement {
  std::vector<Piece> pieces;

  static Statement lines(std::string text);
  Statement& add(std::string text);
  Statement& add(Body body);
};

struct Function {
  std::string head;  // up to and including the brace
  Body body;
};

struct Launch {
  Dim3 grid, block;
  BlockRange blocks;  // of the grid
  std::uint32_t dynamic_shared = 0;
  bool check = false;  // verify each access
};

struct Program {
  std::uint64_t seed = 0;
  Launch launch;
  std::string arguments;            // directives
  std::string head;                 // version, target, module variables
  std::vector<Function> functions;  // the kernel is the last one
  std::string text() const;
};

// The kernel of a seed. Deterministic by the rules of PTX: any two devices that differ on it disagree about PTX.
// `for_gpu`: but for what GPUs are known to do otherwise.
Program generate(std::uint64_t seed, bool for_gpu = false);
// A small one, mostly of branches and loops: at most 128 threads and 16 statements. Its cost under a policy of a
// simulated SM is a few milliseconds.
Program generate_small(std::uint64_t seed);
// One without control flow: many instructions, each with a result of its own.
Program generate_instructions(std::uint64_t seed, bool for_gpu = false);

}  // namespace heddle::test::random_kernel
