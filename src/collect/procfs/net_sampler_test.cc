#include "collect/procfs/net_sampler.h"

#include <gtest/gtest.h>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {
using namespace std::chrono_literals;
using Devices = std::vector<std::string>;

constexpr const char* kNetDevHeader =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo "
    "colls\n";

std::string interface_line(const std::string& name, int value) {
  std::string text = "  " + name + ":";
  for (int c = 0; c < 16; ++c) text += " " + std::to_string(value + c);
  return text + "\n";
}

class NetSamplerTest : public testing::Test {
 protected:
  void open(NetOptions options = {}) {
    auto opened = NetSampler::open(root_.path(), "fs1", std::move(options), notices_);
    ASSERT_TRUE(opened) << opened.error().message();
    sampler_ = std::move(*opened);
  }
  void sample(const std::string& lines) {
    root_.write("proc/net/dev", kNetDevHeader + lines);
    clock_.advance(1s);
    sampler_->sample(clock_);
    for (DeviceInfo& info : sampler_->take_facts()) {
      ASSERT_TRUE(sink_.describe(info));
    }
  }

  FakeRoot root_;
  FakeClock clock_;
  Notices notices_{[](const std::string&) {}};
  ListSink sink_;
  std::unique_ptr<NetSampler> sampler_;
};

TEST_F(NetSamplerTest, RecordsAllButLoopback) {
  open();
  sample(interface_line("lo", 1) + interface_line("eth0", 100));
  const SampleTable table = sampler_->batch().take("");
  EXPECT_EQ(table.devices(), Devices{"eth0"});
  EXPECT_EQ(table.integer(*table.counter_index("rx_bytes"), 0, 0), 100U);
  EXPECT_EQ(table.integer(*table.counter_index("rx_drop"), 0, 0), 103U);
  EXPECT_EQ(table.integer(*table.counter_index("tx_bytes"), 0, 0), 108U);
  EXPECT_EQ(table.integer(*table.counter_index("tx_errors"), 0, 0), 110U);
}

TEST_F(NetSamplerTest, LoopbackIsRecordedWhenAskedFor) {
  open({{"lo"}, {}, {}});
  sample(interface_line("lo", 1) + interface_line("eth0", 100));
  EXPECT_EQ(sampler_->batch().take("").devices(), Devices{"lo"});
}

TEST_F(NetSamplerTest, TellsAddressesAndTellsAgainWhenTheyMove) {
  AddressesByInterface now{{"eth0", {"10.0.0.1", "fe80::1"}}};
  open({{}, [&] { return now; }, {}});
  root_.write("sys/class/net/eth0/address", "02:00:00:00:00:01\n");
  root_.write("sys/class/net/eth0/speed", "100000\n");
  sample(interface_line("eth0", 1));
  EXPECT_EQ(sink_.fact("eth0", "address"), "10.0.0.1,fe80::1");
  EXPECT_EQ(sink_.fact("eth0", "mac"), "02:00:00:00:00:01");
  EXPECT_EQ(sink_.fact("eth0", "speed-mbit"), "100000");
  now["eth0"] = {"10.0.0.1", "10.0.0.2", "fe80::1"};
  clock_.advance(60s);
  sample(interface_line("eth0", 1));
  EXPECT_EQ(sink_.fact("eth0", "address"), "10.0.0.1,10.0.0.2,fe80::1");
  clock_.advance(60s);
  sample(interface_line("eth0", 1));
  EXPECT_EQ(sink_.facts.size(), 2U);
}

TEST_F(NetSamplerTest, ABondStandsForItsLinks) {
  for (const char* name : {"eth0", "eth1"}) {
    root_.folder(std::string("sys/class/net/") + name + "/bonding_slave");
    root_.link(std::string("sys/class/net/") + name + "/master", "../bond0");
  }
  open();
  sample(interface_line("bond0", 1) + interface_line("eth0", 1) + interface_line("eth1", 1));
  EXPECT_EQ(sink_.fact("eth0", "top"), "bond0");
  EXPECT_EQ(sink_.fact("bond0", "paths"), "eth0,eth1");
}

TEST_F(NetSamplerTest, LinksAreLookedAtNowAndThenAndRecordedAlways) {
  const auto show = [&](const char* mbit, const char* duplex) {
    root_.write("sys/class/net/eth0/speed", std::string(mbit) + "\n");
    root_.write("sys/class/net/eth0/duplex", std::string(duplex) + "\n");
  };
  show("10000", "full");
  root_.write("sys/class/net/eth0/carrier_changes", "3\n");
  root_.write("sys/class/net/eth0/statistics/rx_crc_errors", "17\n");
  open();
  sample(interface_line("eth0", 1));
  sample(interface_line("eth0", 1));
  show("100", "half");
  clock_.advance(kLookEvery);
  sample(interface_line("eth0", 1));
  show("-1", "unknown");
  clock_.advance(kLookEvery);
  sample(interface_line("eth0", 1));
  sample(interface_line("eth0", 1));
  const SampleTable table = sampler_->batch().take("");
  const auto at = [&](const char* counter, std::size_t t) {
    return table.integer(*table.counter_index(counter), 0, t);
  };
  EXPECT_EQ(at("link_mbit", 1), 10000U);
  EXPECT_EQ(at("carrier_changes", 1), 3U);
  EXPECT_EQ(at("rx_crc_errors", 1), 17U);
  EXPECT_EQ(at("half_duplex", 1), 0U);
  EXPECT_EQ(at("link_mbit", 3), 100U) << "it fell back";
  EXPECT_EQ(at("half_duplex", 3), 1U);
  EXPECT_FALSE(at("link_mbit", 4)) << "the link is down";
}

TEST_F(NetSamplerTest, ASysOfAnotherNetworkNamespaceSaysNothing) {
  root_.write("sys/class/net/eth0/ifindex", "2\n");
  root_.write("sys/class/net/eth0/speed", "100\n");
  open({{}, {}, [](const std::string&) { return 57U; }});
  sample(interface_line("eth0", 1));
  sample(interface_line("eth0", 1));
  EXPECT_EQ(sink_.fact("eth0", "speed-mbit"), "");
  EXPECT_FALSE(sampler_->batch().take("").counter_index("link_mbit"));
}

TEST_F(NetSamplerTest, AnInterfaceThatGoesIsMissing) {
  open();
  sample(interface_line("eth0", 1) + interface_line("ib0", 1));
  sample(interface_line("eth0", 1));
  const SampleTable table = sampler_->batch().take("");
  EXPECT_TRUE(table.present(0, 1, 0));
  EXPECT_FALSE(table.present(0, 1, 1));
}

}  // namespace
}  // namespace laggard::collect
