// Streams, events and functions of the host while a policy holds launches back: ten thousand random commands give what
// they give one after the other. Each policy has a process of its own, since a process has one.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cuda_api/graph_support.hpp"

namespace heddle::tests {
namespace {

constexpr std::uint32_t streams = 4;

void need(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error("CUDA error " + std::to_string(static_cast<int>(error)));
}

// Each stream has a cell. A command makes a new value of it from the old one; or tells it to others in a cell of its
// own, behind which an event is recorded; or takes what another stream has told last, behind its event; or has the host
// look at it.
struct Command {
  enum Kind : std::uint8_t { work, tell, take, look } kind;
  std::uint32_t stream, mine;       // the cell that is written
  std::vector<std::uint32_t> list;  // the cells that it is made from
  std::uint32_t from = 0;           // take: the other stream
};

std::vector<Command> random_commands(std::uint32_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Command> made;
  std::uint32_t told[streams] = {}, cells = streams;  // told: 0: nothing yet
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t stream = random() % streams, other = (stream + 1 + random() % (streams - 1)) % streams;
    const std::uint32_t choice = random() % 8;
    if (choice < 3)
      made.push_back({Command::work, stream, stream, {stream}});
    else if (choice == 3)
      made.push_back({Command::look, stream, stream, {}});
    else if (choice < 6)
      made.push_back({Command::tell, stream, told[stream] = cells++, {stream}});
    else if (told[other] != 0)
      made.push_back({Command::take, stream, stream, {stream, told[other]}, other});
  }
  return made;
}

// What a function of the host in a stream has to see there.
struct Look {
  const std::uint32_t* cell;
  std::uint32_t expected, number;  // number: of those of its stream
  std::uint32_t *next, *wrong;     // of its stream
  static void look(void* data) {
    const auto& self = *static_cast<Look*>(data);
    *self.wrong += *self.cell == self.expected && *self.next == self.number ? 0 : 1;
    ++*self.next;
  }
};

class Machine {
 public:
  explicit Machine(std::vector<Command> commands) : commands_(std::move(commands)), expected_(count_cells()) {
    cells_ = device(expected_);
    std::vector<std::uint32_t> all;
    for (const Command& command : commands_) all.insert(all.end(), command.list.begin(), command.list.end());
    lists_ = device(all);
    looks_.reserve(commands_.size());  // the device has pointers to them
    for (std::uint32_t s = 0; s < streams; ++s) {
      need(cudaStreamCreateWithFlags(&streams_[s], cudaStreamNonBlocking));
      need(cudaEventCreateWithFlags(&events_[s], cudaEventDisableTiming));
    }
  }
  // How many cells and looks are wrong.
  std::uint32_t wrong() {
    std::size_t at = 0;
    for (const Command& command : commands_) {
      put(command, lists_ + at);
      at += command.list.size();
    }
    need(cudaDeviceSynchronize());
    std::vector<std::uint32_t> got(expected_.size());
    need(cudaMemcpy(got.data(), cells_, got.size() * 4, cudaMemcpyDeviceToHost));
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < got.size(); ++i) sum += got[i] == expected_[i] ? 0 : 1;
    for (std::uint32_t s = 0; s < streams; ++s) sum += wrong_[s] + (next_[s] == made_[s] ? 0 : 1);
    return sum;
  }

 private:
  std::size_t count_cells() const {
    std::uint32_t most = streams;
    for (const Command& command : commands_) most = std::max(most, command.mine + 1);
    return most;
  }
  static std::uint32_t* device(const std::vector<std::uint32_t>& values) {
    void* made = nullptr;
    need(cudaMalloc(&made, values.size() * 4));
    need(cudaMemcpy(made, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
    return static_cast<std::uint32_t*>(made);
  }
  void put(const Command& command, std::uint32_t* list) {
    const std::uint32_t s = command.stream;
    if (command.kind == Command::look) {
      looks_.push_back({cells_ + s, expected_[s], made_[s]++, &next_[s], &wrong_[s]});
      return need(cudaLaunchHostFunc(streams_[s], Look::look, &looks_.back()));
    }
    if (command.kind == Command::take) need(cudaStreamWaitEvent(streams_[s], events_[command.from], 0));
    auto count = static_cast<std::uint32_t>(command.list.size());
    std::uint32_t mine = command.mine;
    void* arguments[] = {&cells_, &list, &count, &mine};
    need(cudaLaunchKernel(kernels().gather, dim3{1, 1, 1}, dim3{1, 1, 1}, arguments, 0, streams_[s]));
    if (command.kind == Command::tell) need(cudaEventRecord(events_[s], streams_[s]));
    expected_[mine] = gathered(expected_, command.list, mine);
  }

  const std::vector<Command> commands_;
  std::vector<std::uint32_t> expected_;  // of each cell
  std::uint32_t *cells_ = nullptr, *lists_ = nullptr;
  cudaStream_t streams_[streams] = {};
  cudaEvent_t events_[streams] = {};
  std::vector<Look> looks_;
  std::uint32_t made_[streams] = {}, next_[streams] = {}, wrong_[streams] = {};
};

class HeldStreams : public ::testing::TestWithParam<const char*> {};

TEST_P(HeldStreams, TenThousandCommandsRunInTheirOrder) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setenv("HEDDLE_RUN_POLICY", GetParam(), 1);
    try {
      kernels();
      const std::uint32_t wrong = Machine(random_commands(10'000, 7)).wrong();
      if (wrong != 0) std::fprintf(stderr, "%u are wrong\n", wrong);
      ::_exit(wrong == 0 ? 0 : 1);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(2);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, HeldStreams,
                         ::testing::Values("direct", "slice:1", "bounded:50", "lithos", "lithos:throttle=1", "reef"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace heddle::tests
