#include "detect/syscalls/client_calls.h"

#include "detect/syscalls/call_errors.h"

namespace laggard::detect {

std::span<const std::uint32_t> FailedCalls::events() const {
  return errors_ == nullptr ? std::span<const std::uint32_t>() : errors_->events;
}

FailedCall FailedCalls::at(std::size_t e) const {
  const EventTable::Event event = table_.event(e);
  const auto& words = table_.words();
  return {.host = table_.host(),
          .call = std::string(words.text(event.what)),
          .error = std::string(error(e)),
          .object = event.subject == kNoWord ? std::string() : std::string(words.text(event.subject)),
          .begun = event.time - event.duration.value_or(Duration{}),
          .ended = event.time};
}

ClientCalls::ClientCalls(const EventTable& table, const SeriesResolver& resolver, ErrorPropagation& errors,
                         StoppedServers& stopped)
    : table_(table),
      resolver_(resolver),
      errors_(errors),
      stopped_(stopped),
      failed_(table),
      results_(table.find_attribute("result", AttributeForm::kInteger)),
      ends_(table.find_attribute("end", AttributeForm::kInteger)),
      lwps_(table.find_attribute("lwp", AttributeForm::kInteger)),
      kinds_(table.words().size()),
      objects_(table.words().size()) {}

CallKind ClientCalls::kind(Word word) {
  auto& known = kinds_[word.index()];
  if (!known) known = call_kind(table_.words().text(word));
  return *known;
}

const ClientCalls::Object& ClientCalls::object(Word word) {
  Object& known = objects_[word.index()];
  if (known.is_known) return known;
  known.is_known = true;
  const std::string_view text = table_.words().text(word);
  known.is_file = is_stored_file(text);
  if (const auto tcp = tcp_object(text)) {
    const SeriesResolver::Endpoint end = resolver_.endpoint(tcp->addresses.peer);
    if (end.party == SeriesResolver::Party::kServer) known.server = resolver_.host_name(end.host);
  }
  return known;
}

std::int64_t ClientCalls::number(const AttributeColumn* column, std::size_t e, std::int64_t otherwise) const {
  const auto bits = column == nullptr ? std::nullopt : column->bits(e);
  return bits ? static_cast<std::int64_t>(*bits) : otherwise;
}

void ClientCalls::take_talk(std::size_t e, CallKind kind, const Object& object) {
  const EventTable::Event event = table_.event(e);
  const std::string connection(table_.words().text(event.subject));
  const std::string_view error = failed_.error(e);
  const bool reads = kind == CallKind::kRead || kind == CallKind::kReceive;
  const bool writes = kind == CallKind::kWrite || kind == CallKind::kSend;
  const bool closes = kind == CallKind::kClose;
  if (!reads && !writes && !closes && !is_of_connection(error)) return;
  const std::int64_t result = number(results_, e, -1);
  const bool has_met_end = reads && result == 0;
  if (result < 0 && !is_of_connection(error)) return;  // Nothing is there yet.
  const LastTalk last = closes || has_met_end || result < 0 ? LastTalk::kClosed
                        : reads                             ? LastTalk::kAnswered
                                                            : LastTalk::kAsked;
  stopped_.talk().note(connection, object.server, last, table_.words().text(event.what), event.time);
}

void ClientCalls::take_application(std::size_t e) {
  const auto end = static_cast<SyscallEnd>(number(ends_, e, 0));
  StoppedServers::Waiting waiting{.call = failed_.at(e), .lwp = number(lwps_, e, -1)};
  if (!waiting.call.error.empty()) {
    if (is_of_connection(waiting.call.error)) {
      stopped_.add_failure(waiting);
    } else if (!is_answer(waiting.call.error)) {
      errors_.add_client_failure(waiting.call);
    }
  }
  const bool hangs = waiting.call.ended - waiting.call.begun >= StoppedServers::kHangs;
  waiting.is_presumed = !hangs;
  if (!hangs && end != SyscallEnd::kUnfinished) return;
  waiting.call.error.clear();
  stopped_.add_hang(waiting);
}

void ClientCalls::take(std::vector<StoppedServers::Stopped>& found) {
  for (std::size_t e = 0; e < table_.size(); ++e) {
    stopped_.hear(table_.times()[e]);
    if (table_.times()[e] > stopped_.next()) stopped_.look(table_.times()[e], found);
    const Word what = table_.whats()[e];
    const Word subject = table_.subjects()[e];
    if (what == kNoWord) continue;
    const CallKind kind = this->kind(what);
    if (subject == kNoWord) {
      // The path that it names is not known before it returns.
      const bool names_path = kind == CallKind::kFile || kind == CallKind::kOpen;
      if (names_path && number(ends_, e, 0) != 0) take_application(e);
      continue;
    }
    const Object& object = this->object(subject);
    if (!object.server.empty()) {
      take_talk(e, kind, object);
    } else if (object.is_file && kind != CallKind::kOther) {
      take_application(e);
    }
  }
}

}  // namespace laggard::detect
