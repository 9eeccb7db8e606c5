#include "derive/transfers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "model/recorded_call.h"
#include "model/syscall_event.h"

namespace laggard::derive {

namespace {

/// O_DIRECTORY is another flag.
bool has_direct_flag(std::string_view arguments) {
  constexpr std::string_view kFlag = "O_DIRECT";
  for (std::size_t at = arguments.find(kFlag); at != std::string_view::npos;
       at = arguments.find(kFlag, at + 1)) {
    const std::string_view behind = arguments.substr(at + kFlag.size(), 1);
    if (behind.empty() || behind == "|" || behind == "," || behind == " " || behind == "}") return true;
  }
  return false;
}

}  // namespace

/// The calls of one table.
class Transfers::Calls {
 public:
  explicit Calls(const EventTable& table)
      : table_(table),
        arguments_(table.find_attribute("arguments", AttributeForm::kWord)),
        result_(table.find_attribute("result", AttributeForm::kInteger)),
        end_(table.find_attribute("end", AttributeForm::kInteger)),
        errno_(table.find_attribute("errno", AttributeForm::kWord)),
        direct_(table.find_attribute("direct", AttributeForm::kInteger)) {
    for (const std::string_view error : kNothingDone) not_done_.push_back(table.words().find(error));
    actions_.resize(table.words().size());
    objects_.resize(table.words().size());
  }

  /// Whether it returned, so that it is known when.
  [[nodiscard]] bool returned(std::size_t e) const {
    const auto end = end_ == nullptr ? std::nullopt : end_->bits(e);
    return !end || *end == static_cast<std::uint64_t>(SyscallEnd::kReturned);
  }

  [[nodiscard]] Call call(std::size_t e) {
    const std::int64_t took = table_.durations()[e];
    Call call;
    call.is_timed = took != EventTable::kNoDuration;
    call.end = table_.times()[e];
    call.begin = call.end - Duration{call.is_timed ? took : 0};
    const auto result = result_ == nullptr ? std::nullopt : result_->bits(e);
    call.result = static_cast<std::int64_t>(result.value_or(0));
    if (table_.subjects()[e] == kNoWord || !result || was_not_done(e)) return call;
    call.action = action_of(table_.whats()[e]);
    call.is_direct = direct_ != nullptr && direct_->bits(e).value_or(0) != 0;
    if (call.action == Action::kOpenDirect && !(call.result >= 0 && opens_direct(e))) {
      call.action = Action::kNone;
    }
    return call;
  }

  /// What `find` tells of an object. It is remembered, until the object is opened in another way.
  template <typename Find>
  [[nodiscard]] std::optional<Object*> object(std::size_t e, bool opens, const Find& find) {
    const Word word = table_.subjects()[e];
    std::optional<Object*>& known = objects_[word.index()];
    if (!known || opens) known = find(table_.words().text(word));
    return known;
  }

 private:
  [[nodiscard]] Action action_of(Word what) {
    if (what == kNoWord) return Action::kNone;
    std::optional<Action>& known = actions_[what.index()];
    if (!known) known = action_named(table_.words().text(what));
    return *known;
  }

  static Action action_named(std::string_view name) {
    switch (call_kind(name)) {
      case CallKind::kRead:
        return Action::kRead;
      case CallKind::kReceive:
        return Action::kReceive;
      case CallKind::kWrite:
        return Action::kWrite;
      case CallKind::kSend:
        return Action::kSend;
      case CallKind::kOpen:
        return Action::kOpenDirect;
      case CallKind::kClose:
        return Action::kClose;
      case CallKind::kFile:
      case CallKind::kOther:
        return Action::kNone;
    }
    return Action::kNone;
  }

  [[nodiscard]] bool was_not_done(std::size_t e) const {
    const auto error = errno_ == nullptr ? std::nullopt : errno_->bits(e);
    if (!error) return false;
    const Word word{static_cast<std::uint32_t>(*error)};
    return std::ranges::any_of(not_done_, [&](const std::optional<Word>& one) { return one == word; });
  }

  [[nodiscard]] bool opens_direct(std::size_t e) const { return has_direct_flag(table_.word(arguments_, e)); }

  const EventTable& table_;
  const AttributeColumn* arguments_;
  const AttributeColumn* result_;
  const AttributeColumn* end_;
  const AttributeColumn* errno_;
  const AttributeColumn* direct_;
  std::vector<std::optional<Word>> not_done_;
  std::vector<std::optional<Action>> actions_;   ///< By word.
  std::vector<std::optional<Object*>> objects_;  ///< By word.
};

Transfers::Host& Transfers::host_of(const std::string& name) {
  const auto [at, added] = hosts_.try_emplace(name);
  if (added) {
    at->second.calls = EventTable(name, std::string(kStorageCallKind));
    at->second.messages = EventTable(name, std::string(kMessageKind));
  }
  return at->second;
}

std::optional<Transfers::Object*> Transfers::find_object(Host& host, std::string_view text,
                                                         bool opens_direct) {
  if (const auto known = host.objects.find(text); known != host.objects.end()) return &known->second;
  std::optional<std::string> peers = rules_.request_peers(text);
  if (!peers) {
    if (!rules_.is_storage(text)) return nullptr;
    if (!opens_direct) return &host.storage;
  }
  if (host.objects.size() >= kMostObjects) return std::nullopt;
  Object& object = host.objects[std::string(text)];
  if (peers) object.peers = std::move(*peers);
  return &object;
}

/// What is not counted breaks the count, and messages that were under way are not known in full.
void Transfers::lose(Host& host, const std::string& name, TimeSpan when) {
  const Loss loss{.from = when.from, .to = when.to, .count = 1, .reason = {}};
  host.calls.add_loss(loss);
  host.messages.add_loss(loss);
  unused_[name].add(&Unused::no_room, 1, when);
}

/// An interval more than once where calls of several threads return in another order.
void Transfers::mark(Host& host, WallTime time) const {
  if (time >= host.marked.from && time < host.marked.to) return;
  const WallTime interval = floor_to(time, cadence_);
  host.marked = {interval, interval + cadence_};
  for (EventTable* const table : {&host.calls, &host.messages}) {
    if (const auto what = table->intern(kMark))
      table->append({.time = interval, .duration = {}, .what = *what});
  }
}

void Transfers::add(const EventTable& table) {
  const std::string& name = table.host();
  Host& host = host_of(name);
  for (const Loss& loss : table.losses()) {
    host.calls.add_loss(loss);
    host.messages.add_loss(loss);
    host.waiting.push({.end = loss.to, .order = ++order_, .begin = loss.from, .action = Action::kForget});
    ++waiting_;
  }
  Calls calls(table);
  for (std::size_t e = 0; e < table.size(); ++e) {
    if (!calls.returned(e)) continue;
    Call call = calls.call(e);
    if (call.end < taken_) {
      unused_[name].add(&Unused::late, 1, {call.end, call.end});
      continue;
    }
    mark(host, call.end);
    if (call.action == Action::kNone) continue;
    const bool opens = call.action == Action::kOpenDirect;
    const auto object =
        calls.object(e, opens, [&](std::string_view text) { return find_object(host, text, opens); });
    if (object == nullptr) continue;
    if (!object || waiting_ >= kMostWaiting) {
      lose(host, name, {call.end, call.end});
      continue;
    }
    call.object = *object;
    call.order = ++order_;
    ++call.object->waiting;
    ++waiting_;
    host.waiting.push(call);
  }
}

void Transfers::tell_storage(Host& host, const Call& call, std::string_view what) {
  if (!call.is_timed) return;
  const auto word = host.calls.intern(what);
  if (word) host.calls.append({.time = call.end, .duration = call.end - call.begin, .what = *word});
}

void Transfers::tell_message(Host& host, const Object& socket,
                             const std::optional<MessageReads::Message>& one) {
  if (!one) return;
  const auto what = host.messages.intern(kMessage);
  const auto peers = host.messages.intern(socket.peers);
  if (what && peers) {
    host.messages.append({.time = one->over, .duration = one->took, .subject = *peers, .what = *what});
  }
}

void Transfers::process_read(Host& host, const Call& call) {
  Object& object = *call.object;
  if (object.peers.empty()) {
    if (call.action == Action::kRead && call.result != 0) tell_storage(host, call, kRead);
    return;
  }
  const TimeSpan span{call.begin, call.end};
  tell_message(host, object,
               call.result > 0 ? object.reads.read(span, call.result) : object.reads.close(call.end));
}

void Transfers::process_write(Host& host, const Call& call) {
  Object& object = *call.object;
  if (!object.peers.empty()) {
    tell_message(host, object, object.reads.write({call.begin, call.end}));
  } else if (call.action == Action::kWrite) {
    tell_storage(host, call, call.is_direct || object.direct > 0 ? kDirectWrite : kWrite);
  }
}

void Transfers::process(Host& host, const Call& call) {
  switch (call.action) {
    case Action::kNone:
      return;
    case Action::kRead:
    case Action::kReceive:
      process_read(host, call);
      break;
    case Action::kWrite:
    case Action::kSend:
      process_write(host, call);
      break;
    case Action::kOpenDirect:
      if (call.object->peers.empty()) ++call.object->direct;
      break;
    case Action::kClose:
      tell_message(host, *call.object, call.object->reads.close(call.end));
      if (call.object->direct > 0) --call.object->direct;
      break;
    case Action::kForget:
      for (auto& [text, object] : host.objects) object.reads.forget();
      return;
  }
  --call.object->waiting;
}

/// Ends messages of which no more came, and forgets what nobody needs.
void Transfers::look_at_open(Host& host, WallTime until) {
  for (auto& [text, object] : host.objects) tell_message(host, object, object.reads.wait(until));
  std::erase_if(host.objects, [](const auto& entry) { return !entry.second.is_in_use(); });
}

std::vector<EventTable> Transfers::take(WallTime until) {
  std::vector<EventTable> out;
  if (until <= taken_) return out;
  taken_ = until;
  // Of messages that are over it matters in which interval that was known, and no more.
  const bool look = floor_to(until, cadence_) > looked_;
  if (look) looked_ = floor_to(until, cadence_);
  for (auto& [name, host] : hosts_) {
    for (; !host.waiting.empty() && host.waiting.top().end < until; host.waiting.pop(), --waiting_) {
      process(host, host.waiting.top());
    }
    if (look) look_at_open(host, until);
    for (EventTable* const table : {&host.calls, &host.messages}) {
      if (!table->empty()) out.push_back(std::exchange(*table, EventTable(name, table->kind())));
    }
  }
  return out;
}

}  // namespace laggard::derive
