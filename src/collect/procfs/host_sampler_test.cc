#include "collect/procfs/host_sampler.h"

#include <gtest/gtest.h>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {
using namespace std::chrono_literals;

constexpr const char* kStat =
    "cpu  40221 44281 14334 48071 233 5 197 68 0 0\n"
    "cpu0 18749 23064 7057 24778 22 0 7 35 0 0\n"
    "intr 810883 0 0 7\n"
    "ctxt 1512877\n"
    "procs_running 7\n"
    "procs_blocked 2\n"
    "softirq 502339 0 35051\n";

TEST(HostTables, ProcessorsAreAddedUpByWhatTheyDid) {
  HostSample sample;
  read_proc_stat(kStat, 10, sample);
  EXPECT_EQ(sample.get(HostCounter::kCpuUser), 845020U) << "nice is work, too";
  EXPECT_EQ(sample.get(HostCounter::kCpuSystem), 143340U);
  EXPECT_EQ(sample.get(HostCounter::kCpuIrq), 2020U);
  EXPECT_EQ(sample.get(HostCounter::kCpuIowait), 2330U);
  EXPECT_EQ(sample.get(HostCounter::kCpuSteal), 680U);
  EXPECT_EQ(sample.get(HostCounter::kRunning), 7U);
  EXPECT_EQ(sample.get(HostCounter::kBlocked), 2U);
}

TEST(HostTables, WhatAKernelDoesNotTellIsMissing) {
  HostSample sample;
  read_proc_stat("cpu  1 2 3 4\n", 10, sample);
  EXPECT_EQ(sample.get(HostCounter::kCpuIdle), 40U);
  EXPECT_FALSE(sample.get(HostCounter::kCpuSteal)) << "before Linux 2.6.11";
  EXPECT_FALSE(sample.get(HostCounter::kRunning));
  read_vmstat("pgfault 1\nnr_pswpin 5\n", sample);
  read_meminfo("MemTotal: 5 kB\n", sample);
  EXPECT_FALSE(sample.get(HostCounter::kSwapIn)) << "only the whole name counts";
  EXPECT_FALSE(sample.get(HostCounter::kMemAvailable));
  EXPECT_FALSE(read_pressure("some avg10=0.00 total=many\nfull total=\n").some_us);
}

TEST(HostTables, PressureHasATotal) {
  const Pressure io = read_pressure(
      "some avg10=0.87 avg60=2.66 avg300=3.95 total=23432079\n"
      "full avg10=0.19 avg60=0.08 avg300=0.06 total=2049949\n");
  EXPECT_EQ(io.some_us, 23432079U);
  EXPECT_EQ(io.full_us, 2049949U);
}

class HostSamplerTest : public testing::Test {
 protected:
  HostSamplerTest() {
    root_.write("proc/stat", kStat);
    root_.write("proc/vmstat", "pswpin 11\npswpout 12\npgfault 9\npgmajfault 13\n");
    root_.write("proc/meminfo", "MemTotal: 900 kB\nMemAvailable:     800 kB\n");
    root_.write("proc/pressure/cpu", "some avg10=72.14 total=364538485\n");
  }
  SampleTable sampled() {
    auto sampler = HostSampler::open(root_.path(), "fs1", notices_);
    clock_.advance(1s);
    sampler->sample(clock_);
    return sampler->batch().take("");
  }
  static std::uint64_t value(const SampleTable& table, std::string_view counter) {
    return table.integer(*table.counter_index(counter), 0, 0).value_or(0);
  }

  FakeRoot root_;
  FakeClock clock_;
  Notices notices_{[](const std::string&) {}};
};

TEST_F(HostSamplerTest, AHostIsOneDevice) {
  const SampleTable table = sampled();
  EXPECT_EQ(table.kind(), DeviceKind::kHost);
  EXPECT_EQ(table.devices(), std::vector<std::string>{"host"});
  EXPECT_EQ(value(table, "swap_in"), 11U);
  EXPECT_EQ(value(table, "swap_out"), 12U);
  EXPECT_EQ(value(table, "major_faults"), 13U);
  EXPECT_EQ(value(table, "mem_available_kb"), 800U);
  EXPECT_EQ(value(table, "psi_cpu_us"), 364538485U);
  EXPECT_FALSE(table.present(*table.counter_index("psi_io_us"), 0, 0)) << "a kernel without it";
  EXPECT_FALSE(table.counter_index("cpu_mhz")) << "a virtual machine";
}

TEST_F(HostSamplerTest, ClockRatesAreTheMeanAndThrottlingsTheSumOfProcessors) {
  for (const char* cpu : {"0", "1"}) {
    const std::string folder = std::string("sys/devices/system/cpu/cpu") + cpu;
    root_.write(folder + "/cpufreq/scaling_cur_freq", cpu[0] == '0' ? "800000\n" : "2400000\n");
    root_.write(folder + "/thermal_throttle/core_throttle_count", "21\n");
  }
  const SampleTable table = sampled();
  EXPECT_EQ(value(table, "cpu_mhz"), 1600U);
  EXPECT_EQ(value(table, "thermal_throttles"), 42U);
}

TEST_F(HostSamplerTest, ErrorsOfMemoryAreTheSumOfItsControllers) {
  for (const char* controller : {"mc0", "mc1"}) {
    const std::string folder = std::string("sys/devices/system/edac/mc/") + controller;
    root_.write(folder + "/ce_count", controller[2] == '0' ? "7\n" : "35\n");
    root_.write(folder + "/ue_count", "0\n");
  }
  const SampleTable table = sampled();
  EXPECT_EQ(value(table, "ecc_corrected"), 42U);
  EXPECT_EQ(value(table, "ecc_uncorrected"), 0U);
}

TEST_F(HostSamplerTest, ASumIsMissingRatherThanSmaller) {
  root_.write("sys/devices/system/edac/mc/mc0/ce_count", "7\n");
  root_.write("sys/devices/system/edac/mc/mc1/ce_count", "not a number\n");
  const SampleTable table = sampled();
  EXPECT_FALSE(table.counter_index("ecc_corrected"));
}

TEST_F(HostSamplerTest, NoTableOfTheKernelNoSampler) {
  root_.remove("proc/stat");
  EXPECT_EQ(HostSampler::open(root_.path(), "fs1", notices_), nullptr);
}

}  // namespace
}  // namespace laggard::collect
