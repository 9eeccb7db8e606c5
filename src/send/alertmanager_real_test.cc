#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "net/http_client.h"
#include "send/alertmanager.h"
#include "testing/send.h"

/// Against the real Alertmanager, Debian's package prometheus-alertmanager; skips where that is not
/// installed.
namespace laggard::send {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kProgram = "/usr/bin/prometheus-alertmanager";

int free_port() {
  const Fd probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(probe.get(), generic, length), 0);
  EXPECT_EQ(::getsockname(probe.get(), generic, &length), 0);
  return ntohs(address.sin_port);
}

/// The program with a folder and a port of its own; gone at the end.
class RealAlertmanager {
 public:
  RealAlertmanager() : port_(free_port()) {
    // What Alertmanager ends by itself would come five minutes after the last word: not in this test.
    std::ofstream(folder_ / "am.yml") << "global: {resolve_timeout: 5m}\nroute: {receiver: nobody}\n"
                                         "receivers: [{name: nobody}]\n";
    std::vector<std::string> words{kProgram, "--config.file=" + (folder_ / "am.yml").string(),
                                   "--storage.path=" + folder_.path().string(),
                                   "--web.listen-address=127.0.0.1:" + std::to_string(port_),
                                   "--cluster.listen-address="};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (folder_ / "log").c_str(), O_WRONLY | O_CREAT,
                                     0600);
    EXPECT_EQ(::posix_spawn(&pid_, kProgram, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  RealAlertmanager(const RealAlertmanager&) = delete;
  RealAlertmanager& operator=(const RealAlertmanager&) = delete;
  ~RealAlertmanager() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] std::unique_ptr<net::HttpTransport> connect() const {
    const auto url = net::parse_server_url("http://127.0.0.1:" + std::to_string(port_));
    auto transport = net::connect_http(url.value(), {.deadline = 10s,
                                                     .bearer_token = {},
                                                     .certificate_file = {},
                                                     .certificate_folder = {},
                                                     .stopped = {}});
    return std::move(transport.value());
  }
  [[nodiscard]] bool comes_up(net::HttpTransport& transport) const {
    for (int i = 0; i < 300; ++i) {
      const auto reply = transport.get("/-/ready", {});
      if (reply && reply->status == 200) return true;
      std::this_thread::sleep_for(100ms);
    }
    return false;
  }
  [[nodiscard]] std::string log() const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "log").rdbuf();
    return text.str();
  }

 private:
  Scratch folder_;
  int port_;
  pid_t pid_ = 0;
};

class RealAlertmanagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access(kProgram, X_OK) != 0) GTEST_SKIP() << kProgram << " is not installed";
    server_ = std::make_unique<RealAlertmanager>();
    transport_ = server_->connect();
    ASSERT_TRUE(server_->comes_up(*transport_)) << server_->log();
    alerts_ = std::make_unique<Alertmanager>(
        *transport_, AlertmanagerOptions{.server = "am", .generator_url = "http://wiki/laggard"});
    incident_.id = "s3-disk-hog";
    incident_.since = SystemClock().wall() - 90s;
    incident_.blame = {PartKind::kServer, "s3"};
    incident_.cause = "disk-hog";
    incident_.components = {"s3/loop23"};
  }

  void post(ChangeKind kind) {
    alerts_->take({.kind = kind, .number = 1, .at = incident_.since, .incident = incident_},
                  "s3 is suspected");
    const Status posted = alerts_->post(now());
    ASSERT_TRUE(posted) << posted.error().message();
  }
  [[nodiscard]] Moment now() { return {.wall = clock_.wall(), .mono = clock_.mono() + ahead_}; }
  /// What Alertmanager holds for firing.
  [[nodiscard]] Json firing() {
    const auto reply = transport_->get("/api/v2/alerts", {});
    return reply ? Json::parse(reply->body) : Json(reply.error().message());
  }

  SystemClock clock_;
  Duration ahead_{};
  std::unique_ptr<RealAlertmanager> server_;
  std::unique_ptr<net::HttpTransport> transport_;
  std::unique_ptr<Alertmanager> alerts_;
  Incident incident_;
};

TEST_F(RealAlertmanagerTest, AnIncidentIsOneAlertFromItsBeginningToItsEnd) {
  post(ChangeKind::kOpened);
  const Json first = firing();
  ASSERT_THAT(first, SizeIs(1)) << first;
  EXPECT_EQ(first[0]["labels"],
            Json::parse(R"({"alertname": "laggard", "incident": "s3-disk-hog", "severity": "warning"})"));
  EXPECT_EQ(first[0]["annotations"]["summary"], "s3 is suspected");
  EXPECT_EQ(first[0]["annotations"]["cause"], "disk-hog");
  EXPECT_EQ(first[0]["generatorURL"], "http://wiki/laggard");
  EXPECT_NE(first[0]["status"]["state"], "suppressed");

  incident_.components.emplace_back("s3/loop24");
  incident_.cause = "disk-busy";
  post(ChangeKind::kGrew);
  ahead_ = Alertmanager::kRepeat;
  ASSERT_TRUE(alerts_->due(now().mono));
  ASSERT_TRUE(alerts_->post(now()));
  const Json grown = firing();
  ASSERT_THAT(grown, SizeIs(1)) << grown;
  EXPECT_EQ(grown[0]["fingerprint"], first[0]["fingerprint"]);
  EXPECT_EQ(grown[0]["startsAt"], first[0]["startsAt"]);
  EXPECT_GT(grown[0]["endsAt"], first[0]["endsAt"]);
  EXPECT_EQ(grown[0]["annotations"]["components"], "s3/loop23, s3/loop24");
  EXPECT_EQ(grown[0]["annotations"]["cause"], "disk-busy");

  incident_.state = IncidentState::kConfirmed;
  post(ChangeKind::kConfirmed);
  const Json confirmed = firing();
  ASSERT_THAT(confirmed, SizeIs(1)) << confirmed;
  EXPECT_EQ(confirmed[0]["labels"]["severity"], "critical");
  EXPECT_EQ(confirmed[0]["startsAt"], first[0]["startsAt"]);

  incident_.until = clock_.wall() - 10s;
  post(ChangeKind::kClosed);
  EXPECT_THAT(firing(), SizeIs(0)) << firing();
}

TEST_F(RealAlertmanagerTest, WhatItRefusesIsASentence) {
  Alertmanager lost(*transport_, {.server = "am", .generator_url = "not a URL"});
  lost.hold(incident_, "s3 is suspected");
  const Status refused = lost.post(now());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("am: the server answers 4"));
  EXPECT_EQ(lost.open(), 1U);
}

}  // namespace
}  // namespace laggard::send
