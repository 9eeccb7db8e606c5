#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/outcome.h"
#include "report/html_parts.h"
#include "report/json.h"

namespace laggard::report {

namespace {

std::string named(std::string_view metric) {
  const std::string title = metric_title(metric);
  if (title == metric) return fmt::format("<b>{}</b>", html_escape(title));
  return fmt::format("<b>{}</b> <code class=\"muted\">{}</code>", html_escape(title), html_escape(metric));
}

std::string caption(const PeerPlot& plot) {
  const std::string who =
      plot.sick.empty()
          ? fmt::format("{} of group {}", counted(plot.components.size(), "peer"), plot.group)
          : fmt::format("{} against {} of group {}", plot.sick,
                        counted(std::max<std::size_t>(plot.components.size(), 1) - 1, "peer"), plot.group);
  const std::string_view shade = plot.flagged.empty() ? "" : "; flagged windows shaded";
  return fmt::format("{} <span class=\"muted\">{}{}</span>", named(plot.metric), html_escape(who), shade);
}

std::string caption(const DistributionPlot& plot, const Clockface& clock) {
  return fmt::format("{} <span class=\"muted\">distribution in the worst window, {}</span>",
                     named(plot.metric), html_escape(clock.span(plot.window.from, plot.window.to)));
}

std::string caption(const ScoreMap& map) {
  return fmt::format(
      "<b>Score</b> <span class=\"muted\">{} of group {}; distance / threshold, the "
      "largest over "
      "the metrics; above 1 is anomalous</span>",
      counted(map.components.size(), "component"), html_escape(map.group));
}

/// Registers an incident's plots with the page's data and returns their figures.
std::string incident_figures(const IncidentPlots& plots, const Clockface& clock, PageData& data) {
  std::string out;
  for (const PeerPlot& plot : plots.peers) {
    out += figure("peers", data.peers.size(), caption(plot));
    data.peers.push_back(&plot);
  }
  if (plots.distributions.empty()) return out;
  out += "<div class=\"pairs\">\n";
  for (const DistributionPlot& plot : plots.distributions) {
    out += figure("distributions", data.distributions.size(), caption(plot, clock));
    data.distributions.push_back(&plot);
  }
  return out + "</div>\n";
}

std::string incidents(const Diagnosis& diagnosis, const Plots& plots, PageData& data) {
  const Clockface clock(diagnosis.from, diagnosis.to);
  std::string out;
  for (std::size_t i = 0; i < diagnosis.incidents.size(); ++i) {
    const Incident& incident = diagnosis.incidents[i];
    std::string figures;
    for (const IncidentPlots& mine : plots.incidents) {
      if (mine.incident == incident.id) figures += incident_figures(mine, clock, data);
    }
    out += incident_section(incident, clock, fmt::format("incident-{}", i + 1), figures);
  }
  return out;
}

std::string maps(const Plots& plots, PageData& data) {
  if (plots.maps.empty()) return "";
  std::string out =
      "<section class=\"card\" id=\"scores\">\n<header><h2>All components over time</h2></header>\n";
  for (const ScoreMap& map : plots.maps) {
    out += figure("maps", data.maps.size(), caption(map));
    data.maps.push_back(&map);
  }
  return out + "</section>\n";
}

std::string_view mood(const Diagnosis& diagnosis) {
  const bool whole_groups = !diagnosis.slowdowns.empty() || !diagnosis.camps.empty();
  std::string_view mood = whole_groups                              ? "suspected"
                          : outcome_of(diagnosis) == Outcome::kWell ? "well"
                                                                    : "blind";
  for (const Incident& incident : diagnosis.incidents) {
    if (is_accounted_for(incident)) continue;
    if (incident.state == IncidentState::kConfirmed) return "confirmed";
    mood = "suspected";
  }
  return mood;
}

/// What is wrong with groups as a whole, where something is.
std::string group_section(const Diagnosis& diagnosis) {
  const Clockface clock(diagnosis.from, diagnosis.to);
  const std::string lists = list_section("All slow, nobody stands out", all_slow(diagnosis, clock)) +
                            list_section("Two camps", two_camps(diagnosis, clock));
  if (lists.empty()) return "";
  return "<section class=\"card\" id=\"groups\"><header><h2>Groups as a whole</h2></header>\n" + lists +
         "</section>\n";
}

/// Several incidents get a table of contents, worst first as they come.
std::string contents(const Diagnosis& diagnosis) {
  if (diagnosis.incidents.size() < 2) return "";
  const Clockface clock(diagnosis.from, diagnosis.to);
  std::string out =
      "<section class=\"card\"><div class=\"scroll\"><table>\n<thead><tr><th>Incident</th><th>Cause</th>"
      "<th>State</th><th>Since</th><th class=\"n\">Persistence</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < diagnosis.incidents.size(); ++i) {
    const Incident& incident = diagnosis.incidents[i];
    out += fmt::format(
        "<tr><td><a href=\"#incident-{}\">{}</a></td><td>{}</td><td>{}, {}</td><td>{}</td><td "
        "class=\"n\">{}</td></tr>\n",
        i + 1, html_escape(blamed(incident.blame)), html_escape(cause(incident)), to_name(incident.state),
        to_name(incident.status), clock.moment(incident.since), incident.persistence);
  }
  return out + "</tbody></table></div></section>\n";
}

constexpr std::string_view kHowToRead =
    "<footer><p>Drag across a plot to zoom all of them, double-click or Escape to see all again. Click a "
    "line, a row "
    "of the map or a name to follow that component through the page; with the keyboard, arrows move, Enter "
    "follows, "
    "plus and minus zoom.</p><p>All times are UTC. Values are the smoothed samples that were compared. This "
    "file is "
    "complete: it needs no network and sends nothing.</p></footer>\n";

}  // namespace

std::string to_html(const Diagnosis& diagnosis, const Plots& plots) {
  PageData data;
  const std::string sentence = headline(diagnosis);
  std::string main = fmt::format("<section class=\"verdict {}\"><h1>{}</h1>\n{}</section>\n", mood(diagnosis),
                                 html_escape(sentence), facts(circumstances(diagnosis)));
  main += contents(diagnosis);
  main += incidents(diagnosis, plots, data);
  main += group_section(diagnosis);
  main += maps(plots, data);
  main += ranking_section(diagnosis);
  main += coverage_section(diagnosis);
  main += kHowToRead;
  return document({.title = sentence + " - laggard",
                   .heading = "Diagnosis",
                   .main = std::move(main),
                   .plots = to_script_json(data),
                   .diagnosis = to_script_json(diagnosis)});
}

std::string training_html(const TrainingDay& day) {
  PageData data;
  std::vector<std::string> items{fmt::format("{} to {} ({})", Clockface::dated(day.from),
                                             Clockface(day.from, day.to).moment(day.to),
                                             coarse(day.to - day.from))};
  if (!day.preset.empty()) items.push_back(day.preset + " preset");
  if (!day.distance.empty()) items.push_back(day.distance + " distance");
  std::string main = "<section class=\"verdict well\"><h1>Is this day fit to train on?</h1>\n" + facts(items);
  main +=
      "</section>\n<section class=\"card\"><header><h2>How to decide</h2></header>\n<p "
      "class=\"why\">Thresholds learn "
      "how far apart healthy peers are, so what they are trained on should be free of trouble that one can "
      "see. Each "
      "plot below lays all peers of a group over each other. Accept the day when no line leaves the bundle "
      "for long: "
      "short excursions are what thresholds are for.</p>\n<ul class=\"plain\">"
      "<li>Would you be content to run the system like this indefinitely? Then train on it.</li>"
      "<li>The day should see real load. Idle peers all look alike and teach nothing.</li>"
      "<li>Look first at groups that should be quiet, such as secondary paths: most trouble shows as load "
      "there.</li>"
      "<li>A component that limps on this day gets a threshold that is too high and will alarm late; the "
      "others are "
      "not affected. Leave it out, or train on another day.</li>"
      "<li>Train again after a change of the system: new arrays, new firmware, another "
      "load.</li></ul></section>\n";
  std::string figures;
  for (const PeerPlot& plot : day.plots) {
    figures += figure("peers", data.peers.size(), caption(plot));
    data.peers.push_back(&plot);
  }
  const std::string notes = list_section("Notes", day.notes);
  if (figures.empty())
    figures = "<p>There was nothing to plot: no group has three members with samples.</p>\n";
  main += "<section class=\"card\" id=\"peers\"><header><h2>Peers, superimposed</h2></header>\n" + figures +
          notes + "</section>\n";
  main += kHowToRead;
  return document({.title = "Training day - laggard",
                   .heading = "Training day",
                   .main = std::move(main),
                   .plots = to_script_json(data),
                   .diagnosis = ""});
}

}  // namespace laggard::report
