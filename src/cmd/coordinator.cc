#include "cmd/coordinator.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/bytes.h"
#include "cmd/judge_shard.h"
#include "engine/frame_log.h"

namespace laggard::cmd {

namespace {

/// The first byte of a message.
enum class Word : char {
  kHere = 'h',     ///< To rank 0: the fingerprint of what is to be judged.
  kFailed = 'e',   ///< To rank 0: an error, after which nothing comes but kStopped.
  kBegin = 'b',    ///< From rank 0: the cell after which to judge.
  kGoHome = 'g',   ///< From rank 0, instead.
  kLog = 't',      ///< To rank 0: runs and notices of the shard at hand.
  kDone = 'd',     ///< To rank 0: that was the shard.
  kStopped = 'f',  ///< To rank 0: the last message.
};

/// A message is sent when it has grown to this.
constexpr std::size_t kMessageBytes = std::size_t{1} << 22;
constexpr std::size_t kLongestText = std::size_t{1} << 20;

std::string message(Word word, std::string_view text = {}) {
  std::string bytes(1, static_cast<char>(word));
  bytes += text;
  return bytes;
}

Word word_of(std::string_view bytes) {
  return bytes.empty() ? Word::kStopped : static_cast<Word>(bytes.front());
}

std::string to_bytes(const Error& error) {
  ByteWriter out;
  out.varint(static_cast<std::uint64_t>(error.code));
  out.text(error.where);
  out.text(error.what);
  return out.take();
}

Error error_of(std::size_t rank, std::string_view bytes) {
  ByteReader in(bytes);
  Error error;
  error.code = static_cast<ErrorCode>(in.count(static_cast<std::size_t>(ErrorCode::kInternal)));
  const std::string where(in.text(kLongestText));
  error.where = fmt::format("rank {}{}{}", rank, where.empty() ? "" : ": ", where);
  error.what = in.text(kLongestText);
  return error;
}

Error nonsense(std::size_t rank) {
  return {ErrorCode::kInternal, fmt::format("rank {}", rank),
          "said something that this rank does not understand"};
}

/// Gathers what a shard gives, as logs of a message's size.
class Outbox {
 public:
  void add(engine::FrameKind kind, std::string_view payload) {
    if (messages_.empty() || messages_.back().size() >= kMessageBytes) {
      messages_.push_back(message(Word::kLog, engine::FrameLogWriter::magic()));
      writer_ = engine::FrameLogWriter();
    }
    messages_.back() += writer_.frame(kind, payload);
  }
  void send(Ranks& ranks) {
    for (const std::string& one : messages_) ranks.send(0, one);
    messages_.clear();
  }

 private:
  std::vector<std::string> messages_;
  engine::FrameLogWriter writer_;
};

/// What a shard gives.
struct Takers {
  const Coordinator::Sink& runs;
  std::vector<std::string>& notices;
  std::vector<std::string>& damaged;
};

Status take_log(std::string_view bytes, const engine::RunShape& shape, const Takers& takers) {
  engine::FrameLogReader log(bytes);
  while (const auto frame = log.next()) {
    if (frame->kind == engine::FrameKind::kNotice) takers.notices.emplace_back(frame->payload);
    if (frame->kind == engine::FrameKind::kDamage) takers.damaged.emplace_back(frame->payload);
    if (frame->kind != engine::FrameKind::kRun) continue;
    auto run = engine::decode_run(frame->payload, shape);
    if (!run) return forward(run);
    if (Status taken = takers.runs(*run); !taken) return taken;
  }
  if (log.state() != engine::FrameLogState::kSound) {
    return fail(ErrorCode::kInternal, "", "what a rank sent did not arrive as it was sent");
  }
  return {};
}

}  // namespace

void Coordinator::stop() {
  if (std::exchange(stopped_, true)) return;
  for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
    if (stages_[rank] != Stage::kUnheard) continue;
    stages_[rank] = word_of(ranks_.receive(rank)) == Word::kHere ? Stage::kWaiting : Stage::kWorking;
  }
  bool working = false;
  for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
    working = working || stages_[rank] == Stage::kWorking;
    if (stages_[rank] != Stage::kWaiting) continue;
    ranks_.send(rank, message(Word::kGoHome));
    stages_[rank] = Stage::kWorking;
  }
  if (working) ranks_.call_off();
  for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
    while (stages_[rank] == Stage::kWorking) {
      if (word_of(ranks_.receive(rank)) == Word::kStopped) stages_[rank] = Stage::kStopped;
    }
  }
  ranks_.leave();
}

Status Coordinator::start(const Fingerprint& own) {
  for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
    const std::string said = ranks_.receive(rank);
    const bool failed = word_of(said) == Word::kFailed;
    stages_[rank] = failed ? Stage::kWorking : Stage::kWaiting;
    const std::string_view text = std::string_view(said).substr(1);
    if (failed) return tl::unexpected<Error>(error_of(rank, text));
    const auto theirs = parse_fingerprint(text);
    if (!theirs) return tl::unexpected<Error>(nonsense(rank));
    const std::string_view differs = difference(own, *theirs);
    if (differs.empty()) continue;
    return fail(
        ErrorCode::kBadUse, fmt::format("rank {}", rank),
        fmt::format("sees {} than rank 0; all ranks need the same recordings under the same name, and "
                    "the same laggard",
                    differs));
  }
  return {};
}

Status Coordinator::judge_own(AnalysisSetup& setup, const engine::Shard& shard, const Sink& sink) {
  Status taken;
  Status judged = judge_shard(
      setup, shard,
      [&](detect::JudgedRun& run) {
        if (taken) taken = sink(run);
      },
      [&] { return !taken; });
  if (!judged) return judged;
  return taken;
}

Status Coordinator::take_shard(std::size_t rank, const engine::RunShape& shape, const Sink& sink) {
  for (;;) {
    const std::string said = ranks_.receive(rank);
    const std::string_view text = std::string_view(said).substr(said.empty() ? 0 : 1);
    switch (word_of(said)) {
      case Word::kLog:
        if (Status taken = take_log(text, shape, {sink, notices_, damaged_}); !taken) return taken;
        break;
      case Word::kDone:
        return {};
      case Word::kFailed:
        return tl::unexpected<Error>(error_of(rank, text));
      case Word::kHere:
      case Word::kBegin:
      case Word::kGoHome:
      case Word::kStopped:
        return tl::unexpected<Error>(nonsense(rank));
    }
  }
}

Status Coordinator::judge(AnalysisSetup& setup, std::int64_t after, const Sink& sink) {
  ByteWriter begin;
  begin.zigzag(after);
  for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
    ranks_.send(rank, message(Word::kBegin, begin.str()));
    stages_[rank] = Stage::kWorking;
  }
  const engine::RunShape shape = run_shape(setup);
  const std::vector<engine::Shard> shards = plan_shards(setup, after, ranks_.count());
  for (std::size_t p = 0; p < shards.size(); ++p) {
    const std::size_t rank = p % ranks_.count();
    Status judged = rank == 0 ? judge_own(setup, shards[p], sink) : take_shard(rank, shape, sink);
    if (!judged) return judged;
  }
  for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
    if (word_of(ranks_.receive(rank)) != Word::kStopped) return tl::unexpected<Error>(nonsense(rank));
    stages_[rank] = Stage::kStopped;
  }
  return {};
}

namespace {

/// The shards that are this rank's.
Status work(Ranks& ranks, AnalysisSetup& setup, std::int64_t after) {
  const std::vector<engine::Shard> shards = plan_shards(setup, after, ranks.count());
  for (std::size_t p = ranks.rank(); p < shards.size(); p += ranks.count()) {
    Outbox outbox;
    Status judged = judge_shard(
        setup, shards[p],
        [&](detect::JudgedRun& run) { outbox.add(engine::FrameKind::kRun, engine::encode_run(run)); },
        [&] { return ranks.called_off(); });
    if (!judged) return judged;
    if (ranks.called_off()) return {};
    // First: who keeps the runs must not do so without what was damaged in them.
    Outbox notices;
    for (const std::string& notice : setup.source->notices()) {
      notices.add(engine::FrameKind::kNotice, notice);
    }
    for (const std::string& file : setup.source->damaged()) notices.add(engine::FrameKind::kDamage, file);
    notices.send(ranks);
    outbox.send(ranks);
    ranks.send(0, message(Word::kDone));
  }
  return {};
}

Status try_to_work(Ranks& ranks, const AnalysisOptions& options, Result<AnalysisSetup>& setup) {
  if (!setup) return forward(setup);
  auto own = fingerprint(options, *setup);
  if (!own) return forward(own);
  ranks.send(0, message(Word::kHere, fingerprint_text(*own)));
  const std::string said = ranks.receive(0);
  if (word_of(said) != Word::kBegin) return {};
  ByteReader in(std::string_view(said).substr(1));
  return work(ranks, *setup, in.zigzag());
}

}  // namespace

void work_for_coordinator(Ranks& ranks, const AnalysisOptions& options, Result<AnalysisSetup>& setup) {
  if (Status worked = try_to_work(ranks, options, setup); !worked) {
    ranks.send(0, message(Word::kFailed, to_bytes(worked.error())));
  }
  ranks.send(0, message(Word::kStopped));
  ranks.leave();
}

}  // namespace laggard::cmd
