#include "collect/procfs/disk_sampler.h"

#include <gtest/gtest.h>

#include "testing/fake_machine.h"

namespace laggard::collect {
namespace {

using namespace std::chrono_literals;

std::string disk_line(const std::string& name, int value) {
  std::string text = "   8       0 " + name;
  for (int c = 0; c < 17; ++c) text += " " + std::to_string(value + c);
  return text + "\n";
}

class DiskSamplerTest : public testing::Test {
 protected:
  void disk(const std::string& name) const { root_.write("sys/block/" + name + "/size", "2048\n"); }

  void open(DiskOptions options = {}) {
    auto opened = DiskSampler::open(root_.path(), "fs1", std::move(options), notices_);
    ASSERT_TRUE(opened) << opened.error().message();
    sampler_ = std::move(*opened);
  }

  void sample(const std::string& diskstats) {
    root_.write("proc/diskstats", diskstats);
    clock_.advance(1s);
    sampler_->sample(clock_);
    for (DeviceInfo& info : sampler_->take_facts()) {
      ASSERT_TRUE(sink_.describe(info));
    }
  }

  std::vector<std::string> recorded() { return sampler_->batch().take("").devices(); }

  FakeRoot root_;
  FakeClock clock_;
  std::vector<std::string> said_;
  Notices notices_{[this](const std::string& text) { said_.push_back(text); }};
  ListSink sink_;
  std::unique_ptr<DiskSampler> sampler_;
};

using Devices = std::vector<std::string>;

TEST_F(DiskSamplerTest, CountersGoIntoTheirPlaces) {
  disk("sda");
  open();
  sample(disk_line("sda", 100));
  sample(disk_line("sda", 200));
  const SampleTable table = sampler_->batch().take("b");
  ASSERT_EQ(table.devices(), Devices{"sda"});
  EXPECT_EQ(table.integer(*table.counter_index("rd_ios"), 0, 0), 100U);
  EXPECT_EQ(table.integer(*table.counter_index("weighted_ms"), 0, 1), 210U);
  EXPECT_EQ(table.integer(*table.counter_index("fl_ms"), 0, 1), 216U);
  EXPECT_EQ(table.times()[1] - table.times()[0], 1s);
}

TEST_F(DiskSamplerTest, OldKernelsCountersAreMissingNotZero) {
  disk("sda");
  open();
  sample("   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n");
  const SampleTable table = sampler_->batch().take("");
  EXPECT_EQ(table.integer(*table.counter_index("weighted_ms"), 0, 0), 11U);
  EXPECT_FALSE(table.integer(*table.counter_index("dc_ios"), 0, 0));
}

TEST_F(DiskSamplerTest, MdArraysTellWhatTheyDoByThemselves) {
  for (const char* name : {"sda", "md0", "md1"}) disk(name);
  open();
  const auto action = [&](const char* state) { root_.write("sys/block/md0/md/sync_action", state); };
  const std::string all = disk_line("sda", 1) + disk_line("md0", 1) + disk_line("md1", 1);
  for (const char* state : {"idle\n", "check\n", "recover\n", "something new\n"}) {
    action(state);
    sample(all);
  }
  const SampleTable table = sampler_->batch().take("");
  const auto counter = table.counter_index("sync_action");
  ASSERT_TRUE(counter);
  EXPECT_EQ(table.counters()[*counter].form, CounterForm::kGauge);
  const std::size_t md0 = *table.device_index("md0");
  EXPECT_EQ(table.integer(*counter, md0, 0), 0U);
  EXPECT_EQ(table.integer(*counter, md0, 1), 1U);
  EXPECT_EQ(table.integer(*counter, md0, 2), 4U);
  EXPECT_FALSE(table.present(*counter, md0, 3)) << "a word that is not known is missing, not idle";
  EXPECT_FALSE(table.present(*counter, *table.device_index("md1"), 1)) << "no redundancy, nothing to check";
  EXPECT_FALSE(table.present(*counter, *table.device_index("sda"), 1));
  EXPECT_EQ(table.integer(*table.counter_index("rd_ios"), md0, 3), 1U);
  root_.remove("sys/block/md0/md");
  sample(all);
  EXPECT_FALSE(sampler_->batch().take("").counter_index("sync_action")) << "machines without arrays";
}

TEST_F(DiskSamplerTest, PathsOfMultipathDevicesAreCounted) {
  for (const char* name : {"sda", "sdb", "sdc", "dm-0", "dm-1"}) disk(name);
  root_.write("sys/block/dm-0/dm/uuid", "mpath-3600a\n");
  root_.write("sys/block/dm-1/dm/uuid", "LVM-x\n");
  root_.write("sys/block/dm-1/slaves/sdc/size", "1\n");
  const auto path = [&](const std::string& name, const char* state) {
    root_.write("sys/block/dm-0/slaves/" + name + "/device/state", state);
  };
  path("sda", "running\n");
  path("sdb", "running\n");
  open();
  const std::string all = disk_line("sda", 1) + disk_line("dm-0", 1) + disk_line("dm-1", 1);
  const auto look = [&] {
    clock_.advance(kLookEvery);
    sample(all);  // What it sees now is in the samples after it.
    sample(all);
  };
  look();
  path("sdb", "transport-offline\n");
  look();
  root_.remove("sys/block/dm-0/slaves/sdb");
  look();
  path("sdb", "running\n");
  look();
  const SampleTable table = sampler_->batch().take("");
  const auto at = [&](const char* counter, const char* device, std::size_t row) {
    return table.integer(*table.counter_index(counter), *table.device_index(device), row);
  };
  EXPECT_EQ(at("paths_up", "dm-0", 1), 2U);
  EXPECT_EQ(at("paths_down", "dm-0", 1), 0U);
  EXPECT_EQ(at("paths_up", "dm-0", 3), 1U);
  EXPECT_EQ(at("paths_down", "dm-0", 3), 1U);
  EXPECT_EQ(at("paths_down", "dm-0", 5), 1U)
      << "a path that was taken away is as lost as one that is offline";
  EXPECT_EQ(at("paths_down", "dm-0", 7), 0U);
  EXPECT_FALSE(at("paths_up", "dm-1", 7)) << "a volume has no paths";
  EXPECT_FALSE(at("paths_up", "sda", 7));
}

TEST_F(DiskSamplerTest, PathsOfNvmeAreThoseOfItsHead) {
  for (const char* name : {"nvme0n1", "nvme0c0n1", "nvme0c1n1", "nvme1n1"}) disk(name);
  root_.write("sys/block/nvme0c0n1/device/state", "live\n");
  root_.write("sys/block/nvme0c0n1/ana_state", "optimized\n");
  root_.write("sys/block/nvme0c1n1/device/state", "live\n");
  root_.write("sys/block/nvme0c1n1/ana_state", "inaccessible\n");
  open();
  const std::string all = disk_line("nvme0n1", 1) + disk_line("nvme1n1", 1);
  sample(all);
  sample(all);
  const SampleTable table = sampler_->batch().take("");
  const std::size_t head = *table.device_index("nvme0n1");
  EXPECT_EQ(table.integer(*table.counter_index("paths_up"), head, 1), 1U);
  EXPECT_EQ(table.integer(*table.counter_index("paths_down"), head, 1), 1U);
  EXPECT_FALSE(table.integer(*table.counter_index("paths_up"), *table.device_index("nvme1n1"), 1));
}

TEST_F(DiskSamplerTest, WhatIsADisk) {
  for (const char* name : {"sda", "loop0", "loop1", "ram0", "zram0", "sr0", "fd0", "cciss!c0d0"}) disk(name);
  root_.write("sys/block/sda/sda1/partition", "1\n");
  root_.write("sys/block/loop1/loop/backing_file", "/tank/image\n");
  std::string all;
  for (const char* name : {"sda", "sda1", "loop0", "loop1", "ram0", "zram0", "sr0", "fd0", "cciss/c0d0"}) {
    all += disk_line(name, 1);
  }
  open();
  sample(all);
  EXPECT_EQ(recorded(), (Devices{"sda", "loop1", "cciss/c0d0"}));
  EXPECT_EQ(sink_.fact("loop1", "backing"), "/tank/image");
  open({{}, true});
  sample(all);
  EXPECT_EQ(recorded(), (Devices{"sda", "sda1", "loop1", "cciss/c0d0"}));
  open({{"zram*", "sd?"}, false});
  sample(all);
  EXPECT_EQ(recorded(), (Devices{"sda", "zram0"})) << "named explicitly, RAM counts too";
  open({{"loop*"}, false});
  sample(all);
  EXPECT_EQ(recorded(), Devices{"loop1"}) << "a loop device without a file has no medium";
}

TEST_F(DiskSamplerTest, DevicesThatGoAreMissingAndComeBackDescribed) {
  disk("sda");
  disk("sdb");
  disk("sdc");
  root_.write("sys/block/sdb/device/wwid", "naa.1\n");
  open();
  sample(disk_line("sda", 1) + disk_line("sdb", 2) + disk_line("sdc", 3));
  sample(disk_line("sda", 1) + disk_line("sdc", 3));
  root_.write("sys/block/sdb/device/wwid", "naa.2\n");
  sample(disk_line("sda", 1) + disk_line("sdc", 3) + disk_line("sdb", 4));
  EXPECT_EQ(sampler_->devices(), 3U);
  const SampleTable table = sampler_->batch().take("");
  // The device that came back is a column of the same name: the table must not hold two.
  ASSERT_EQ(table.devices(), (Devices{"sda", "sdb", "sdc"}));
  const std::size_t sdb = *table.device_index("sdb");
  EXPECT_EQ(table.integer(0, sdb, 0), 2U);
  EXPECT_FALSE(table.present(0, sdb, 1));
  EXPECT_EQ(table.integer(0, sdb, 2), 4U);
  EXPECT_EQ(sink_.fact("sdb", "wwn"), "naa.2");
}

TEST_F(DiskSamplerTest, TheOrderOfTheKernelMayChange) {
  for (const char* name : {"sda", "sdb", "sdc"}) disk(name);
  open();
  sample(disk_line("sda", 1) + disk_line("sdb", 2) + disk_line("sdc", 3));
  sample(disk_line("sdc", 30) + disk_line("sda", 10) + disk_line("sdb", 20));
  const SampleTable table = sampler_->batch().take("");
  EXPECT_EQ(table.devices(), (Devices{"sda", "sdb", "sdc"}));
  EXPECT_EQ(table.integer(0, 0, 1), 10U);
  EXPECT_EQ(table.integer(0, 2, 1), 30U);
}

TEST_F(DiskSamplerTest, IdentityComesFromSysfsAndUdev) {
  disk("sda");
  disk("nvme0n1");
  root_.write("sys/block/sda/device/wwid", "naa.5000c500a1b2c3d4\n");
  root_.write("sys/block/sda/device/model", "ST4000NM0035    \n");
  root_.write("sys/block/sda/device/vendor", "ATA     \n");
  root_.write("sys/block/sda/queue/rotational", "1\n");
  root_.write("sys/block/nvme0n1/wwid", "eui.0025385b71b00000\n");
  root_.write("sys/block/nvme0n1/queue/rotational", "0\n");
  root_.link("dev/disk/by-id/wwn-0x5000c500a1b2c3d4", "../../sda");
  root_.link("dev/disk/by-id/ata-ST4000NM0035_ZC1234", "../../sda");
  root_.link("dev/disk/by-id/ata-ST4000NM0035_ZC1234-part1", "../../sda1");
  open();
  sample(disk_line("sda", 1) + disk_line("nvme0n1", 1));
  EXPECT_EQ(sink_.fact("sda", "by-id"), "ata-ST4000NM0035_ZC1234");
  EXPECT_EQ(sink_.fact("sda", "wwn"), "naa.5000c500a1b2c3d4");
  EXPECT_EQ(sink_.fact("sda", "model"), "ST4000NM0035");
  EXPECT_EQ(sink_.fact("sda", "size"), "1048576");
  EXPECT_EQ(sink_.fact("sda", "rotational"), "1");
  EXPECT_EQ(sink_.fact("nvme0n1", "wwn"), "eui.0025385b71b00000");
  EXPECT_EQ(sink_.facts.size(), 2U);
}

TEST_F(DiskSamplerTest, LinksThatUdevMakesLaterAreFound) {
  disk("sda");
  open();
  sample(disk_line("sda", 1));
  root_.link("dev/disk/by-id/ata-DISK_1", "../../sda");
  sample(disk_line("sda", 1));
  EXPECT_EQ(sink_.fact("sda", "by-id"), "");
  clock_.advance(10s);
  sample(disk_line("sda", 1));
  EXPECT_EQ(sink_.fact("sda", "by-id"), "ata-DISK_1");
  clock_.advance(24h);
  sample(disk_line("sda", 1));
  EXPECT_EQ(sink_.facts.size(), 2U) << "what has not changed is not said again";
}

TEST_F(DiskSamplerTest, PathsOfMultipathNameTheirTopAndTheTopItsPaths) {
  disk("sda");
  disk("sdb");
  disk("dm-0");
  root_.folder("sys/block/sda/holders/dm-0");
  root_.folder("sys/block/sdb/holders/dm-0");
  root_.write("sys/block/dm-0/dm/name", "mpatha\n");
  root_.write("sys/block/dm-0/dm/uuid", "mpath-3600508b4\n");
  open();
  sample(disk_line("sda", 1) + disk_line("sdb", 2) + disk_line("dm-0", 3));
  EXPECT_EQ(recorded(), (Devices{"sda", "sdb", "dm-0"}));
  EXPECT_EQ(sink_.fact("sda", "top"), "dm-0");
  EXPECT_EQ(sink_.fact("sdb", "top"), "dm-0");
  EXPECT_EQ(sink_.fact("dm-0", "paths"), "sda,sdb");
  EXPECT_EQ(sink_.fact("dm-0", "top"), "");
  EXPECT_EQ(sink_.fact("dm-0", "wwn"), "3600508b4");
  EXPECT_EQ(sink_.fact("dm-0", "dm-name"), "mpatha");

  sample(disk_line("sda", 1) + disk_line("dm-0", 3));
  EXPECT_EQ(sink_.fact("dm-0", "paths"), "sda") << "a lost path is told at once";
  open({{"mpath*"}, false});
  sample(disk_line("sda", 1) + disk_line("sdb", 2) + disk_line("dm-0", 3));
  EXPECT_EQ(recorded(), Devices{"dm-0"});
  open({{"sd*"}, false});
  sample(disk_line("sda", 1) + disk_line("sdb", 2) + disk_line("dm-0", 3));
  EXPECT_EQ(sink_.fact("sda", "top"), "") << "a top that is not recorded cannot stand for it";
}

TEST_F(DiskSamplerTest, VolumesOnAPartitionedDisk) {
  disk("vda");
  disk("dm-0");
  root_.write("sys/block/vda/vda1/partition", "1\n");
  root_.write("sys/block/vda/vda2/partition", "2\n");
  root_.folder("sys/block/vda/vda2/holders/dm-0");
  open({{}, true});
  sample(disk_line("vda", 1) + disk_line("vda1", 1) + disk_line("vda2", 1) + disk_line("dm-0", 1));
  EXPECT_EQ(sink_.fact("vda", "top"), "") << "vda1 is used beside the volume";
  EXPECT_EQ(sink_.fact("dm-0", "top"), "vda");
  EXPECT_EQ(sink_.fact("vda1", "top"), "vda");
  EXPECT_EQ(sink_.fact("vda", "paths"), "dm-0,vda1,vda2");
}

TEST_F(DiskSamplerTest, LoopDevicesCountFromWhenTheyGetAFile) {
  disk("loop0");
  open();
  sample(disk_line("loop0", 1));
  EXPECT_EQ(sampler_->devices(), 0U);
  root_.write("sys/block/loop0/loop/backing_file", "/img\n");
  clock_.advance(10s);
  sample(disk_line("loop0", 1));
  sample(disk_line("loop0", 1));
  EXPECT_EQ(sampler_->devices(), 1U);
  root_.remove("sys/block/loop0/loop");
  clock_.advance(10s);
  sample(disk_line("loop0", 1));
  sample(disk_line("loop0", 1));
  EXPECT_EQ(sampler_->devices(), 0U);
}

TEST_F(DiskSamplerTest, ALoopDeviceThatAnswersKeepsItsPlace) {
  disk("loop0");
  root_.write("sys/block/loop0/loop/backing_file", "/img\n");
  open();
  for (int look = 1; look <= 3; ++look) {
    sample(disk_line("loop0", look));
    clock_.advance(10s);
  }
  root_.remove("sys/block/loop0/loop");
  sample(disk_line("loop0", 4));
  sample(disk_line("loop0", 4));
  EXPECT_EQ(sampler_->devices(), 1U) << "it was not looked for";
  clock_.advance(10s);
  sample(disk_line("loop0", 4));
  sample(disk_line("loop0", 4));
  EXPECT_EQ(sampler_->devices(), 0U) << "it is looked at again once it answers nothing";
}

TEST_F(DiskSamplerTest, WithoutSysfsAllIsRecordedAndThatIsSaidOnce) {
  root_.remove("sys");
  open();
  sample(disk_line("sda", 1) + disk_line("sda1", 1));
  sample(disk_line("sda", 1) + disk_line("sda1", 1));
  EXPECT_EQ(recorded(), (Devices{"sda", "sda1"}));
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("partitions cannot be told from disks"), std::string::npos);
}

TEST_F(DiskSamplerTest, GarbledLinesAreLeftOut) {
  disk("sda");
  disk("sdb");
  open();
  sample("garbage\n\n8 0\n   8 0 sdb 1 2 3 4\n" + disk_line("sda", 5));
  EXPECT_EQ(sampler_->devices(), 1U);
  EXPECT_EQ(recorded(), Devices{"sda"});
  EXPECT_EQ(said_.size(), 1U);
}

TEST(DiskSampler, WithoutDiskstatsThereIsAnError) {
  Notices notices([](const std::string&) {});
  const auto opened = DiskSampler::open("/nonexistent", "fs1", {}, notices);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace laggard::collect
