#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/time.h"
#include "model/observation_source.h"
#include "model/profile.h"

namespace laggard::testing_support {

/// Keeps profiles as lines of text, `host kind start+length each: word=count word=count`.
class ProfileLines final : public ObservationSink {
 public:
  [[nodiscard]] Status append(const EventTable& /*table*/) override { return {}; }
  [[nodiscard]] Status append(const ProfileTable& table) override {
    if (full) return fail(ErrorCode::kNoSpace, "rec", "is full");
    for (std::size_t p = 0; p < table.size(); ++p) {
      const ProfileTable::Period& period = table.periods()[p];
      std::string line = fmt::format("{} {} {}+{} {}:", table.host(), table.kind(), to_iso8601(period.start),
                                     to_text(period.length), period.each.count());
      for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
        line += fmt::format(" {}={}", table.words().text(table.seen(p)[i]), table.counts(p)[i]);
      }
      lines.push_back(line);
    }
    return {};
  }

  std::vector<std::string> lines;
  bool full = false;
};

}  // namespace laggard::testing_support
