// Which workers are woken for a job.
#include "device/cpu/ready_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace heddle::device::cpu {
namespace {

using testing::ElementsAre;

class Pieces final : public Job {
 public:
  Pieces() : Job({0, 100}, 1) {}
  void work(Worker&) noexcept override {}
};

// Six workers whose threads sleep, unless a test says otherwise. They have no threads here: what counts is whether they
// were woken.
class ReadyJobsTest : public testing::Test {
 protected:
  ReadyJobsTest() {
    for (unsigned i = 0; i < 6; ++i) {
      states.push_back(std::make_unique<WorkerState>(i));
      jobs.add(*states.back());
      jobs.begin_sleep(*states.back());
    }
  }
  // Those that were woken since the last time.
  std::vector<unsigned> woken() {
    std::vector<unsigned> found;
    for (unsigned i = 0; i < states.size(); ++i)
      if (const std::uint32_t wakeups = states[i]->wakeups(); seen[i] != wakeups) {
        seen[i] = wakeups;
        found.push_back(i);
      }
    return found;
  }

  ReadyJobs jobs;
  std::vector<std::unique_ptr<WorkerState>> states;
  std::vector<std::uint32_t> seen = std::vector<std::uint32_t>(6);
  const std::shared_ptr<Pieces> job = std::make_shared<Pieces>();
};

TEST_F(ReadyJobsTest, APostedJobWakesOneAndAWorkerThatBeginsSeveral) {
  jobs.post(job, true);
  EXPECT_THAT(woken(), ElementsAre(0));
  jobs.end_sleep(*states[0]);
  jobs.wake_several(*job, false);
  EXPECT_THAT(woken(), ElementsAre(1, 2, 3));
}

TEST_F(ReadyJobsTest, ThoseThatSpinCountAsWoken) {
  states[0]->set_thread_state(WorkerState::ThreadState::spinning);
  states[2]->set_thread_state(WorkerState::ThreadState::spinning);
  jobs.wake_several(*job, false);
  EXPECT_THAT(woken(), ElementsAre(1));
}

TEST_F(ReadyJobsTest, OccupiedWorkersAndOthersThanTheJobsStaySo) {
  ASSERT_TRUE(states[1]->try_occupy());
  job->allowed = WorkerSet(ProcessorSet{{1, 2, 4}});
  jobs.wake_several(*job, false);
  EXPECT_THAT(woken(), ElementsAre(2, 4));
}

// The host thread that posted may be about to help on its core.
TEST_F(ReadyJobsTest, TheHostsCoreIsTheLast) {
  jobs.set_host_core(0);
  jobs.wake_one(*job, true);
  EXPECT_THAT(woken(), ElementsAre(1));
  job->allowed = WorkerSet(ProcessorSet{{0}});
  jobs.wake_several(*job, false);
  EXPECT_THAT(woken(), ElementsAre());
  jobs.wake_one(*job, true);
  EXPECT_THAT(woken(), ElementsAre(0)) << "where there is no other";
}

TEST_F(ReadyJobsTest, NobodyIsWokenWhereNobodySleeps) {
  for (const auto& state : states) jobs.end_sleep(*state);
  jobs.post(job, true);
  jobs.wake_several(*job, true);
  EXPECT_THAT(woken(), ElementsAre());
}

}  // namespace
}  // namespace heddle::device::cpu
