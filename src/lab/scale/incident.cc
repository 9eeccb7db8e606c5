#include "lab/scale/incident.h"

#include <array>

namespace laggard::lab::scale {

namespace {

struct KindText {
  IncidentKind kind;
  std::string_view name;
  std::string_view source;
};

constexpr std::array<KindText, kIncidentKinds> kKinds{{
    {IncidentKind::kControllerFailed, "controller-failed", "T Table 5.3"},
    {IncidentKind::kServerDown, "server-down", "T Table 5.3"},
    {IncidentKind::kMisconfiguration, "misconfiguration", "T Table 5.4"},
    {IncidentKind::kCoherencyLost, "coherency-lost", "T Table 5.4"},
    {IncidentKind::kServiceDown, "service-down", "T Table 5.4"},
    {IncidentKind::kLunsInaccessible, "luns-inaccessible", "T Table 5.4"},
    {IncidentKind::kCascadedFailure, "cascaded-failure", "T Table 5.4"},
    {IncidentKind::kDrawerErrors, "drawer-errors", "T Table 5.5"},
    {IncidentKind::kSlowLun, "slow-lun", "T Table 5.6"},
    {IncidentKind::kBusyLun, "busy-lun", "T Table 5.6"},
    {IncidentKind::kSilentLun, "silent-lun", "T Table 5.6"},
    {IncidentKind::kReconstruction, "reconstruction", "T 6.3"},
    {IncidentKind::kReconstructionSpare, "reconstruction-spare", "T 6.3"},
    {IncidentKind::kOscillation, "oscillation", "T 6.2.2"},
}};

/// Whether the attachment of `lun` at `server` is not the one that serves it, but takes over from lost ones.
bool takes_over(const SiteSpec& site, const std::vector<ServerMask>& lost, std::size_t lun,
                std::size_t server) {
  if (lost[lun].none() || lost[lun].test(server)) return false;
  const std::size_t priority = site.priority_of(lun, server);
  for (std::size_t p = 0; p < priority; ++p) {
    if (!lost[lun].test(site.server_at(lun, p))) return false;
  }
  return priority > 0;
}

/// Per LUN, the servers whose attachments an incident takes away, and those where it is merely seen.
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
    } else if (effect.load_at_servers) {
      reach.touched[lun] |= effect.servers;
    } else {
      reach.touched[lun].set(site.server_at(lun, 0));
    }
  }
}

}  // namespace

std::string_view to_name(IncidentKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

std::string_view source_of(IncidentKind kind) { return kKinds[static_cast<std::size_t>(kind)].source; }

std::optional<IncidentKind> incident_kind_of(std::string_view name) {
  for (const KindText& text : kKinds) {
    if (text.name == name) return text.kind;
  }
  return std::nullopt;
}

Affected affected_by(const SiteSpec& site, const ScaleIncident& incident) {
  Reach reach(site.luns_per_array());
  for (const Outage& outage : incident.outages) {
    for (ServerMask& mask : reach.lost) mask.set(outage.server);
  }
  for (const Effect& effect : incident.effects) add(reach, site, effect);
  Affected affected;
  for (std::size_t lun = 0; lun < reach.lost.size(); ++lun) {
    for (std::size_t server = 0; server < site.servers_per_array; ++server) {
      const std::string name = site.attachment_name(incident.array, lun, server);
      if (reach.lost[lun].test(server) || reach.touched[lun].test(server))
        affected.attachments.push_back(name);
      if (takes_over(site, reach.lost, lun, server)) affected.relieving.push_back(name);
    }
  }
  return affected;
}

}  // namespace laggard::lab::scale
