#include "report/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/node_set.h"
#include "base/text.h"
#include "model/outcome.h"

namespace laggard::report {

namespace {

constexpr std::size_t kNamedInVerdict = 3;
constexpr std::size_t kNamedClocks = 8;
constexpr std::size_t kNamedMembers = 8;

/// Excluded and explained incidents are known already, so a verdict does not name them.
bool is_news(const Incident& incident) {
  return incident.status == IncidentStatus::kOpen || incident.status == IncidentStatus::kClosed;
}

bool is_over(const Incident& incident) {
  return incident.status == IncidentStatus::kClosed || incident.until.has_value();
}

std::string predicate(const Incident& incident) {
  const bool sure = incident.state == IncidentState::kConfirmed;
  if (is_over(incident)) return sure ? "was sick" : "was suspected";
  return sure ? "is sick" : "is suspected";
}

std::string when(const Incident& incident, const Clockface& clock) {
  if (incident.until) {
    return fmt::format("from {} to {}", clock.moment(incident.since), clock.moment(*incident.until));
  }
  return "since " + clock.moment(incident.since);
}

std::string sentence(const Incident& incident, std::string_view when) {
  const std::string state =
      incident.state == IncidentState::kConfirmed ? ", confirmed" : ", not confirmed yet";
  return fmt::format("{} {}: {} {}{}", blamed(incident.blame), predicate(incident), cause(incident), when,
                     state);
}

using News = std::vector<const Incident*>;

News news_of(const Diagnosis& diagnosis) {
  News news;
  for (const Incident& incident : diagnosis.incidents) {
    if (is_news(incident)) news.push_back(&incident);
  }
  return news;
}

std::string how_many(const News& news) {
  const auto confirmed = static_cast<std::size_t>(
      std::ranges::count_if(news, [](const Incident* i) { return i->state == IncidentState::kConfirmed; }));
  if (confirmed == news.size()) return fmt::format("{} incidents, all confirmed", news.size());
  if (confirmed == 0) return fmt::format("{} suspected incidents", news.size());
  return fmt::format("{} incidents, {} confirmed", news.size(), confirmed);
}

/// Describes the first few of `news` and says how many more there are.
template <typename Describe>
std::string named(const News& news, std::string_view separator, Describe describe) {
  std::string out = how_many(news) + ": ";
  for (std::size_t i = 0; i < std::min(news.size(), kNamedInVerdict); ++i) {
    if (i > 0) out += separator;
    out += describe(*news[i]);
  }
  if (news.size() > kNamedInVerdict) {
    out += fmt::format("{}and {} more", separator, news.size() - kNamedInVerdict);
  }
  return out;
}

std::string all_slow_verdict(const std::vector<Slowdown>& slowdowns) {
  const bool over = std::ranges::all_of(slowdowns, [](const Slowdown& s) { return s.until.has_value(); });
  return over ? "All were slow for a while, and nobody stood out" : "All are slow, and nobody stands out";
}

std::string two_camps_verdict(const Camps& camps) {
  return fmt::format("No component stands out, but group {} {} in two camps, of {} and {}", camps.group,
                     camps.until ? "was" : "is", camps.higher.members.size(), camps.lower.members.size());
}

/// `since 19:22:36Z`, `from 19:22:36Z to 19:24:36Z`
std::string lasting(WallTime since, const std::optional<WallTime>& until, const Clockface& clock) {
  if (!until) return "since " + clock.moment(since);
  return fmt::format("from {} to {}", clock.moment(since), clock.moment(*until));
}

std::string sharing(const Camps::Camp& camp, std::string_view who) {
  if (camp.share.empty()) return "";
  std::string parts;
  for (const Part& part : camp.share) parts += (parts.empty() ? "" : ", ") + blamed(part);
  return fmt::format("; only the {} share {}", who, parts);
}

std::string nothing_new(const Diagnosis& diagnosis) {
  if (!diagnosis.incidents.empty()) {
    return fmt::format("Nothing new: {}, excluded or explained",
                       counted(diagnosis.incidents.size(), "known incident"));
  }
  if (!diagnosis.slowdowns.empty()) return all_slow_verdict(diagnosis.slowdowns);
  if (!diagnosis.camps.empty()) return two_camps_verdict(diagnosis.camps.front());
  if (diagnosis.coverage.partial() && diagnosis.coverage.judged.enough()) {
    return "Not everything could be judged, and in the rest no component differs persistently from its peers";
  }
  const std::string why = why_not_judged(diagnosis);
  if (!why.empty()) return "Nothing can be said: " + why;
  return "No component differs persistently from its peers";
}

/// Nor can the others be said to be well where little was judged.
std::string with_silence(std::string sentence, const Diagnosis& diagnosis) {
  const std::string why = why_not_judged(diagnosis);
  if (why.empty() || diagnosis.coverage.partial()) return sentence;
  if (diagnosis.coverage.judged.enough()) return fmt::format("{}; {}", sentence, why);
  return fmt::format("{}; nothing can be said of the others: {}", sentence, why);
}

/// A verdict that is read by itself must say that the recording is damaged.
std::string with_damage(std::string sentence, const Diagnosis& diagnosis) {
  const std::size_t damaged = diagnosis.coverage.damaged.size();
  if (damaged == 0) return sentence;
  return fmt::format("{}; the diagnosis is partial: {} of the recording {} damaged", sentence,
                     counted(damaged, "file"), damaged == 1 ? "is" : "are");
}

std::string full_verdict(const Diagnosis& diagnosis) {
  const Clockface clock(diagnosis.from, diagnosis.to);
  const News news = news_of(diagnosis);
  if (news.empty()) return nothing_new(diagnosis);
  if (news.size() == 1) return with_silence(sentence(*news.front(), when(*news.front(), clock)), diagnosis);
  return with_silence(named(news, "; ",
                            [&](const Incident& incident) {
                              return fmt::format("{} {} {}", blamed(incident.blame), cause(incident),
                                                 when(incident, clock));
                            }),
                      diagnosis);
}

}  // namespace

std::string blamed(const Part& blame) {
  if (!blame.called.empty()) return blame.called + " " + blame.name;
  if (blame.kind == PartKind::kServer) return blame.name;
  return fmt::format("{} {}", blame.kind.spec().title, blame.name);
}

std::string cause(const Incident& incident) {
  const std::string name = incident.cause.empty() ? "cause not known" : incident.cause;
  return incident.resource.empty() ? name : fmt::format("{} ({})", name, incident.resource);
}

std::string impact(const Impact& impact) {
  return fmt::format("its peers move {:.0f} % less than just before: {} each instead of {}",
                     100 * (1 - impact.during / impact.before), humanise(impact.during, impact.unit),
                     humanise(impact.before, impact.unit));
}

std::string verdict(const Diagnosis& diagnosis) { return with_damage(full_verdict(diagnosis), diagnosis); }

std::string verdict(const Incident& incident) {
  const std::string since = Clockface::dated(incident.since);
  if (!incident.until) return sentence(incident, "since " + since);
  return sentence(incident, fmt::format("from {} to {}", since, Clockface::dated(*incident.until)));
}

std::string headline(const Diagnosis& diagnosis) {
  const News news = news_of(diagnosis);
  if (news.size() < 2) return verdict(diagnosis);
  return with_damage(named(news, ", ", [](const Incident& incident) { return blamed(incident.blame); }),
                     diagnosis);
}

std::string_view status(const Incident& incident) {
  const IncidentDecision* act = last_act(incident);
  const bool repaired = act != nullptr && act->what == "repaired";
  return repaired && incident.status == IncidentStatus::kClosed ? "repaired" : to_name(incident.status);
}

std::string sentence(const Slowdown& slowdown, const Clockface& clock) {
  return fmt::format(
      "{}: {} each of the {} {} {:.0f} % less than just before, {} instead of {}, and clients "
      "{} for answers as before",
      slowdown.group, lasting(slowdown.since, slowdown.until, clock), slowdown.members,
      slowdown.until ? "moved" : "moves", 100 * (1 - slowdown.during / slowdown.before),
      humanise(slowdown.during, slowdown.unit), humanise(slowdown.before, slowdown.unit),
      slowdown.until ? "waited" : "wait");
}

std::string sentence(const Camps& camps, const Clockface& clock) {
  return fmt::format("{}, {}: {} {} {} at {} ({}), {} at {} ({}){}{}", camps.group, camps.metric,
                     lasting(camps.since, camps.until, clock), camps.higher.members.size(),
                     camps.until ? "were" : "are", humanise(camps.higher.level, camps.unit),
                     first_few(camps.higher.members, kNamedMembers, " "), camps.lower.members.size(),
                     humanise(camps.lower.level, camps.unit),
                     first_few(camps.lower.members, kNamedMembers, " "), sharing(camps.higher, "former"),
                     sharing(camps.lower, "latter"));
}

std::vector<std::string> all_slow(const Diagnosis& diagnosis, const Clockface& clock) {
  std::vector<std::string> sentences;
  for (const Slowdown& slowdown : diagnosis.slowdowns) sentences.push_back(sentence(slowdown, clock));
  sentences.insert(sentences.end(), diagnosis.shared_symptoms.begin(), diagnosis.shared_symptoms.end());
  return sentences;
}

std::vector<std::string> two_camps(const Diagnosis& diagnosis, const Clockface& clock) {
  std::vector<std::string> sentences;
  for (const Camps& camps : diagnosis.camps) sentences.push_back(sentence(camps, clock));
  return sentences;
}

std::string course(const Incident& incident, const Clockface& clock) {
  std::string out = clock.moment(incident.since);
  if (incident.faulty_since) out += ", faulty from " + clock.moment(*incident.faulty_since);
  if (incident.until) {
    out += fmt::format(", until {} ({})", clock.moment(*incident.until),
                       coarse(*incident.until - incident.since));
  } else if (incident.seen_until != WallTime{}) {
    out += ", last seen " + clock.moment(incident.seen_until);
  }
  return out;
}

namespace {

/// Of a clock that is told by when the host's recording begins and ends.
std::string far_off(const ClockSkew& skew, const Clocks& clocks) {
  constexpr Duration kQuarter = std::chrono::minutes(15);
  const bool is_zone = skew.ahead % kQuarter == Duration::zero();
  return fmt::format(
      "{} is {} its peers{}: its recording begins and ends by so much {}, and {} its load follows "
      "theirs{}",
      skew.host, how_far_off(skew), is_zone ? ", as a time zone is" : "",
      skew.ahead < Duration::zero() ? "earlier" : "later",
      clocks.corrected ? "moved by that, as it was here," : "moved by that",
      clocks.corrected ? "" : "; --correct-skew compares it so");
}

std::string apart(double sigmas) {
  return std::isfinite(sigmas) ? fmt::format(" ({:.1f} standard errors apart)", sigmas) : "";
}

}  // namespace

std::vector<std::string> skewed_clocks(const Clocks& clocks, const Clockface& clock) {
  std::vector<std::string> out;
  for (const ClockSkew& skew : clocks.skewed) {
    if (std::isnan(skew.unmoved)) {
      out.push_back(far_off(skew, clocks));
      continue;
    }
    out.push_back(
        fmt::format("{} is {} its peers, give or take {:.3g} s, from {}: {}, its load follows theirs by "
                    "{:.2f}, as recorded by {:.2f}{}",
                    skew.host, how_far_off(skew), to_seconds(skew.error), clock.span(skew.from, skew.to),
                    clocks.corrected ? "moved by that, as it was here" : "moved by that", skew.correlation,
                    skew.unmoved, apart(skew.sigmas)));
  }
  return out;
}

std::string other_clocks(const Clocks& clocks) {
  std::string out;
  if (!clocks.left_out.empty()) {
    out = fmt::format("{} not compared, recorded at another time or by another clock",
                      fold_node_set(clocks.left_out));
  }
  if (clocks.agree > 0) out += fmt::format("{}{} agree", out.empty() ? "" : ", ", clocks.agree);
  const std::vector<std::string>& unknown = clocks.unknown;
  if (unknown.empty()) return out;
  if (!out.empty()) out += ", ";
  return out + fmt::format("unknown of {}: {}", unknown.size(), first_few(unknown, kNamedClocks));
}

std::string judged_components(const Coverage& coverage) {
  const Judged& judged = coverage.judged;
  std::string all = counted(coverage.components, "component");
  if (judged.components.judged == coverage.components) return all;
  const std::string idle = judged.idle > 0 ? fmt::format(" and {} idle", judged.idle) : "";
  return fmt::format("{} ({} judged{})", all, judged.components.judged, idle);
}

std::vector<std::string> circumstances(const Diagnosis& diagnosis) {
  std::vector<std::string> out;
  out.push_back(fmt::format("{} to {} ({})", Clockface::dated(diagnosis.from),
                            Clockface(diagnosis.from, diagnosis.to).moment(diagnosis.to),
                            coarse(diagnosis.to - diagnosis.from)));
  out.push_back(counted(diagnosis.coverage.hosts, "host"));
  out.push_back(judged_components(diagnosis.coverage));
  if (!diagnosis.preset.empty()) {
    out.push_back(diagnosis.beside.empty()
                      ? diagnosis.preset + " preset"
                      : fmt::format("{} and {} presets", diagnosis.preset, diagnosis.beside));
  }
  if (!diagnosis.distance.empty()) out.push_back(diagnosis.distance + " distance");
  out.emplace_back(diagnosis.thresholds == ThresholdOrigin::kTrained ? "trained thresholds"
                                                                     : "self-calibrated thresholds");
  return out;
}

}  // namespace laggard::report
