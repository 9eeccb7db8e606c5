#include "collect/tcp/tcp_sampler.h"

#include <gtest/gtest.h>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;

class ListedConnections final : public ConnectionSource {
 public:
  [[nodiscard]] Status dump(const std::function<void(const TcpSample&)>& each) override {
    for (const TcpSample& sample : samples) each(sample);
    if (fails) return fail(ErrorCode::kNoPermission, "netlink", "refused");
    return {};
  }
  std::vector<TcpSample> samples;
  bool fails = false;
};

TcpSample connection(std::uint16_t port, std::uint64_t cwnd) {
  TcpSample sample;
  sample.local = {IpPrefix::parse("10.0.0.1")->address, 2049};
  sample.peer = {IpPrefix::parse("10.0.0.7")->address, port};
  sample.values = {cwnd, 0, 0, 100, 1000};
  sample.present = 31;
  return sample;
}

class TcpSamplerTest : public testing::Test {
 protected:
  TcpSampler make(TcpOptions options = {}) {
    auto source = std::make_unique<ListedConnections>();
    source_ = source.get();
    return {std::move(source), "fs1", options, notices_};
  }
  FakeClock clock_;
  std::vector<std::string> said_;
  Notices notices_{[this](const std::string& text) { said_.push_back(text); }};
  ListedConnections* source_ = nullptr;
};

TEST_F(TcpSamplerTest, EachConnectionIsADevice) {
  TcpSampler sampler = make();
  source_->samples = {connection(801, 10), connection(802, 20)};
  sampler.sample(clock_);
  EXPECT_EQ(sampler.devices(), 2U);
  const SampleTable table = sampler.batch().take("b");
  EXPECT_EQ(table.devices(),
            (std::vector<std::string>{"10.0.0.1:2049>10.0.0.7:801", "10.0.0.1:2049>10.0.0.7:802"}));
  EXPECT_EQ(table.integer(*table.counter_index("snd_cwnd"), 1, 0), 20U);
}

TEST_F(TcpSamplerTest, LaterConnectionsCountFromTheirSecondSample) {
  TcpSampler sampler = make();
  source_->samples = {connection(801, 10)};
  sampler.sample(clock_);
  source_->samples = {connection(801, 10), connection(900, 1), connection(901, 2)};
  sampler.sample(clock_);
  source_->samples = {connection(801, 10), connection(901, 3)};
  sampler.sample(clock_);
  const SampleTable table = sampler.batch().take("");
  ASSERT_EQ(table.devices().size(), 2U) << "the one that lived for one sample is left out";
  EXPECT_FALSE(table.present(0, 1, 1));
  EXPECT_EQ(table.integer(0, 1, 2), 3U);
}

TEST_F(TcpSamplerTest, TheSecondSampleMayComeInTheNextBatch) {
  TcpSampler sampler = make();
  sampler.sample(clock_);
  source_->samples = {connection(900, 1)};
  sampler.sample(clock_);
  EXPECT_EQ(sampler.batch().take("").devices().size(), 0U);
  sampler.sample(clock_);
  EXPECT_EQ(sampler.batch().take("").devices().size(), 1U);
}

TEST_F(TcpSamplerTest, TheSameTwoEndsInOneBatchAreOneDevice) {
  TcpSampler sampler = make({4});
  source_->samples = {connection(801, 10)};
  sampler.sample(clock_);
  for (std::uint16_t port = 1000; port < 1100; ++port) {
    source_->samples = {connection(port, 1), connection(port, 2)};
    sampler.sample(clock_);
  }
  source_->samples = {connection(801, 11)};
  sampler.sample(clock_);
  sampler.sample(clock_);
  const SampleTable table = sampler.batch().take("");
  ASSERT_EQ(table.devices().size(), 101U) << "a connection that one dump shows twice counts as seen twice";
  EXPECT_EQ(table.integer(0, 0, 0), 10U);
  EXPECT_EQ(table.integer(0, 0, 102), 11U) << "made again, after it was forgotten";
}

TEST_F(TcpSamplerTest, BeyondTheBoundConnectionsAreLeftOutAndThatIsSaidOnce) {
  TcpSampler sampler = make({2});
  source_->samples = {connection(1, 1), connection(2, 1), connection(3, 1)};
  sampler.sample(clock_);
  sampler.sample(clock_);
  EXPECT_EQ(sampler.devices(), 2U);
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(TcpSamplerTest, ARefusalIsSaidOnceAndWhatCameIsKept) {
  TcpSampler sampler = make();
  source_->samples = {connection(1, 1)};
  source_->fails = true;
  sampler.sample(clock_);
  sampler.sample(clock_);
  EXPECT_EQ(said_.size(), 1U);
  EXPECT_EQ(sampler.batch().take("").devices().size(), 1U);
}

}  // namespace
}  // namespace laggard::collect
