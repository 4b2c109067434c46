// A peer's program, which measures when it is asked to.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/child_process.hpp"
#include "chain_kernels.hpp"

namespace heddle::bench {

// The program runs beside this one for as long as the object exists: a machine's speed changes from one second to the
// next, so what is compared has to take turns. It ends with its input.
class Peer {
 public:
  // Throws std::runtime_error when the program cannot be run. From then on this process ignores SIGPIPE.
  explicit Peer(const std::filesystem::path& program);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Runs a form (an index into peer_forms) of a shape (an index into shapes) once. Throws std::runtime_error when the
  // program ends, or answers with anything but the two times.
  Took run(unsigned form, unsigned shape);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using Stream = std::unique_ptr<std::FILE, Close>;

  const std::string name_;
  Stream questions_, answers_;
  std::unique_ptr<base::ChildProcess> process_;
};

}  // namespace heddle::bench
