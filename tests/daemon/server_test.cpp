// The daemon and its tenants: grants, changes, tenants that end or lie, a daemon that ends.
#include "daemon/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>

#include "base/temporary_folder.hpp"
#include "daemon/client.hpp"
#include "heddle/error.hpp"
#include "tenancy/random.hpp"

namespace heddle::daemon {
namespace {

using sched::TenantClass;
using testing::HasSubstr;

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    folder.create("daemon");
    socket = folder.path() / "run" / "socket";
  }
  void start() { server = std::make_unique<Server>(socket, ServerOptions{.units = 8}, clock); }
  std::unique_ptr<Client> client(const char* name, double quota, TenantClass kind = TenantClass::batch) {
    return std::make_unique<Client>(socket, sched::TenantSettings{.name = name, .kind = kind, .quota = quota}, clock);
  }
  // Both sides go on until something is so.
  bool until(const std::function<bool()>& so, std::initializer_list<Client*> clients, int most = 20'000) {
    for (int i = 0; i < most; ++i) {
      clock.advance(1'000'000);
      for (Client* each : clients) each->maintain();
      if (server) server->step(i < 1000 ? 0 : 1);
      if (so()) return true;
    }
    return false;
  }
  static std::size_t units(Client& client) {
    const auto grant = client.grant();
    return grant ? grant->units.count() : 99;
  }

  base::TemporaryFolder folder;
  std::filesystem::path socket;
  base::ManualClock clock;
  std::unique_ptr<Server> server;
};

TEST_F(ServerTest, LendsAndTakesBack) {
  start();
  const auto search = client("search", 0.75, TenantClass::latency), train = client("train", 0);
  train->set_awake(true);
  EXPECT_TRUE(until([&] { return units(*train) == 8 && units(*search) == 6; }, {search.get(), train.get()}));
  search->set_awake(true);
  EXPECT_TRUE(until([&] { return units(*train) == 2; }, {search.get(), train.get()})) << "what is nobody's";
  EXPECT_EQ(units(*search), 6u);
  search->set_awake(false);
  EXPECT_TRUE(until([&] { return units(*train) == 8; }, {search.get(), train.get()}));
}

TEST_F(ServerTest, SettingsChangeWhileTenantsRun) {
  start();
  const auto search = client("search", 0.75), train = client("train", 0.25);
  search->set_awake(true);
  train->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*search) == 6 && units(*train) == 2; }, {search.get(), train.get()}));
  const auto tool = connect_to(socket);
  ASSERT_TRUE(tool);
  Packet answer;
  send_packet(*tool, encode(Request{Request::Kind::set, {.name = "search", .quota = 0.25}}));
  EXPECT_TRUE(until([&] { return units(*search) == 4 && units(*train) == 4; }, {search.get(), train.get()}))
      << "what is nobody's is lent to both in equal parts";
  ASSERT_EQ(receive_packet(*tool, answer), Received::packet);
  EXPECT_EQ(server->status().tenants[0].settings.quota, 0.25);
  send_packet(*tool, encode(Request{Request::Kind::status, {}}));
  ASSERT_TRUE(until([&] { return receive_packet(*tool, answer) == Received::packet; }, {}));
  const std::string text(reinterpret_cast<const char*>(answer.bytes.data()), answer.bytes.size());
  EXPECT_THAT(text, HasSubstr("\"name\": \"search\", \"class\": \"batch\", \"quota\": 0.25, \"awake\": true"));
}

TEST_F(ServerTest, WhatTenantsTellIsCounted) {
  start();
  const auto search = client("search", 1);
  EXPECT_FALSE(search->tell(Ended{1, 1})) << "there is no connection yet";
  ASSERT_TRUE(until([&] { return search->connected(); }, {search.get()}));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(search->tell(Ended{.ranges = 2, .seconds = 0.5}));
  ASSERT_TRUE(until([&] { return server->status().tenants[0].ranges == 20; }, {search.get()}));
  EXPECT_DOUBLE_EQ(server->status().tenants[0].seconds, 5);
}

// The daemon ends, and another one starts: without it tenants do as if they were alone, with the next one they are
// there again, with what they have set.
TEST_F(ServerTest, ADaemonThatIsStartedAgainLosesNobody) {
  start();
  const auto search = client("search", 0.75), train = client("train", 0.25);
  search->set_awake(true);
  train->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*search) == 6 && units(*train) == 2; }, {search.get(), train.get()}));
  server.reset();
  EXPECT_TRUE(until([&] { return !search->grant() && !train->grant(); }, {search.get(), train.get()}));
  start();
  EXPECT_TRUE(until([&] { return units(*search) == 6 && units(*train) == 2; }, {search.get(), train.get()}));
}

// A daemon that hangs says nothing for a second.
TEST_F(ServerTest, ADaemonThatHangsIsNotWaitedFor) {
  start();
  const auto search = client("search", 0.5);
  ASSERT_TRUE(until([&] { return search->grant().has_value(); }, {search.get()}));
  clock.advance(1'100'000'000);
  EXPECT_FALSE(search->grant());
  server->step(0);
  EXPECT_TRUE(search->grant());
}

TEST_F(ServerTest, ATenantThatIsKilledIsForgotten) {
  start();
  const auto search = client("search", 0.5);
  search->set_awake(true);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive a test that ends early
      base::SteadyClock steady;
      Client its(socket, {.name = "killed", .quota = 0.5}, steady);
      its.set_awake(true);
      for (;;) its.maintain();
    }
    ASSERT_TRUE(until([&] { return server->status().tenants.size() == 2 && units(*search) == 4; }, {search.get()}));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_TRUE(until([&] { return server->status().tenants.size() == 1 && units(*search) == 8; }, {search.get()}));
  }
}

// A process that writes garbage into its page and its connection: the others' grants stay right.
TEST_F(ServerTest, AHostileTenantHarmsNobody) {
  start();
  const auto search = client("search", 0.5, TenantClass::latency);
  search->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*search) == 8; }, {search.get()}));
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive a test that ends early
    tenancy::Random random(11);
    for (;;) {
      const auto connection = connect_to(socket);
      if (!connection) continue;
      send_packet(*connection, encode(Request{Request::Kind::hello, {.name = "hostile", .quota = 1}}));
      Packet packet;
      while (receive_packet(*connection, packet) == Received::nothing) continue;
      if (packet.descriptors.empty()) continue;
      if (::ftruncate(packet.descriptors[0].get(), 0) == 0) ::_exit(3);  // it must be sealed
      auto page = SharedPage::map(std::move(packet.descriptors[0]));
      if (!page) continue;
      auto* const words = reinterpret_cast<std::atomic<std::uint64_t>*>(&**page);
      for (int i = 0; i < 5000; ++i) words[random.next() % (sizeof(Page) / 8)].store(random.next());
      std::array<std::byte, request_bytes> garbage;
      for (std::byte& byte : garbage) byte = static_cast<std::byte>(random.next());
      send_packet(*connection, garbage);
    }
  }
  for (int i = 0; i < 3000; ++i) {
    clock.advance(100'000);
    search->maintain();
    server->step(0);
    const auto grant = search->grant();
    ASSERT_TRUE(grant);
    ASSERT_GE(grant->units.count(), 4u) << "its own";
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the size of its page could be changed";
  EXPECT_TRUE(until([&] { return server->status().tenants.size() == 1 && units(*search) == 8; }, {search.get()}));
}

TEST_F(ServerTest, OnlyOneDaemonAndOnlyItsUser) {
  start();
  EXPECT_THROW(Server(socket, ServerOptions{.units = 8}, clock), Error);
  struct stat status{};
  ASSERT_EQ(::stat(socket.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat(socket.parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(socket));
  ::chmod(socket.parent_path().c_str(), 0755);
  EXPECT_THROW(start(), Error) << "others may enter the folder";
}

// As what cleans folders of temporary files does. The next daemon may begin at once, and keeps its socket.
TEST_F(ServerTest, ADaemonWhoseSocketIsGoneEnds) {
  start();
  EXPECT_FALSE(until([&] { return server->stopped(); }, {}, 2000));
  std::filesystem::remove(socket);
  Server next(socket, ServerOptions{.units = 8}, clock);
  EXPECT_TRUE(until([&] { return server->stopped(); }, {}));
  server.reset();
  EXPECT_TRUE(std::filesystem::exists(socket));
  next.step(0);
  EXPECT_FALSE(next.stopped());
}

TEST_F(ServerTest, ToolsWithoutADaemonAreTold) {
  EXPECT_THROW(ask(socket, Request{}), Error);
  EXPECT_THROW(encode(Request{Request::Kind::hello, {.name = ""}}), Error);
  EXPECT_THROW(encode(Request{Request::Kind::hello, {.name = std::string(64, 'x')}}), Error);
  EXPECT_THROW(encode(Request{Request::Kind::hello, {.name = "a\"b"}}), Error);
}

// Packets of which most are damaged, and messages of which all are random: what is taken has values that can be. A
// million, or HEDDLE_ROUNDS; a hundred million take two minutes.
TEST(Protocol, TakesWhatCanBe) {
  const char* const asked = std::getenv("HEDDLE_ROUNDS");
  const std::uint64_t rounds = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1'000'000;
  tenancy::Random random(5);
  const RequestBytes good = encode(Request{Request::Kind::hello, {.name = "search", .quota = 0.5}});
  std::uint64_t taken = 0, messages = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    RequestBytes bytes = good;
    for (std::uint64_t damage = random.next() % 3; damage > 0; --damage)
      bytes[random.next() % bytes.size()] = static_cast<std::byte>(random.next());
    Message message;
    for (std::uint64_t& word : message) word = random.next() >> random.next() % 64;
    message[0] = random.next() % 5;
    if (const auto event = decode(message)) {
      ++messages;
      if (const auto* const decided = std::get_if<Decided>(&*event)) {
        ASSERT_TRUE(decided->name < most_names && decided->begin <= decided->end);
      }
    }
    const auto request = decode_request(bytes);
    if (!request) continue;
    ++taken;
    ASSERT_TRUE(request->settings.quota >= 0 && request->settings.quota <= 1);
    ASSERT_LE(request->settings.name.size(), longest_name);
    for (const char c : request->settings.name) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != '"');
  }
  EXPECT_GT(taken, rounds / 10 * 3);
  EXPECT_GT(messages, rounds / 100);
  EXPECT_FALSE(decode_request(std::span(good).first(request_bytes - 1)));
}

}  // namespace
}  // namespace heddle::daemon
