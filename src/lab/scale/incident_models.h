#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lab/scale/incident.h"

/// One small model for each kind of incident: its cause, its duration, and its effect on which attachments.
/// The thesis gives the shapes (which attachments are affected, and how); magnitudes that it does not give
/// are ours.

namespace laggard::lab::scale {

inline constexpr Seconds kForGood =
    366 * kDay;  ///< Beyond the end of a recording: repairs took days (T 5.3).

/// Random draws and bookkeeping that all models share.
class IncidentBuilder {
 public:
  /// `site` must outlive this.
  IncidentBuilder(const SiteSpec& site, const IncidentPlace& place, Random random)
      : site_(site), place_(place), random_(random) {
    incident_.array = place.array;
    incident_.start = place.start;
  }

  [[nodiscard]] const SiteSpec& site() const { return site_; }
  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] std::size_t array() const { return place_.array; }
  [[nodiscard]] Seconds start() const { return place_.start; }
  [[nodiscard]] std::size_t any_lun() { return random_.below(site_.luns_per_array()); }
  [[nodiscard]] std::size_t any_disk() { return random_.below(site_.storage.group.disks); }
  [[nodiscard]] std::size_t any_server() { return random_.below(site_.servers_per_array); }
  [[nodiscard]] std::size_t any_controller() { return random_.below(2); }

  /// Between `low` and `high` hours, but at most three quarters of the rest of the recording.
  [[nodiscard]] Seconds hours(double low, double high) {
    const double drawn = random_.uniform(low, high) * static_cast<double>(kHour);
    const double fits = 0.75 * static_cast<double>(place_.end_of_run - place_.start);
    return std::max<Seconds>(1, std::llround(std::min(drawn, fits)));
  }
  /// The end: after that many hours, or just as likely after the end of the recording.
  [[nodiscard]] Seconds half_the_time_for_good(double low, double high) {
    return random_.chance(0.5) ? kForGood : start() + hours(low, high);
  }

  /// Adds an effect on `luns` for the caller to fill in; valid until the next one is added.
  Effect& affect(const LunMask& luns, Seconds from, Seconds to) {
    Effect& effect = incident_.effects.emplace_back();
    effect.array = array();
    effect.luns = luns;
    effect.from = from;
    effect.to = to;
    return effect;
  }
  /// From the start on, `luns` cannot be reached through `servers`.
  void lose(const LunMask& luns, const ServerMask& servers, Seconds to, Lost how) {
    Effect& effect = affect(luns, start(), to);
    effect.servers = servers;
    effect.lost = how;
  }
  void down(std::size_t server, Seconds to) { incident_.outages.push_back({array(), server, start(), to}); }

  void blame_array() { incident_.blame = {PartKind::kArray, site_.array_name(array())}; }
  void blame_controller(std::size_t controller) {
    incident_.blame = {PartKind::kController, site_.controller_name(array(), controller)};
  }
  void blame_server(std::size_t server) { incident_.blame = server_part(server); }
  void blame_drawer(std::size_t drawer) {
    incident_.blame = {PartKind::kDrawer, site_.drawer_name(array(), drawer)};
    incident_.accepted.push_back({PartKind::kArray, site_.array_name(array())});
  }
  void blame_lun(std::size_t lun) {
    incident_.blame = {PartKind::kLun, site_.lun_name(array(), lun)};
    accept_attachment(lun, 0);
  }
  void accept_attachment(std::size_t lun, std::size_t priority) {
    incident_.accepted.push_back(
        {PartKind::kAttachment, site_.attachment_name(array(), lun, site_.server_at(lun, priority))});
  }
  void accept_server(std::size_t server) { incident_.accepted.push_back(server_part(server)); }

  [[nodiscard]] ScaleIncident finish(Seconds stop, std::string description) {
    incident_.stop = std::min(stop, place_.end_of_run);
    incident_.description = std::move(description);
    return std::move(incident_);
  }

 private:
  [[nodiscard]] Part server_part(std::size_t server) const {
    return {PartKind::kServer, site_.server_name(array(), server)};
  }

  const SiteSpec& site_;
  IncidentPlace place_;
  Random random_;
  ScaleIncident incident_;
};

/// Attachments are lost (T Tables 5.3 and 5.4).
[[nodiscard]] ScaleIncident controller_failed(IncidentBuilder& b);
[[nodiscard]] ScaleIncident server_down(IncidentBuilder& b);
[[nodiscard]] ScaleIncident misconfiguration(IncidentBuilder& b);
[[nodiscard]] ScaleIncident coherency_lost(IncidentBuilder& b);
[[nodiscard]] ScaleIncident service_down(IncidentBuilder& b);
[[nodiscard]] ScaleIncident luns_inaccessible(IncidentBuilder& b);
[[nodiscard]] ScaleIncident cascaded_failure(IncidentBuilder& b);

/// LUNs are slow (T Tables 5.5 and 5.6, §6.2.2, §6.3).
[[nodiscard]] ScaleIncident drawer_errors(IncidentBuilder& b);
[[nodiscard]] ScaleIncident slow_lun(IncidentBuilder& b);
[[nodiscard]] ScaleIncident busy_lun(IncidentBuilder& b);
[[nodiscard]] ScaleIncident silent_lun(IncidentBuilder& b);
[[nodiscard]] ScaleIncident reconstruction(IncidentBuilder& b);
[[nodiscard]] ScaleIncident reconstruction_spare(IncidentBuilder& b);
[[nodiscard]] ScaleIncident oscillation(IncidentBuilder& b);

}  // namespace laggard::lab::scale
