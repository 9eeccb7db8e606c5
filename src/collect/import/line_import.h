#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/time.h"
#include "collect/import/import.h"
#include "collect/import/line_reader.h"
#include "collect/import/members.h"
#include "model/event.h"
#include "model/observation_source.h"

namespace laggard::collect {

/// What importers of texts have in common, be these of events or of profiles: reads files line by line,
/// packed or archives of many. In the result `values` are events or samples.
class LineImport {
 public:
  /// Where lines come from.
  struct Place {
    std::filesystem::path file;
    std::string where;  ///< With the member of an archive.
  };
  /// Reads a member to its end. The place of an error is added where it has none.
  using ReadLines = std::function<Status(LineReader& lines, const Place& place)>;

  LineImport(const LineImport&) = delete;
  LineImport& operator=(const LineImport&) = delete;
  virtual ~LineImport() = default;

  /// A bad file is reported in the result, what stood before its bad line stays, and the next one is read.
  /// Fails as a whole only when the sink fails.
  [[nodiscard]] Status run(std::span<const std::filesystem::path> files, const ReadLines& read);
  void count_line() { ++state_.lines; }
  /// Counts a line that is none, where such are passed over.
  void pass_over() { result_.passed_over = result_.passed_over.value_or(0) + 1; }
  void notice(const std::string& sentence) { observer_.notice(sentence); }
  [[nodiscard]] const ImportResult& so_far() const { return result_; }
  [[nodiscard]] ImportResult finish();

 protected:
  LineImport(ImportObserver& observer, const UnpackLimits& limits, LineReader::Overlong overlong)
      : observer_(observer), limits_(limits), overlong_(overlong) {}

  /// Hands on what was gathered.
  [[nodiscard]] virtual Status flush() = 0;
  void count_value(std::string_view host, WallTime time);
  /// Gives its status back.
  [[nodiscard]] Status appended(Status status) {
    sink_failed_ = sink_failed_ || !status;
    return status;
  }

 private:
  [[nodiscard]] Status read_file(const std::filesystem::path& file, const ReadLines& read);
  [[nodiscard]] Status read_member(const std::filesystem::path& file, Members& members,
                                   const ReadLines& read);

  ImportObserver& observer_;
  UnpackLimits limits_;
  LineReader::Overlong overlong_;
  ImportState state_;
  ImportResult result_;
  std::uint64_t done_ = 0;  ///< Bytes of the files that are finished.
  std::set<std::string, std::less<>> hosts_;
  bool sink_failed_ = false;
};

/// Gathers events by host until they go to a sink.
/// \tparam Appender  made of a table, which outlives it; its `append` adds one event, or says that there is
/// no room.
template <typename Appender>
class AppendingImport final : public LineImport {
 public:
  AppendingImport(std::string_view kind, ObservationSink& sink, ImportObserver& observer,
                  const UnpackLimits& limits, LineReader::Overlong overlong = LineReader::Overlong::kError)
      : LineImport(observer, limits, overlong), kind_(kind), sink_(sink) {}

  /// \param event  what the appender takes, with the member `time`.
  template <typename Event>
  [[nodiscard]] Status put(std::string_view host, const Event& event) {
    if (!waiting(host).appender.append(event)) {
      if (Status flushed = flush(); !flushed) return flushed;
      if (!waiting(host).appender.append(event)) {
        return fail(ErrorCode::kBadInput, "", "has a name that is too long");
      }
    }
    count_value(host, event.time);
    return ++events_ < kMostWaiting ? Status{} : flush();
  }

 private:
  /// Events that are gathered, of all hosts together.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 16;
  struct Waiting {
    Waiting(std::string_view host, const std::string& kind)
        : table(std::make_unique<EventTable>(std::string(host), kind)), appender(*table) {}
    std::unique_ptr<EventTable> table;
    Appender appender;
  };

  [[nodiscard]] Waiting& waiting(std::string_view host) {
    const auto known = waiting_.find(host);
    if (known != waiting_.end()) return known->second;
    return waiting_.try_emplace(std::string(host), host, kind_).first->second;
  }

  [[nodiscard]] Status flush() override {
    events_ = 0;
    for (const auto& [host, waiting] : waiting_) {
      if (waiting.table->empty()) continue;
      if (Status status = appended(sink_.append(*waiting.table)); !status) return status;
    }
    waiting_.clear();
    return {};
  }

  std::string kind_;
  ObservationSink& sink_;
  std::map<std::string, Waiting, std::less<>> waiting_;
  std::size_t events_ = 0;
};

/// When a file was written last; nothing for standard input.
[[nodiscard]] std::optional<WallTime> last_written(const std::filesystem::path& file);

}  // namespace laggard::collect
