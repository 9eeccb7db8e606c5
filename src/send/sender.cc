#include "send/sender.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "send/batch.h"
#include "send/remote_write_client.h"
#include "send/schedule.h"
#include "send/window.h"

namespace laggard::send {

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
WallTime from_ms(std::int64_t ms) { return from_unix_ns(ms * kNsPerMs); }

class Sender {
 public:
  Sender(const OpenSource& open, const SendOptions& options, SendTools& tools)
      : open_(open),
        options_(options),
        tools_(tools),
        client_({.transport = tools.transport,
                 .clock = tools.clock,
                 .random = tools.random,
                 .stopped = tools.stopped,
                 .notice_away = [&tools](const std::string& sentence) { tools.observer.away(sentence); }},
                {.path = options.path,
                 .server = options.server,
                 .give_up = options.give_up,
                 .needs_server_at_start = options.needs_server_at_start}) {}

  [[nodiscard]] Status run() {
    for (;;) {
      const bool last_round = out_of_time() || stop_seen_;
      Status sent = send_what_is_there();
      if (!sent) {
        const bool not_yet = options_.follow && sent.error().code == ErrorCode::kNotFound;
        if (!not_yet) return sent;
        note_once(sent.error().message() + " yet; waiting for it");
      }
      if (!options_.follow || last_round || result_.stopped) return {};
      sleep(options_.poll);
    }
  }

  [[nodiscard]] SendResult finish() {
    result_.requests = client_.requests();
    return result_;
  }

 private:
  /// One round: everything that the recording holds now.
  [[nodiscard]] Status send_what_is_there() {
    Result<std::unique_ptr<SeriesSource>> source = open_();
    if (!source) return forward(source);
    Result<Inventory> inventory = (*source)->inventory();
    if (!inventory) return forward(inventory);
    Schedule schedule(*inventory, [this](const StreamKey& stream) { return sent_until(stream); });
    while (const std::optional<Stretch> stretch = schedule.next()) {
      if (Status sent = send_stretch(**source, *stretch, schedule); !sent) return sent;
      if (result_.stopped) return {};
    }
    for (const auto& [stream, last_ms] : schedule.ends()) looked_at_[stream] = last_ms;
    for (const std::string& notice : (*source)->notices()) note_once(notice);
    return {};
  }

  [[nodiscard]] Status send_stretch(SeriesSource& source, const Stretch& stretch, Schedule& schedule) {
    Window window(options_.labels);
    ReadRequest request;
    request.from = from_ms(stretch.from_ms);
    request.to = from_ms(stretch.to_ms);
    Result<std::unique_ptr<TableReader>> reader = source.read(request);
    if (!reader) return forward(reader);
    for (;;) {
      Result<std::optional<SampleTable>> table = (*reader)->next();
      if (!table) return forward(table);
      if (!*table) break;
      window.add(**table, sent_until({(*table)->host(), (*table)->kind()}));
    }
    window.sort();
    result_.rounded += window.rounded();
    schedule.was(stretch, window.samples());
    for (const Batch& batch : cut_batches(window, options_.batch)) {
      // What follows is not lost: it stays in the recording, and the position says where.
      if (out_of_time()) result_.stopped = true;
      if (result_.stopped) return {};
      if (Status sent = send_batch(batch); !sent) return sent;
      tools_.observer.progress({schedule.done(stretch.from_ms), result_.samples, from_ms(stretch.from_ms)});
    }
    return {};
  }

  /// How far a stream needs nothing more: acknowledged, before --from, or looked at without finding anything.
  [[nodiscard]] std::optional<std::int64_t> sent_until(const StreamKey& stream) const {
    std::optional<std::int64_t> until = tools_.positions.of(stream);
    if (!until && options_.from) until = to_ms(*options_.from - Duration{1});
    if (const auto looked = looked_at_.find(stream); looked != looked_at_.end()) {
      until = std::max(until.value_or(looked->second), looked->second);
    }
    return until;
  }

  [[nodiscard]] Status send_batch(const Batch& batch) {
    Result<Delivery> delivery = client_.deliver(encoder_.encode(batch));
    if (!delivery) return tl::unexpected<Error>(explained(std::move(delivery.error()), batch));
    if (*delivery == Delivery::kStopped) {
      result_.stopped = true;
      return {};
    }
    if (*delivery == Delivery::kTaken) return acknowledge(batch, *delivery);
    if (batch.size() == 1) return send_parts(batch.front(), *delivery);
    for (const Slice& slice : batch) {
      if (Status sent = send_batch({slice}); !sent || result_.stopped) return sent;
    }
    return {};
  }

  /// A slice that was refused whole: the server takes requests whole or not at all, so the samples that it
  /// lacks have to be found.
  [[nodiscard]] Status send_parts(const Slice& slice, Delivery refused) {
    const std::vector<Slice> rows = rows_of(slice);
    if (rows.size() == 1) return acknowledge({slice}, refused);
    if (refused == Delivery::kTooOld) return send_halves(rows);
    // It has the beginning: what it has is always all up to some time. Single times until one is new.
    for (std::size_t at = 0; at < rows.size(); ++at) {
      Result<Delivery> delivery = client_.deliver(encoder_.encode({rows[at]}));
      if (!delivery) return tl::unexpected<Error>(explained(std::move(delivery.error()), {rows[at]}));
      if (*delivery == Delivery::kStopped) {
        result_.stopped = true;
        return {};
      }
      if (Status noted = acknowledge({rows[at]}, *delivery); !noted) return noted;
      if (*delivery == Delivery::kTaken && at + 1 < rows.size()) {
        return send_batch({joined(std::span(rows).subspan(at + 1))});
      }
    }
    return {};
  }

  /// What is too old is so up to some time, which moves; a half that holds it is given up with it.
  [[nodiscard]] Status send_halves(const std::vector<Slice>& rows) {
    const std::size_t middle = rows.size() / 2;
    for (const auto half : {std::span(rows).first(middle), std::span(rows).subspan(middle)}) {
      const Batch batch{joined(half)};
      Result<Delivery> delivery = client_.deliver(encoder_.encode(batch));
      if (!delivery) return tl::unexpected<Error>(explained(std::move(delivery.error()), batch));
      if (*delivery == Delivery::kStopped) {
        result_.stopped = true;
        return {};
      }
      if (Status noted = acknowledge(batch, *delivery); !noted) return noted;
    }
    return {};
  }

  /// The server has these, or never will: the positions move past them.
  [[nodiscard]] Status acknowledge(const Batch& batch, Delivery delivery) {
    const std::uint64_t samples = samples_of(batch);
    if (delivery == Delivery::kTaken) result_.samples += samples;
    if (delivery == Delivery::kKnown) result_.known += samples;
    if (delivery == Delivery::kTooOld) result_.too_old += samples;
    for (const Slice& slice : batch) {
      if (slice.complete_to_ms) tools_.positions.advance(slice.stream, *slice.complete_to_ms);
      if (delivery == Delivery::kTaken) note_times(slice);
    }
    return tools_.positions.save();
  }

  void note_times(const Slice& slice) {
    for (const Part& part : slice.parts) {
      const WallTime first = from_ms(part.samples.front().ms);
      const WallTime last = from_ms(part.samples.back().ms);
      result_.first = std::min(result_.first.value_or(first), first);
      result_.last = std::max(result_.last.value_or(last), last);
    }
  }

  /// Which samples it was about, or how to go on.
  [[nodiscard]] Error explained(Error error, const Batch& batch) const {
    if (error.code == ErrorCode::kUnavailable) {
      if (result_.samples > 0) {
        error.what +=
            fmt::format("; {} samples were sent, send again to go on", with_separators(result_.samples));
      }
      return error;
    }
    const Slice& slice = batch.front();
    error.what += fmt::format(" (to {} samples, the first of host {} at {})", samples_of(batch),
                              slice.stream.host, to_iso8601(from_ms(slice.parts.front().samples.front().ms)));
    return error;
  }

  /// Whether to end before everything was sent. Who follows sends what was appended until then, which is
  /// little, unless there is much.
  [[nodiscard]] bool out_of_time() {
    constexpr Duration kToFlush = std::chrono::seconds(10);
    if (!tools_.stopped()) return false;
    if (!stop_seen_) stop_seen_ = tools_.clock.mono();
    return !options_.follow || tools_.clock.mono() - *stop_seen_ > kToFlush;
  }

  void note_once(const std::string& sentence) {
    if (std::find(noted_.begin(), noted_.end(), sentence) != noted_.end()) return;
    constexpr std::size_t kMostKept = 1000;
    if (noted_.size() < kMostKept) noted_.push_back(sentence);
    tools_.observer.notice(sentence);
  }

  void sleep(Duration wait) {
    const MonoTime end = tools_.clock.mono() + wait;
    while (tools_.clock.mono() < end && !tools_.stopped()) tools_.clock.sleep_until(end);
  }

  const OpenSource& open_;
  const SendOptions& options_;
  SendTools& tools_;
  RemoteWriteClient client_;
  Encoder encoder_;
  SendResult result_;
  std::map<StreamKey, std::int64_t> looked_at_;
  std::vector<std::string> noted_;
  std::optional<MonoTime> stop_seen_;
};

}  // namespace

Result<SendResult> send_recording(const OpenSource& open, const SendOptions& options, SendTools& tools) {
  Sender sender(open, options, tools);
  if (Status sent = sender.run(); !sent) return forward(sent);
  return sender.finish();
}

}  // namespace laggard::send
