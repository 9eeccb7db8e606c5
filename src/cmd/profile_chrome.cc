#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "cmd/profile_forms.h"
#include "cmd/profile_frames.h"
#include "report/json_writer.h"

namespace laggard::cmd {

namespace {

using report::JsonWriter;

constexpr double kMicrosPerSecond = 1e6;

/// A number for a name, which the format wants for processes and threads.
std::int64_t number_of(std::string_view name) { return static_cast<std::int64_t>(checksum(name) >> 34U); }

/// A function in the stacks of a program, and what it calls.
struct Node {
  std::uint64_t count = 0;  ///< With all that it calls.
  std::map<std::string, Node> calls;
};

class ChromeWriter final : public ProfileWriter {
 public:
  explicit ChromeWriter(LineWriter& out) : out_(out) {}

  [[nodiscard]] Status add(const ProfileTable& table, std::span<const std::uint32_t> periods) override;
  [[nodiscard]] Status finish() override;

 private:
  /// Where a period is drawn: the unit of what follows are counts.
  struct Scale {
    std::int64_t host = 0;
    std::int64_t program = 0;
    std::int64_t begin_us = 0;
    double us_per_count = 0;
    double each_ms = 0;  ///< 0: unknown.
  };

  [[nodiscard]] Status begin();
  [[nodiscard]] Status write(JsonWriter& json);
  [[nodiscard]] Status name(std::string_view what, std::string_view name, std::int64_t host,
                            std::int64_t program);
  [[nodiscard]] Status add_period(const ProfileTable& table, std::uint32_t p);
  [[nodiscard]] Status draw(const Scale& scale, const std::string& name, const Node& root);
  [[nodiscard]] Status draw_slice(const Scale& scale, std::string_view name, double at, std::uint64_t count);

  LineWriter& out_;
  bool begun_ = false;
  std::set<std::pair<std::int64_t, std::int64_t>> named_;
};

Status ChromeWriter::begin() {
  if (begun_) return {};
  begun_ = true;
  return out_.write(
      "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"laggard\"}}");
}

Status ChromeWriter::finish() {
  Status begun = begin();
  return begun ? out_.write("\n]}\n") : begun;
}

Status ChromeWriter::write(JsonWriter& json) { return out_.write(",\n" + json.take()); }

Status ChromeWriter::name(std::string_view what, std::string_view name, std::int64_t host,
                          std::int64_t program) {
  if (!named_.emplace(host, program).second) return {};
  JsonWriter json(JsonWriter::Style::kCompact);
  json.begin_object();
  json.member("ph", "M");
  json.member("name", what);
  json.integer_member("pid", host);
  json.integer_member("tid", program);
  json.key("args");
  json.begin_object();
  json.member("name", name);
  json.end_object();
  json.end_object();
  return write(json);
}

Status ChromeWriter::draw_slice(const Scale& scale, std::string_view name, double at, std::uint64_t count) {
  const auto counts = static_cast<double>(count);
  // Whole microseconds on both ends: Perfetto takes no slices that overlap by a rounding.
  const std::int64_t begin = scale.begin_us + std::llround(at * scale.us_per_count);
  const std::int64_t end = scale.begin_us + std::llround((at + counts) * scale.us_per_count);
  JsonWriter json(JsonWriter::Style::kCompact);
  json.begin_object();
  json.member("name", name);
  json.member("ph", "X");
  json.integer_member("ts", begin);
  json.integer_member("dur", end - begin);
  json.integer_member("pid", scale.host);
  json.integer_member("tid", scale.program);
  json.key("args");
  json.begin_object();
  json.integer_member("count", static_cast<std::int64_t>(count));
  if (scale.each_ms > 0) json.member("cpu_ms", counts * scale.each_ms);
  json.end_object();
  json.end_object();
  return write(json);
}

Status ChromeWriter::draw(const Scale& scale, const std::string& name, const Node& root) {
  struct Due {
    const std::string* name;
    const Node* node;
    double at;  ///< In counts.
  };
  // A list instead of recursion: stacks may be as deep as a word is long.
  std::vector<Due> due{{&name, &root, 0}};
  while (!due.empty()) {
    const Due next = due.back();
    due.pop_back();
    if (Status drawn = draw_slice(scale, *next.name, next.at, next.node->count); !drawn) return drawn;
    double at = next.at;
    for (const auto& [called, node] : next.node->calls) {
      due.push_back({&called, &node, at});
      at += static_cast<double>(node.count);
    }
  }
  return {};
}

Status ChromeWriter::add_period(const ProfileTable& table, std::uint32_t p) {
  const ProfileTable::Period& period = table.periods()[p];
  std::map<std::string, Node> programs;
  double all = 0;
  for (std::size_t i = 0; i < table.seen(p).size(); ++i) {
    const std::uint64_t count = table.counts(p)[i];
    std::map<std::string, Node>* calls = &programs;
    for (const ProfileFrame& frame : frames_of(table.kind(), table.words().text(table.seen(p)[i]))) {
      Node& node = (*calls)[frame.name];
      node.count += count;
      calls = &node.calls;
    }
    all += static_cast<double>(count);
  }
  Scale scale{
      .host = number_of(table.host()),
      .program = 0,
      .begin_us = std::chrono::floor<std::chrono::microseconds>(period.start.time_since_epoch()).count(),
      .us_per_count = all > 0 ? to_seconds(period.length) * kMicrosPerSecond / all : 0,
      .each_ms = to_seconds(period.each) * 1e3};
  for (const auto& [program, node] : programs) {
    scale.program = number_of(program);
    if (Status named = name("thread_name", program, scale.host, scale.program); !named) return named;
    if (Status drawn = draw(scale, program, node); !drawn) return drawn;
  }
  return {};
}

Status ChromeWriter::add(const ProfileTable& table, std::span<const std::uint32_t> periods) {
  if (Status begun = begin(); !begun) return begun;
  constexpr std::int64_t kWhole = -1;  // Of the host itself.
  if (Status named = name("process_name", table.host(), number_of(table.host()), kWhole); !named)
    return named;
  for (const std::uint32_t p : periods) {
    if (Status added = add_period(table, p); !added) return added;
  }
  return {};
}

}  // namespace

std::unique_ptr<ProfileWriter> make_chrome_writer(LineWriter& out, const std::vector<std::string>& /*kept*/) {
  return std::make_unique<ChromeWriter>(out);
}

}  // namespace laggard::cmd
