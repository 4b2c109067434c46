// Tests as data: a .ptx file whose `//:` comments say how its kernels are launched and what must come out.
//
//   //: launch NAME [grid X [Y [Z]]] [block X [Y [Z]]] [shared BYTES] [cooperative] [blocks BEGIN END] [poison] [check]
//   //: arg NAME TYPE = VALUE              a scalar
//   //: arg NAME value TYPE[COUNT] = LIST  an aggregate passed by value
//   //: arg NAME TYPE[COUNT] [= LIST]      a buffer (its address is passed); zeros when nothing is said
//   //: expect NAME [TOLERANCE] = LIST
//   //: expect NAME [TOLERANCE] same-as interp
//   //: expect error CODE ["part of the message"]
//   //: expect print "text"
//   //: record NAME [TOLERANCE]           tests/tools/ptx_record writes the expectation behind it
//   //: on DEVICE ...                      run on these devices only (the reason belongs in a comment beside it)
//   //: + more of the list of the directive before
//
// A file may hold several launches; each begins a case. TYPE is a PTX type. LIST is values (7*32: 32 times 7), or
//   iota START STEP    fill VALUE    random SEED [LOW HIGH]    bits SEED    special SEED
// where `bits` gives any bits and `special` begins with zeros, ones, limits, infinities and NaNs. Integers are written
// in decimal or hexadecimal; floating-point values in decimal, as inf, -inf, nan, or as their bits in hexadecimal.
// TOLERANCE is `ulp N`, `rel X` or `abs X`. A NaN equals any NaN of a floating-point type.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/dim3.hpp"
#include "heddle/error.hpp"
#include "ptx/type.hpp"

namespace heddle::ptx {
struct Module;
}  // namespace heddle::ptx

namespace heddle::test {

struct CaseArgument {
  std::string name;
  ptx::Type type = ptx::Type::none;
  bool buffer = false;
  std::vector<std::uint64_t> values;  // bits of the elements
};

struct Tolerance {
  double ulp = 0, relative = 0, absolute = 0;
};

struct Expectation {
  std::string name;
  Tolerance tolerance;
  bool same_as_interp = false;
  std::vector<std::uint64_t> values;
  unsigned line = 0;
};

struct PtxCase {
  std::filesystem::path file;
  std::string source;                         // the whole file
  std::shared_ptr<const ptx::Module> parsed;  // the source's, for cases that run often; null: each run parses it
  unsigned line = 0;                          // of the launch directive
  std::string kernel;
  Dim3 grid, block;
  std::optional<BlockRange> blocks;
  std::uint32_t shared = 0;
  bool cooperative = false, poison = false, check = false;
  std::vector<CaseArgument> arguments;
  std::vector<Expectation> expectations, recordings;
  std::optional<ErrorCode> error;
  std::string error_text;
  std::optional<std::string> print;
  std::vector<std::string> devices;  // empty: all
  std::string name() const;          // "shared_memory.reverse_12"
  bool runs_on(const std::string& device) const;
};

// Throws heddle::Error(invalid_argument) naming file and line for directives that make no sense.
std::vector<PtxCase> read_cases(const std::filesystem::path& file, bool allow_unrecorded = false);
// The same of a text; `file` is for messages.
std::vector<PtxCase> parse_cases(const std::string& text, const std::filesystem::path& file,
                                 bool allow_unrecorded = false);
// Of all .ptx files of a folder, sorted by name.
std::vector<PtxCase> read_folder(const std::filesystem::path& folder);

// Empty when `got` is as expected, else what differs, with the first few places.
std::string compare(ptx::Type type, const std::vector<std::uint64_t>& got, const std::vector<std::uint64_t>& want,
                    const Tolerance& tolerance);

}  // namespace heddle::test
