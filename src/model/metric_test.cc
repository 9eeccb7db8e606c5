#include "model/metric.h"

#include <gtest/gtest.h>

#include <set>

namespace laggard {
namespace {

/// The parts of a formula that its shape needs; all others are empty.
struct Parts {
  bool per = false;
  bool may_be_computed = false;
  bool stall = false;
  bool sent = false;
  bool packets = false;
};

Parts parts_of(FormulaShape shape) {
  switch (shape) {
    case FormulaShape::kRate:
      return {.may_be_computed = true};
    case FormulaShape::kRatio:
      return {.per = true, .may_be_computed = true};
    case FormulaShape::kWait:
      return {.per = true, .may_be_computed = true, .stall = true};
    case FormulaShape::kSenders:
    case FormulaShape::kUsers:
    case FormulaShape::kUsersShare:
      return {.sent = true};
    case FormulaShape::kPacketShare:
      return {.packets = true};
    case FormulaShape::kMeanCount:
    case FormulaShape::kBusyShare:
    case FormulaShape::kGauge:
    case FormulaShape::kTotal:
      return {};
  }
  return {};
}

CounterForm form_of(const MetricSpec& metric, std::string_view counter) {
  const CounterSpec* spec = find_counter(metric.kind, counter);
  EXPECT_NE(spec, nullptr) << metric.name << " reads " << counter;
  return spec == nullptr ? CounterForm::kComputedRate : spec->form;
}

TEST(Metrics, NamesAndTitlesAreUnique) {
  std::set<std::string_view> names;
  std::set<std::string_view> titles;
  for (const MetricSpec& metric : metric_catalogue()) {
    EXPECT_TRUE(!metric.name.empty() && names.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(!metric.title.empty() && titles.insert(metric.title).second) << metric.name;
    EXPECT_EQ(find_metric(metric.name), &metric);
  }
  EXPECT_EQ(find_metric("no such metric"), nullptr);
  EXPECT_EQ(find_metric("await")->title, "Latency per request");
}

TEST(Metrics, RowsAreComplete) {
  for (const MetricSpec& metric : metric_catalogue()) {
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
    EXPECT_GE(metric.noise_floor, metric.noise_floor_flash) << metric.name;
    EXPECT_GE(metric.noise_floor_flash, 0) << metric.name;
    EXPECT_TRUE(metric.resource == Resource::kStorage || metric.kind != DeviceKind::kDisk) << metric.name;
    if (metric.quantity == Quantity::kOther) continue;
    for (const MetricSpec& other : metric_catalogue()) {
      EXPECT_TRUE(&other == &metric || other.quantity != metric.quantity)
          << metric.name << " and " << other.name
          << " measure one quantity: which is the one that is asked for?";
    }
  }
  for (const Resource resource : {Resource::kStorage, Resource::kNetwork}) {
    for (const Quantity quantity : moved(resource)) {
      int found = 0;
      for (const MetricSpec& metric : metric_catalogue()) {
        found += metric.quantity == quantity && metric.resource == resource ? 1 : 0;
      }
      EXPECT_EQ(found, 1) << to_name(resource);
    }
  }
}

TEST(Metrics, ServiceTimesAreOfTheWitnessOfSystemCalls) {
  std::set<std::string_view> names;
  for (const MetricSpec& metric : metric_catalogue()) {
    if (metric.witness() == "syscalls") names.insert(metric.name);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"dread", "dwrite", "dwrite-direct", "nsread", "ncread"}));
}

TEST(Metrics, InputsAreKnownCounters) {
  for (const MetricSpec& metric : metric_catalogue()) {
    std::size_t inputs = 0;
    for (const DeviceKindSpec& kind : device_kinds()) {
      for (const std::string_view counter : metric.inputs(kind.kind)) {
        if (counter.empty()) continue;
        ++inputs;
        EXPECT_NE(find_counter(kind.kind, counter), nullptr) << metric.name << " reads " << counter;
      }
    }
    EXPECT_GT(inputs, 0U) << metric.name;
  }
}

TEST(Metrics, FormulasHaveTheInputsOfTheirShape) {
  for (const MetricSpec& metric : metric_catalogue()) {
    const FormulaSpec& formula = metric.formula;
    const Parts parts = parts_of(formula.shape);
    EXPECT_FALSE(formula.counted.terms[0].empty()) << metric.name;
    EXPECT_EQ(!formula.per.terms[0].empty(), parts.per) << metric.name;
    EXPECT_TRUE(formula.computed_rate.empty() || parts.may_be_computed) << metric.name;
    EXPECT_EQ(!formula.stall.in_flight.empty() && !formula.stall.queue_ms.empty(), parts.stall)
        << metric.name;
    EXPECT_EQ(!formula.sent.empty(), parts.sent) << metric.name;
    EXPECT_EQ(!formula.packets.sent.empty() && !formula.packets.received.empty(), parts.packets)
        << metric.name;
    EXPECT_TRUE(!parts.stall || metric.kind == DeviceKind::kDisk) << "only disks are watched for stalls";
    const bool of_host = parts.sent || parts.packets || formula.shape == FormulaShape::kTotal;
    EXPECT_TRUE(formula.shape == FormulaShape::kRatio || of_host == (metric.kind == DeviceKind::kTcp))
        << metric.name << ": connections are told of as those of a host";
    for (const CounterSum& sum : {formula.counted, formula.per}) {
      EXPECT_TRUE(!sum.terms[0].empty() || (sum.total.empty() && sum.also.empty())) << metric.name;
    }
  }
}

TEST(Metrics, IncreasesAreOfCountersAndLevelsAreNot) {
  for (const MetricSpec& metric : metric_catalogue()) {
    const FormulaSpec& formula = metric.formula;
    const bool momentary = formula.shape == FormulaShape::kGauge || formula.shape == FormulaShape::kSenders ||
                           formula.shape == FormulaShape::kUsers || formula.shape == FormulaShape::kTotal;
    for (const CounterSum& sum : {formula.counted, formula.per}) {
      for (const std::string_view counter : {sum.terms[0], sum.terms[1], sum.total, sum.also}) {
        if (counter.empty()) continue;
        EXPECT_EQ(form_of(metric, counter) == CounterForm::kCumulative, !momentary)
            << metric.name << ' ' << counter;
      }
    }
    if (!formula.computed_rate.empty()) {
      EXPECT_EQ(form_of(metric, formula.computed_rate), CounterForm::kComputedRate) << metric.name;
      EXPECT_EQ(find_counter(metric.kind, formula.computed_rate)->unit, metric.unit)
          << "it stands in for the metric";
    }
  }
}

/// A share of time is one of the time's own unit, and only connections have two ends.
TEST(Metrics, SharesOfTimeHaveTheirUnit) {
  for (const MetricSpec& metric : metric_catalogue()) {
    const FormulaShape shape = metric.formula.shape;
    EXPECT_TRUE(metric.end == ConnectionEnd::kEither || metric.kind == DeviceKind::kTcp) << metric.name;
    if (shape != FormulaShape::kBusyShare && shape != FormulaShape::kUsersShare) continue;
    const std::string_view unit = find_counter(metric.kind, metric.formula.counted.terms[0])->unit;
    EXPECT_EQ(metric.formula.divisor, unit == "ms" ? 1e3 : unit == "us" ? 1e6 : 0) << metric.name;
    EXPECT_TRUE(metric.unit.starts_with('%')) << metric.name;
  }
}

TEST(Metrics, WhoWaitsForDisksAgreesOnWhatAStallIs) {
  const MetricSpec& await = *find_metric("await");
  for (const MetricSpec& metric : metric_catalogue()) {
    if (metric.formula.shape != FormulaShape::kWait) continue;
    EXPECT_EQ(metric.formula.stall.in_flight, await.formula.stall.in_flight) << metric.name;
    EXPECT_EQ(metric.formula.stall.queue_ms, await.formula.stall.queue_ms) << metric.name;
    if (metric.quantity == Quantity::kReadLatency) continue;  // Reads wait when no request is done.
    EXPECT_EQ(metric.formula.per.terms, await.formula.per.terms) << metric.name;
  }
}

}  // namespace
}  // namespace laggard
