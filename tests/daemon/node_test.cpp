// The daemon's policies, what it explains, what it keeps, and the figures at its port.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <functional>
#include <memory>

#include "base/temporary_folder.hpp"
#include "daemon/client.hpp"
#include "daemon/server.hpp"
#include "daemon/tenant_variable.hpp"
#include "heddle/error.hpp"

namespace heddle::daemon {
namespace {

using sched::TenantClass;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class NodeTest : public testing::Test {
 protected:
  void SetUp() override {
    folder.create("daemon");
    socket = folder.path() / "run" / "socket";
    clock.advance(1'000'000'000'000);
  }
  void start(const ServerOptions& options = {.units = 8}) { server = std::make_unique<Server>(socket, options, clock); }
  std::unique_ptr<Client> client(const char* name, double quota, TenantClass kind = TenantClass::batch) {
    return std::make_unique<Client>(socket, sched::TenantSettings{.name = name, .kind = kind, .quota = quota}, clock);
  }
  bool until(const std::function<bool()>& so, std::initializer_list<Client*> clients) {
    for (int i = 0; i < 20'000; ++i) {
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
  // The daemon's answer to a tool.
  std::string said(const Request& request) {
    const auto tool = connect_to(socket);
    Packet answer;
    if (!tool || !send_packet(*tool, encode(request))) return "no daemon";
    if (!until([&] { return receive_packet(*tool, answer) == Received::packet; }, {})) return "no answer";
    return {reinterpret_cast<const char*>(answer.bytes.data()), answer.bytes.size()};
  }
  std::string set_policy(const char* name) { return said({.kind = Request::Kind::policy, .settings = {.name = name}}); }
  std::string explain(const char* name, std::uint64_t window_ns = 60'000'000'000) {
    return said({.kind = Request::Kind::explain, .settings = {.name = name}, .window_ns = window_ns});
  }

  base::TemporaryFolder folder;
  std::filesystem::path socket;
  base::ManualClock clock;
  std::unique_ptr<Server> server;
};

TEST_F(NodeTest, ProcessesOfOneNameAreOneTenant) {
  start();
  const auto first = client("search", 0.5), second = client("search", 0.25), train = client("train", 0.5);
  train->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*first) == 4 && units(*second) == 4 && units(*train) == 8; },
                    {first.get(), second.get(), train.get()}));
  EXPECT_EQ(first->grant(), second->grant());
  second->set_awake(true);
  EXPECT_TRUE(until([&] { return units(*train) == 4; }, {first.get(), second.get(), train.get()}));
  EXPECT_TRUE(second->tell(Ended{.ranges = 3, .seconds = 1}));
  EXPECT_TRUE(first->tell(Ended{.ranges = 4, .seconds = 1}));
  ASSERT_TRUE(until([&] { return server->status().tenants[0].ranges == 7; }, {first.get()}));
  EXPECT_EQ(server->status().tenants[0].processes, 2u);
}

TEST_F(NodeTest, ADaemonThatAnswersLaterLearnsWhatIsHeld) {
  start();
  const auto train = client("train", 0.5);
  train->set_awake(true);
  train->set_load(7, 2);
  ASSERT_TRUE(until([&] { return train->connected() && train->grant(); }, {train.get()}));
  EXPECT_TRUE(until([&] { return server->status().tenants[0].held == 7; }, {train.get()}));
  EXPECT_EQ(server->status().tenants[0].in_flight, 2u);
}

TEST_F(NodeTest, PoliciesDivideAsTheirNamesSay) {
  start();
  const auto search = client("search", 0.5, TenantClass::latency), train = client("train", 0.25),
             spare = client("spare", 0);
  const std::initializer_list<Client*> all = {search.get(), train.get(), spare.get()};
  train->set_awake(true);
  spare->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*search) == 4 && units(*train) + units(*spare) == 8; }, all));
  EXPECT_EQ(set_policy("static"), "set");
  ASSERT_TRUE(until([&] { return units(*train) == 2 && units(*spare) == 2; }, all)) << "what nobody owns";
  EXPECT_EQ(search->grant()->throttle_ns, 0u);
  EXPECT_EQ(set_policy("mps-like"), "set");
  ASSERT_TRUE(until([&] { return units(*search) == 8 && units(*train) == 8 && units(*spare) == 8; }, all));
  EXPECT_FALSE(train->grant()->priority);
  EXPECT_EQ(set_policy("priority"), "set");
  ASSERT_TRUE(until([&] { return train->grant()->priority; }, all));
  EXPECT_EQ(set_policy("reef"), "set");
  ASSERT_TRUE(until([&] { return units(*train) == 8 && train->grant()->throttle_ns > 0; }, all));
  search->set_awake(true);
  EXPECT_TRUE(until([&] { return units(*train) == 0 && units(*spare) == 0 && units(*search) == 8; }, all));
  EXPECT_THAT(said({}), HasSubstr("waits: 'search' has 8; no batch work is submitted while"));
}

TEST_F(NodeTest, TimeSlicesGoRound) {
  start({.units = 8, .policy = "timeslice:2000"});
  const auto a = client("a", 0.5), b = client("b", 0.5);
  const std::initializer_list<Client*> all = {a.get(), b.get()};
  a->set_awake(true);
  b->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*a) + units(*b) == 8; }, all));
  int of_a = 0, changes = 0;
  bool was_a = false;
  for (int i = 0; i < 400; ++i) {
    clock.advance(500'000);
    server->step(0);
    const bool is_a = units(*a) == 8;
    ASSERT_EQ(units(*b), is_a ? 0u : 8u);
    of_a += is_a ? 1 : 0;
    changes += is_a != was_a ? 1 : 0;
    was_a = is_a;
  }
  EXPECT_NEAR(of_a, 200, 10);
  EXPECT_NEAR(changes, 100, 5) << "200 ms in turns of 2 ms";
  a->set_awake(false);
  EXPECT_TRUE(until([&] { return units(*b) == 8; }, all)) << "nobody else has work";
}

TEST_F(NodeTest, PoliciesThatCannotBeAreRefusedByName) {
  start();
  EXPECT_THAT(set_policy("orion"), HasSubstr("error: the policy 'orion' needs to see each launch"));
  EXPECT_THAT(set_policy("best"), HasSubstr("error: there is no policy 'best' between processes"));
  EXPECT_THAT(set_policy("lithos:atom=3"), HasSubstr("has no parameter"));
  EXPECT_THAT(set_policy("timeslice:1"), HasSubstr("a whole number from 1000 to 10000000"));
  EXPECT_THAT(set_policy("static:"), HasSubstr("ends with a colon"));
  EXPECT_EQ(server->policy(), "lithos") << "the one before goes on";
  EXPECT_THROW(start({.units = 8, .policy = "tgs"}), Error);
}

// What was set while tenants run holds with the next daemon, too.
TEST_F(NodeTest, ADaemonThatIsStartedAgainKnowsWhatWasSet) {
  const ServerOptions options{.units = 8, .policy_file = folder.path() / "kept" / "node.policy"};
  start(options);
  const auto search = client("search", 0.75);
  search->set_awake(true);
  const auto train = client("train", 0.25);
  train->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*search) == 6 && units(*train) == 2; }, {search.get(), train.get()}));
  EXPECT_EQ(said({.kind = Request::Kind::set, .settings = {.name = "search", .quota = 0.5}}), "set");
  EXPECT_EQ(set_policy("static"), "set");
  ASSERT_TRUE(until([&] { return units(*search) == 4; }, {search.get(), train.get()}));
  server.reset();
  ASSERT_TRUE(until([&] { return !search->grant() && !train->grant(); }, {search.get(), train.get()}));
  start(options);
  ASSERT_TRUE(until([&] { return units(*search) == 4 && units(*train) == 2; }, {search.get(), train.get()}));
  EXPECT_EQ(server->policy(), "static");
  EXPECT_THAT(said({.kind = Request::Kind::set, .settings = {.name = "nobody"}}),
              HasSubstr("error: there is no tenant 'nobody'"));
}

TEST_F(NodeTest, ExplainsGrantsAndLaunches) {
  start();
  const auto search = client("search", 0.75, TenantClass::latency), train = client("train", 0.25);
  const std::initializer_list<Client*> all = {search.get(), train.get()};
  train->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*train) == 8; }, all));
  search->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*train) == 2; }, all));
  train->tell(Decided{.now_ns = clock.now_ns(),
                      .waited_ns = 250'000,
                      .begin = 0,
                      .end = 16,
                      .of_blocks = 64,
                      .units = 2,
                      .of_units = 8,
                      .why = sched::Submitted::Why::part,
                      .predicted_ns = 300'000},
              "saxpy");
  const std::string text = explain("train");
  EXPECT_THAT(text, HasSubstr("granted: 8 of 8 units; units are lent while their owner has no work\n"));
  EXPECT_THAT(text, HasSubstr("granted: 2 of 8 units; 'search' has 6; units are lent"));
  EXPECT_THAT(text, HasSubstr("saxpy: blocks 0 to 15 of 64 on 2 of 8 units, 250 us after its launch, 300 us "
                              "predicted; a part, so that units can change hands\n"));
  for (const std::uint64_t waited : {20'000, 40'000, 30'000}) {
    clock.advance(1'000'000);
    train->tell(
        Decided{.now_ns = clock.now_ns(), .waited_ns = waited, .end = 64, .of_blocks = 64, .units = 2, .of_units = 8},
        "saxpy");
  }
  EXPECT_THAT(explain("train"),
              HasSubstr("-3.000 to -1.000 ms  saxpy: blocks 0 to 63 of 64 on 2 of 8 units, 3 times, 20 "
                        "to 40 us after its launch; no grant: as without a daemon\n"));
  const char* const mangled = "_ZN3img20convolve_with_filterIfLi16EEEvPKT_PS1_iiS2_";
  train->tell(Decided{.now_ns = clock.now_ns(), .end = 2, .of_blocks = 2}, mangled);
  EXPECT_THAT(explain("train"), HasSubstr("  img::convolve_with_filter<float, 16>: blocks 0 to 1 of 2 "));
  clock.advance(2'000'000'000);
  EXPECT_THAT(explain("train", 1'000'000'000), HasSubstr("nothing has happened"));
  EXPECT_THAT(explain("nobody"), HasSubstr("error: there is no tenant 'nobody'"));
  for (int i = 0; i < 5000; ++i) {
    train->tell(Decided{.now_ns = clock.now_ns(), .of_blocks = 1}, "kernel" + std::to_string(i % 400));
    if (i % 50 == 0) server->step(0);
  }
  EXPECT_THAT(explain("train"), AllOf(HasSubstr("earlier lines are left out\n"), HasSubstr("another kernel: ")));
}

TEST_F(NodeTest, QuantilesAreOfTheLastLaunches) {
  start();
  const auto search = client("search", 0.5);
  ASSERT_TRUE(until([&] { return search->connected(); }, {search.get()}));
  EXPECT_THAT(said({}), HasSubstr("\"p50_ms\": null"));
  for (int i = 0; i < 99; ++i) search->count_latency(1'000'000);
  for (int i = 0; i < 2; ++i) search->count_latency(100'000'000);
  const auto tenant = [&] { return server->status().tenants.at(0); };
  EXPECT_NEAR(*tenant().p50_ns, 1e6, 2.5e5);
  EXPECT_NEAR(*tenant().p99_ns, 1e8, 2.5e7);
  for (int i = 0; i < 3; ++i) {
    clock.advance(6'000'000'000);
    server->step(0);
  }
  EXPECT_FALSE(tenant().p99_ns) << "they are long past";
  search->count_latency(5'000);
  EXPECT_NEAR(*tenant().p99_ns, 5e3, 1.5e3);
}

// A request over TCP, and all that comes back.
class Http {
 public:
  Http(std::uint16_t port, const std::string& request) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    (void)!::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL);
  }
  bool done() {
    char part[4096];
    const ssize_t got = ::recv(socket_.get(), part, sizeof part, MSG_DONTWAIT);
    if (got > 0) answer.append(part, static_cast<std::size_t>(got));
    return got == 0 || (got < 0 && errno != EAGAIN);
  }
  std::string answer;

 private:
  Descriptor socket_;
};

TEST_F(NodeTest, FiguresForPrometheus) {
  start({.units = 8, .metrics_port = 0});
  ASSERT_TRUE(server->metrics_port());
  const auto search = client("search", 0.75, TenantClass::latency);
  search->set_awake(true);
  ASSERT_TRUE(until([&] { return units(*search) == 8; }, {search.get()}));
  search->tell(Ended{.ranges = 12, .seconds = 0.5});
  const auto get = [&](const std::string& request) {
    Http http(*server->metrics_port(), request);
    EXPECT_TRUE(until([&] { return http.done(); }, {}));
    return http.answer;
  };
  const std::string figures = get("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(figures, AllOf(HasSubstr("HTTP/1.1 200 OK\r\n"), HasSubstr("version=0.0.4"),
                             HasSubstr("\n# TYPE heddle_tenant_granted_units gauge\n"),
                             HasSubstr("\nheddle_tenant_granted_units{tenant=\"search\",class=\"latency\"} 8\n"),
                             HasSubstr("heddle_tenant_ranges_total{tenant=\"search\",class=\"latency\"} 12\n"),
                             HasSubstr("heddle_tenant_quota{tenant=\"search\",class=\"latency\"} 0.75\n"),
                             HasSubstr("heddle_tenant_latency_p99_seconds{tenant=\"search\",class=\"latency\"} NaN\n"),
                             HasSubstr("\nheddle_policy{name=\"lithos\"} 1\n")));
  EXPECT_THAT(get("GET /etc/passwd HTTP/1.1\r\n\r\n"), HasSubstr("404 Not Found"));
  EXPECT_THAT(get("POST /metrics HTTP/1.1\r\n\r\n"), HasSubstr("405"));
  EXPECT_EQ(get(std::string(20'000, 'x')), "") << "no request";
  Http silent(*server->metrics_port(), "GET");
  clock.advance(3'000'000'000);
  EXPECT_TRUE(until([&] { return silent.done(); }, {})) << "who says nothing is not waited for";
  EXPECT_THROW(Server(folder.path() / "other" / "socket", {.units = 1, .metrics_port = server->metrics_port()}, clock),
               Error)
      << "the port is taken";
}

TEST(TenantVariable, IsReadOrRefused) {
  const auto tenant = parse_tenant("latency:0.75:search: a b");
  EXPECT_EQ(tenant.name, "search: a b");
  EXPECT_EQ(tenant.kind, TenantClass::latency);
  EXPECT_EQ(tenant.quota, 0.75);
  EXPECT_EQ(tenant_text(tenant), "latency:0.75:search: a b");
  EXPECT_EQ(parse_quota("75%"), 0.75);
  for (const char* wrong : {"", "latency", "latency:1", "fast:1:a", "batch:2:a", "batch:x:a", "batch:1:", "batch:-1:a",
                            "batch:nan:a", "batch:1:a\"b"})
    EXPECT_THROW(parse_tenant(wrong), Error) << wrong;
  for (const char* wrong : {"", "%", "101%", "-1%", "1.5", "75 %"}) EXPECT_THROW(parse_quota(wrong), Error) << wrong;
}

}  // namespace
}  // namespace heddle::daemon
