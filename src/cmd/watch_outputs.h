#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "cmd/shared_options.h"
#include "cmd/watch.h"
#include "model/incident.h"
#include "net/http.h"
#include "send/alertmanager.h"

namespace laggard::cmd {

/// `--on-change COMMAND`: what the shell does about each change of an incident.
struct OnChange {
  std::string command;                        ///< For `/bin/sh -c`.
  Duration limit = std::chrono::seconds(60);  ///< It is killed after that, with whatever it started.
  Duration grace = std::chrono::seconds(5);   ///< Of `limit`, once we were asked to stop.
  int tries = 3;                              ///< Until it ends well.
  Duration pause = std::chrono::seconds(1);   ///< Before the second try; five times as long before the next.
  std::function<bool()> stopped = nullptr;    ///< Whether we were.
};

/// Runs the command to its end, again when it does not end well. It reads the change as one line of JSON
/// (report::to_json_line) from standard input, and the most needed of it from LAGGARD_CHANGE, LAGGARD_NUMBER,
/// LAGGARD_INCIDENT, LAGGARD_KIND, LAGGARD_PART, LAGGARD_CAUSE and LAGGARD_STATE. Those hold names from
/// recordings, so a script quotes them. What it prints goes to standard error: standard output belongs to the
/// changes.
///
/// \return  why its last try did not end well: its exit status, its signal, or that it was killed for its
/// time.
[[nodiscard]] Status run_on_change(const OnChange& how, const Change& change);

/// Where `laggard watch` says what happens: standard output, a command per change, a file for node_exporter,
/// Alertmanager; and the state from which the next start goes on.
struct WatchOutputOptions {
  bool json = false;
  std::string state;
  std::string on_change;
  std::string textfile;
  std::string learn;  ///< What the days that are over taught.
  ServerOptions alertmanager{.url = {}, .password_file = {}, .token_file = {}, .timeout = "10s"};
};

/// Keeps changes, delivers them in their order, each to all of these, and then keeps that it did: after a
/// kill the last ones may come again, the same under the same numbers, and none is ever left out. What a
/// command, a file or a server refuses is noted and does not end the watch; what standard output, the state
/// or the file of what was learnt refuses does.
class WatchOutputs {
 public:
  using Note = std::function<void(const std::string&)>;

  /// \param options  must outlive this. \param stopped  whether we were asked to end.
  [[nodiscard]] static Result<WatchOutputs> open(const WatchOutputOptions& options,
                                                 std::function<bool()> stopped, Note note);

  /// What was told of before a restart and is not over.
  void hold(const engine::ChangeTracker::State& state);
  [[nodiscard]] Status deliver(const Change& change);
  /// Changes have been decided; before any of them is delivered.
  [[nodiscard]] Status keep_decided(const Watch& watch);
  /// After everything that one look at the recordings brought.
  [[nodiscard]] Status keep(const Watch& watch);
  /// Posts what is due; to be called every few seconds.
  void post(Clock& clock);
  /// How long it may be until `post` is called again.
  [[nodiscard]] Duration patience() const;

 private:
  WatchOutputs(const WatchOutputOptions& options, Note note) : options_(options), note_(std::move(note)) {}

  void write_textfile(const Watch& watch);
  [[nodiscard]] Status keep_learnt(const Watch& watch);
  void note_once(std::optional<std::string>& last, const Status& status);

  const WatchOutputOptions& options_;
  Note note_;
  OnChange on_change_;
  std::unique_ptr<net::HttpTransport> transport_;
  std::unique_ptr<send::Alertmanager> alertmanager_;
  std::array<std::uint64_t, 8> changes_{};  ///< So many since the start, by ChangeKind.
  bool delivered_ = false;
  std::optional<std::int64_t> kept_after_;       ///< Watch::checkpoint_after of the state that was kept.
  std::optional<WallTime> learnt_until_;         ///< Of what is in the file.
  std::optional<std::string> textfile_trouble_;  ///< The last one that was noted.
  std::optional<std::string> server_trouble_;
};

}  // namespace laggard::cmd
