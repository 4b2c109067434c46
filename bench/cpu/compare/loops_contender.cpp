#include "compare/contender.hpp"
#include "compare/host_memory.hpp"

namespace heddle::bench {
namespace {

class LoopsContender final : public Contender {
 public:
  LoopsContender(const Case& test, const Loops& loops, std::string name)
      : test_(test), loops_(loops), name_(std::move(name)), memory_(test), arrays_(memory_.all()) {}
  std::string name() const override { return name_; }
  void reset() override { memory_.reset(test_); }
  void run() override { loops_(arrays_); }
  std::span<const std::byte> read(std::size_t array) override {
    return {memory_.array(array), test_.arrays[array].initial.size()};
  }

 private:
  const Case& test_;
  const Loops& loops_;
  std::string name_;
  HostMemory memory_;
  HostArrays arrays_;
};

}  // namespace

std::unique_ptr<Contender> make_loops(const Case& test, const Loops& loops, std::string name) {
  return std::make_unique<LoopsContender>(test, loops, std::move(name));
}

}  // namespace heddle::bench
