// Names and numbers of any shape in a diagnosis: no escape sequence may reach a terminal, no markup a page,
// and JSON must stay JSON.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/terminal_text.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"

// libFuzzer calls it by this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using laggard::Diagnosis;
using laggard::Evidence;
using laggard::Incident;
using laggard::PeerPlot;
using laggard::Plots;

/// The input as a name and a number.
struct Seed {
  std::string name;
  double number = 0;
};

Seed seed_of(std::string_view input) {
  Seed seed;
  if (input.size() >= sizeof(double)) {
    std::memcpy(&seed.number, input.data(), sizeof(double));
    input.remove_prefix(sizeof(double));
  }
  seed.name = std::string(input.substr(0, 400));
  return seed;
}

Diagnosis diagnosis_of(const Seed& seed) {
  Diagnosis d;
  d.from = laggard::from_unix_ns(0);
  d.to = laggard::from_unix_ns(60'000'000'000);
  d.preset = d.distance = seed.name;
  Incident& i = d.incidents.emplace_back();
  i.id = i.blame.name = i.cause = i.resource = i.rule = i.why = seed.name;
  i.severity = seed.number;
  i.components = {seed.name};
  Evidence& e = i.evidence.emplace_back();
  e.metric = e.component = e.detector = e.unit = e.note = seed.name;
  e.distance = e.threshold = e.score = seed.number;
  e.level = e.peers = seed.number;
  d.ranking = {{seed.name, seed.name, 1, seed.number}};
  d.coverage.metrics = d.coverage.missing = {seed.name};
  return d;
}

Plots plots_of(const Seed& seed, const Diagnosis& d) {
  Plots plots;
  PeerPlot p;
  p.metric = p.unit = p.group = p.sick = seed.name;
  p.times = {d.from, d.to};
  p.components = {seed.name};
  p.values = {{static_cast<float>(seed.number), 1}};
  plots.incidents = {{.incident = seed.name, .peers = {p}, .distributions = {}}};
  return plots;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

void no_control_characters(std::string_view text) {
  while (!text.empty()) {
    const laggard::CodePoint point = laggard::first_code_point(text);
    LAGGARD_CHECK(point.valid &&
                  (point.value == '\n' || point.value == '\t' || !laggard::is_unprintable(point.value)));
    text.remove_prefix(point.bytes);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(data, data + size);
  const Seed seed = seed_of(input);
  const Diagnosis d = diagnosis_of(seed);
  no_control_characters(laggard::report::to_text(d));
  const auto json = nlohmann::json::parse(laggard::report::to_json(d));
  LAGGARD_CHECK(json == nlohmann::json::parse(laggard::report::to_script_json(d)));
  const std::string page = laggard::report::to_html(d, plots_of(seed, d));
  no_control_characters(page);
  LAGGARD_CHECK(count(page, "<script") == 3 && count(page, "</script") == 3 && count(page, "<!--") == 0);
  return 0;
}
