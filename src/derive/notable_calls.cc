#include "derive/notable_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "model/recorded_call.h"
#include "model/syscall_event.h"

namespace laggard::derive {

namespace {

class Notable {
 public:
  explicit Notable(const EventTable& calls)
      : calls_(calls),
        results_(calls.find_attribute("result", AttributeForm::kInteger)),
        ends_(calls.find_attribute("end", AttributeForm::kInteger)),
        errors_(calls.find_attribute("errno", AttributeForm::kWord)),
        kinds_(calls.words().size()),
        is_connection_(calls.words().size()) {
    for (const std::string_view error : kNothingDone) nothing_done_.push_back(calls.words().find(error));
  }

  [[nodiscard]] std::vector<std::uint32_t> find() {
    for (std::uint32_t e = 0; e < calls_.size(); ++e) look(e);
    flush();
    std::ranges::sort(found_);
    return std::move(found_);
  }

 private:
  /// Of a connection in a second.
  struct Talk {
    std::optional<std::uint32_t> read;
    std::optional<std::uint32_t> write;  ///< The first behind it.
  };

  void look(std::uint32_t e) {
    if (is_notable(e)) {
      found_.push_back(e);
      return;
    }
    const Word subject = calls_.subjects()[e];
    if (calls_.whats()[e] == kNoWord || subject == kNoWord || !is_connection(subject)) return;
    const WallTime second = floor_to(calls_.times()[e], std::chrono::seconds(1));
    if (second != second_) {
      flush();
      second_ = second;
    }
    talk(e, kind(calls_.whats()[e]), talks_[subject.value]);
  }

  void talk(std::uint32_t e, CallKind kind, Talk& talk) {
    const auto result = results_ == nullptr ? std::nullopt : results_->bits(e);
    switch (kind) {
      case CallKind::kRead:
      case CallKind::kReceive:
        if (result == 0U) found_.push_back(e);
        if (static_cast<std::int64_t>(result.value_or(0)) > 0) talk = {.read = e, .write = {}};
        return;
      case CallKind::kWrite:
      case CallKind::kSend:
        if (static_cast<std::int64_t>(result.value_or(0)) >= 0 && !talk.write) talk.write = e;
        return;
      case CallKind::kClose:
        found_.push_back(e);
        return;
      case CallKind::kOpen:
      case CallKind::kFile:
      case CallKind::kOther:
        return;
    }
  }

  void flush() {
    for (const auto& [connection, talk] : talks_) {
      if (talk.read) found_.push_back(*talk.read);
      if (talk.write) found_.push_back(*talk.write);
    }
    talks_.clear();
  }

  [[nodiscard]] bool is_notable(std::uint32_t e) const {
    const auto end = ends_ == nullptr ? std::nullopt : ends_->bits(e);
    if (end.value_or(0) != static_cast<std::uint64_t>(SyscallEnd::kReturned)) return true;
    if (calls_.durations()[e] >= kNotablyLong.count()) return true;
    const auto error = errors_ == nullptr ? std::nullopt : errors_->bits(e);
    if (!error) return false;
    const Word word{static_cast<std::uint32_t>(*error)};
    return std::ranges::none_of(nothing_done_, [&](const std::optional<Word>& one) { return one == word; });
  }

  [[nodiscard]] CallKind kind(Word what) {
    std::optional<CallKind>& known = kinds_[what.index()];
    if (!known) known = call_kind(calls_.words().text(what));
    return *known;
  }

  [[nodiscard]] bool is_connection(Word subject) {
    std::optional<bool>& known = is_connection_[subject.index()];
    if (!known) known = tcp_object(calls_.words().text(subject)).has_value();
    return *known;
  }

  const EventTable& calls_;
  const AttributeColumn* results_;
  const AttributeColumn* ends_;
  const AttributeColumn* errors_;
  std::vector<std::optional<Word>> nothing_done_;
  std::vector<std::optional<CallKind>> kinds_;      ///< By word.
  std::vector<std::optional<bool>> is_connection_;  ///< By word.
  std::optional<WallTime> second_;
  std::map<std::uint32_t, Talk> talks_;  ///< By the connection's word, of `second_`.
  std::vector<std::uint32_t> found_;
};

}  // namespace

std::vector<std::uint32_t> notable_calls(const EventTable& calls) { return Notable(calls).find(); }

}  // namespace laggard::derive
