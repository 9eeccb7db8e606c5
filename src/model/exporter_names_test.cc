#include "model/exporter_names.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <string>

namespace laggard {
namespace {

/// Seconds and bytes come back as the kernel's whole numbers: node_exporter multiplies by 0.001 and by 512.
TEST(ExporterNames, ConversionsAreExact) {
  const ExportedCounter* ms = find_exported("node_disk_io_time_seconds_total");
  const ExportedCounter* sectors = find_exported("node_disk_written_bytes_total");
  ASSERT_TRUE(ms != nullptr && sectors != nullptr);
  for (std::uint64_t value = 1; value < (std::uint64_t{1} << 43U); value = value * 3 / 2 + 1) {
    EXPECT_EQ(stored_value(*ms, fmt::format("{}", static_cast<double>(value) * 0.001)), value);
    EXPECT_EQ(stored_value(*sectors, fmt::format("{}", static_cast<double>(value) * 512)), value);
  }
  for (std::uint64_t value = 1; value < (std::uint64_t{1} << 43U); value = value * 3 / 2 + 1) {
    EXPECT_EQ(stored_value(*ms, fmt::format("{}", exported_value(*ms, value))), value);
    EXPECT_EQ(stored_value(*sectors, fmt::format("{}", exported_value(*sectors, value))), value);
  }
  for (const ExportedCounter& exported : exported_counters()) {
    if (exported.counter.empty()) continue;
    EXPECT_NE(find_counter(exported.kind, exported.counter), nullptr) << exported.counter;
  }
}

TEST(ExporterNames, EveryCounterHasAMetricThatLeadsBackToIt) {
  for (const CounterSpec& spec : known_counters()) {
    const ExportedCounter& exported = exported_as(spec.kind, {std::string(spec.name), spec.form});
    EXPECT_EQ(exported.counter, spec.name);
    EXPECT_EQ(exported.kind, spec.kind);
    EXPECT_EQ(find_exported(exported.metric), &exported);
  }
  EXPECT_EQ(exported_as(DeviceKind::kDisk, {"rd_ios", CounterForm::kCumulative}).metric,
            "node_disk_reads_completed_total");
}

TEST(ExporterNames, CountersOfOtherNamesAndFormsGoUnderALabel) {
  const std::map<CounterForm, std::string> ending{{CounterForm::kCumulative, "counter_total"},
                                                  {CounterForm::kGauge, "level"},
                                                  {CounterForm::kComputedRate, "gauge"}};
  for (const DeviceKindSpec& spec : device_kinds()) {
    const DeviceKind kind = spec.kind;
    for (const CounterForm form :
         {CounterForm::kCumulative, CounterForm::kGauge, CounterForm::kComputedRate}) {
      for (const char* name : {"", "vendor.errors"}) {
        const ExportedCounter& exported = exported_as(kind, {name, form});
        EXPECT_EQ(exported.kind, kind);
        EXPECT_EQ(exported.counter, "");
        EXPECT_EQ(exported.form(), form);
        EXPECT_EQ(exported.metric, fmt::format("laggard_{}_{}", spec.name, ending.at(form)));
      }
    }
  }
}

TEST(ExporterNames, GaugesKeepTheirBits) {
  const ExportedCounter& gauge = exported_as(DeviceKind::kDisk, {"await", CounterForm::kComputedRate});
  for (const double value : {0.0, -3.25, 0.1, 1e300, 123456.789}) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    EXPECT_EQ(stored_value(gauge, fmt::format("{}", exported_value(gauge, bits))), bits);
  }
  EXPECT_FALSE(stored_value(gauge, "NaN"));
  EXPECT_FALSE(stored_value(exported_as(DeviceKind::kTcp, {"lost", CounterForm::kGauge}), "-1"));
}

TEST(ExporterNames, InstancesLeadBackToTheirHosts) {
  for (const char* host : {"fs1", "fs1.example.org", "::1", "fs1:9100", "[odd]", "10.0.0.1"}) {
    EXPECT_EQ(host_of_instance(instance_of_host(host)), host);
  }
  EXPECT_EQ(instance_of_host("fs1"), "fs1");
  EXPECT_EQ(host_of_instance("fs1:9100"), "fs1");
  EXPECT_EQ(host_of_instance("[::1]:9100"), "::1");
}

}  // namespace
}  // namespace laggard
