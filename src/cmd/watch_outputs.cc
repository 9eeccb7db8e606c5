#include "cmd/watch_outputs.h"

#include <utility>

#include "base/file.h"
#include "base/output_file.h"
#include "cmd/output.h"
#include "cmd/watch_state.h"
#include "report/json.h"
#include "report/text.h"
#include "report/textfile.h"
#include "report/wording.h"

namespace laggard::cmd {

Result<WatchOutputs> WatchOutputs::open(const WatchOutputOptions& options, std::function<bool()> stopped,
                                        Note note) {
  WatchOutputs outputs(options, std::move(note));
  outputs.on_change_ = {.command = options.on_change, .stopped = stopped};
  if (options.alertmanager.url.empty()) return outputs;
  auto url = server_url(options.alertmanager);
  if (!url) return forward(url);
  net::HttpOptions http;
  http.stopped = std::move(stopped);
  http.stop_grace = std::chrono::seconds(2);  // For the last changes.
  auto transport = connect_server(options.alertmanager, *url, std::move(http));
  if (!transport) return forward(transport);
  outputs.transport_ = std::move(*transport);
  outputs.alertmanager_ = std::make_unique<send::Alertmanager>(
      *outputs.transport_, send::AlertmanagerOptions{.server = url->shown(), .generator_url = {}});
  return outputs;
}

void WatchOutputs::hold(const engine::ChangeTracker::State& state) {
  if (!alertmanager_) return;
  for (const engine::ChangeTracker::Told& told : state.told) {
    if (told.kind != ChangeKind::kClosed) {
      alertmanager_->hold(told.incident, report::verdict(told.incident));
    }
  }
}

Status WatchOutputs::deliver(const Change& change) {
  delivered_ = true;
  ++changes_.at(static_cast<std::size_t>(change.kind));
  Status printed = options_.json ? print_document(report::to_json_line(change) + "\n")
                                 : print(report::change_line(change) + "\n");
  if (!printed) return printed;
  if (alertmanager_) alertmanager_->take(change, report::verdict(change.incident));
  if (!on_change_.command.empty()) {
    if (Status ran = run_on_change(on_change_, change); !ran) note_(ran.error().message());
  }
  return {};
}

Status WatchOutputs::keep(const Watch& watch) {
  write_textfile(watch);
  const bool news = delivered_ || watch.checkpoint_after() != kept_after_;
  return news ? keep_decided(watch) : Status{};
}

Status WatchOutputs::keep_decided(const Watch& watch) {
  delivered_ = false;
  kept_after_ = watch.checkpoint_after();
  return options_.state.empty() ? Status{} : write_watch_state(options_.state, watch.state());
}

void WatchOutputs::write_textfile(const Watch& watch) {
  if (options_.textfile.empty()) return;
  const std::vector<Incident> open = watch.open();
  const std::string text =
      report::to_textfile({.open = open, .changes = changes_, .complete_until = watch.complete_until()});
  note_once(textfile_trouble_, write_file(options_.textfile, text));
}

void WatchOutputs::post(Clock& clock) {
  if (!alertmanager_ || !alertmanager_->due(clock.mono())) return;
  note_once(server_trouble_, alertmanager_->post({.wall = clock.wall(), .mono = clock.mono()}));
}

Duration WatchOutputs::patience() const {
  return alertmanager_ ? Duration(std::chrono::seconds(5)) : Duration::max();
}

/// What fails every few seconds is not said every few seconds.
void WatchOutputs::note_once(std::optional<std::string>& last, const Status& status) {
  if (status) {
    last.reset();
    return;
  }
  std::string sentence = status.error().message();
  if (last != sentence) note_(sentence);
  last = std::move(sentence);
}

}  // namespace laggard::cmd
