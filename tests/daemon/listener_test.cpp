// At one place one daemon listens.
#include "daemon/listener.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "heddle/error.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::daemon {
namespace {

namespace fs = std::filesystem;

bool is_asked(const Descriptor& listener, int wait_ms) {
  pollfd somebody{listener.get(), POLLIN, 0};
  return ::poll(&somebody, 1, wait_ms) > 0;
}

void answer_one(const Descriptor& listener, bool with_words) {
  constexpr std::array<std::byte, 1> words{};
  if (!is_asked(listener, 1)) return;
  if (const auto connection = accept_own(listener); connection && with_words) send_packet(*connection, words);
}

// HEDDLE_DAEMON may name anything by mistake. What a daemon that was cut off has left is replaced.
TEST(Listener, AFileOfTheUsersIsNotReplacedByASocket) {
  const tests::TemporaryFolder folder;
  make_own_folder(folder.path() / "own");
  const fs::path file = folder.path() / "own" / "file", socket = folder.path() / "own" / "socket";
  base::write_file_atomic(file, std::string_view("mine"));
  EXPECT_THROW(listen_at(file), Error);
  EXPECT_EQ(base::read_file(file), "mine");
  {
    const Descriptor left = listen_at(socket);
  }
  EXPECT_TRUE(fs::is_socket(socket));
  const Descriptor again = listen_at(socket);
  EXPECT_TRUE(connect_to(socket));
}

// The system closes the files of a killed process a while after the signal: until then its socket takes connections.
TEST(Listener, OneThatEndsBeforeItAnswersIsNoDaemon) {
  const tests::TemporaryFolder folder;
  make_own_folder(folder.path() / "own");
  const fs::path socket = folder.path() / "own" / "socket";
  std::thread killed([listener = listen_at(socket)]() mutable {
    is_asked(listener, -1);
    const Descriptor ended = std::move(listener);
  });
  EXPECT_NO_THROW(require_no_daemon(socket));
  killed.join();
}

TEST(Listener, OneThatAnswersOrDoesNotUnderstandTheQuestionIsADaemon) {
  const tests::TemporaryFolder folder;
  make_own_folder(folder.path() / "own");
  const fs::path socket = folder.path() / "own" / "socket";
  for (const bool answers : {true, false}) {
    std::atomic<bool> done = false;
    std::thread other([&done, answers, listener = listen_at(socket)] {
      // One that closes each connection is taken for a daemon after a while.
      while (!done) answer_one(listener, answers);
    });
    EXPECT_THROW(require_no_daemon(socket), Error) << answers;
    done = true;
    other.join();
  }
}

// Where a killed daemon has left its socket, which each of them would remove.
TEST(Listener, OfManyAtOneTimeOneListens) {
  constexpr int threads = 6, rounds = 100;
  const tests::TemporaryFolder folder;
  make_own_folder(folder.path() / "own");
  const fs::path socket = folder.path() / "own" / "socket";
  for (int round = 0; round < rounds; ++round) {
    {
      const Descriptor left = listen_at(socket);
    }
    std::atomic<int> here = 0, listening = 0, refused = 0;
    const auto start = [&] {
      ++here;
      while (here < threads) std::this_thread::yield();
      try {
        const Descriptor listener = listen_at(socket);
        ++listening;
        while (listening + refused < threads) answer_one(listener, true);
      } catch (const Error&) {
        ++refused;
      }
    };
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) all.emplace_back(start);
    for (std::thread& thread : all) thread.join();
    ASSERT_EQ(listening, 1) << "round " << round;
  }
}

}  // namespace
}  // namespace heddle::daemon
