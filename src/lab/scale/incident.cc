#include "lab/scale/incident.h"

#include <array>

#include "base/error.h"
#include "lab/scale/incident_models.h"

namespace laggard::lab::scale {

namespace {

struct KindInfo {
  IncidentKind kind;
  std::string_view name;
  std::string_view source;
  ScaleIncident (*make)(IncidentBuilder&);
};

constexpr std::array<KindInfo, kIncidentKinds> kKinds{{
    {IncidentKind::kControllerFailed, "controller-failed", "T Table 5.3", controller_failed},
    {IncidentKind::kServerDown, "server-down", "T Table 5.3", server_down},
    {IncidentKind::kMisconfiguration, "misconfiguration", "T Table 5.4", misconfiguration},
    {IncidentKind::kCoherencyLost, "coherency-lost", "T Table 5.4", coherency_lost},
    {IncidentKind::kServiceDown, "service-down", "T Table 5.4", service_down},
    {IncidentKind::kLunsInaccessible, "luns-inaccessible", "T Table 5.4", luns_inaccessible},
    {IncidentKind::kCascadedFailure, "cascaded-failure", "T Table 5.4", cascaded_failure},
    {IncidentKind::kDrawerErrors, "drawer-errors", "T Table 5.5", drawer_errors},
    {IncidentKind::kSlowLun, "slow-lun", "T Table 5.6", slow_lun},
    {IncidentKind::kBusyLun, "busy-lun", "T Table 5.6", busy_lun},
    {IncidentKind::kSilentLun, "silent-lun", "T Table 5.6", silent_lun},
    {IncidentKind::kReconstruction, "reconstruction", "T 6.3", reconstruction},
    {IncidentKind::kReconstructionSpare, "reconstruction-spare", "T 6.3", reconstruction_spare},
    {IncidentKind::kOscillation, "oscillation", "T 6.2.2", oscillation},
}};

/// Whether the attachment of `lun` at `server` does not normally serve it but takes over from lost ones.
bool takes_over(const SiteSpec& site, const std::vector<ServerMask>& lost, std::size_t lun,
                std::size_t server) {
  if (lost[lun].none() || lost[lun].test(server)) return false;
  const std::size_t priority = site.priority_of(lun, server);
  for (std::size_t p = 0; p < priority; ++p) {
    if (!lost[lun].test(site.server_at(lun, p))) return false;
  }
  return priority > 0;
}

/// Per LUN, the servers whose attachments an incident removes, and those where it only shows.
struct Reach {
  explicit Reach(std::size_t luns) : lost(luns), touched(luns) {}
  std::vector<ServerMask> lost;
  std::vector<ServerMask> touched;
};

void add(Reach& reach, const SiteSpec& site, const Effect& effect) {
  for (std::size_t lun = 0; lun < reach.lost.size(); ++lun) {
    if (!effect.luns.test(lun)) continue;
    if (effect.lost != Lost::kNot) {
      reach.lost[lun] |= effect.servers;
    } else if (effect.at_servers) {
      reach.touched[lun] |= effect.servers;
    } else {
      reach.touched[lun].set(site.server_at(lun, 0));
    }
  }
}

/// The LUNs of the controllers that repair one.
LunMask slowed_by_repairs(const SiteSpec& site, const ScaleIncident& incident) {
  LunMask slowed;
  for (const Effect& effect : incident.effects) {
    if (effect.repair == Repair::kNone) continue;
    for (std::size_t owner = 0; owner < 2; ++owner) {
      const LunMask luns = site.luns_of_owner(owner);
      if ((effect.luns & luns).any()) slowed |= luns;
    }
  }
  return slowed;
}

}  // namespace

std::string_view to_name(IncidentKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

std::string_view source_of(IncidentKind kind) { return kKinds[static_cast<std::size_t>(kind)].source; }

std::string all_incident_kinds() {
  std::string all;
  for (const KindInfo& info : kKinds) {
    if (!all.empty()) all += ", ";
    all += info.name;
  }
  return all;
}

std::optional<IncidentKind> incident_kind_of(std::string_view name) {
  for (const KindInfo& info : kKinds) {
    if (info.name == name) return info.kind;
  }
  return std::nullopt;
}

ScaleIncident make_incident(const SiteSpec& site, IncidentKind kind, const IncidentPlace& place,
                            Random random) {
  LAGGARD_CHECK(place.array < site.arrays && place.start < place.end_of_run);
  IncidentBuilder builder(site, place, random);
  ScaleIncident incident = kKinds[static_cast<std::size_t>(kind)].make(builder);
  incident.kind = kind;
  return incident;
}

Affected affected_by(const SiteSpec& site, const ScaleIncident& incident) {
  Reach reach(site.luns_per_array());
  for (const Outage& outage : incident.outages) {
    for (ServerMask& mask : reach.lost) mask.set(outage.server);
  }
  for (const Effect& effect : incident.effects) add(reach, site, effect);
  const LunMask slowed = slowed_by_repairs(site, incident);
  Affected affected;
  for (std::size_t lun = 0; lun < reach.lost.size(); ++lun) {
    for (std::size_t server = 0; server < site.servers_per_array; ++server) {
      const std::string name = site.attachment_name(incident.array, lun, server);
      if (reach.lost[lun].test(server) || reach.touched[lun].test(server))
        affected.attachments.push_back(name);
      if (takes_over(site, reach.lost, lun, server)) affected.relieving.push_back(name);
      const bool waits = slowed.test(lun) && !reach.touched[lun].test(server);
      if (waits && server == site.server_at(lun, 0)) affected.slowed.push_back(name);
    }
  }
  return affected;
}

}  // namespace laggard::lab::scale
