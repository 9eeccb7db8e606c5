#include "detect/behaviour/behaviour_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "detect/behaviour/function_hints.h"
#include "model/code_profile.h"

namespace laggard::detect {

namespace {

using Differing = BehaviourFollower::Differing;

/// `tcp_v4_rcv (socat)`, `libfoo.so (glusterfsd)`, and of a program as a whole `socat`.
std::string title_of(const FunctionName& name) {
  const std::string_view what = !name.function.empty() ? name.function : name.binary;
  if (what.empty()) return name.program.empty() ? "?" : std::string(name.program);
  return name.program.empty() ? std::string(what) : fmt::format("{} ({})", what, name.program);
}

/// Words that are no functions are programs.
FunctionName name_of(const Differing& one, const Dictionary& words) {
  const std::string_view word = words.text(one.function);
  return function_name(word).value_or(FunctionName{.program = word, .binary = {}, .function = {}});
}

double total_apart(std::span<const Differing> differing) {
  return std::accumulate(differing.begin(), differing.end(), 0.0,
                         [](double sum, const Differing& one) { return sum + one.apart; });
}

std::optional<Resource> main_resource(std::span<const Differing> differing, const Dictionary& words) {
  std::map<Resource, double> of;
  for (const Differing& one : differing) {
    if (const auto resource = resource_of(name_of(one, words))) of[*resource] += one.apart;
  }
  const auto most = std::ranges::max_element(of, {}, [](const auto& entry) { return entry.second; });
  if (most == of.end() || 2 * most->second < total_apart(differing)) return std::nullopt;
  return most->first;
}

std::string program_of_its_own(std::span<const Differing> differing, const Dictionary& words) {
  struct Sums {
    double apart = 0;
    double peers = 0;
  };
  constexpr double kShare = 0.2;
  std::map<std::string_view, Sums> programs;
  for (const Differing& one : differing) {
    Sums& sums = programs[name_of(one, words).program];
    sums.apart += one.apart;
    sums.peers += one.peers;
  }
  programs.erase("");
  programs.erase(kNobody);
  std::erase_if(programs, [](const auto& program) { return program.second.peers > 0; });
  const auto most =
      std::ranges::max_element(programs, {}, [](const auto& program) { return program.second.apart; });
  if (most == programs.end() || most->second.apart < kShare * total_apart(differing)) return {};
  return std::string(most->first);
}

std::string what_differs(const Differing& one, const FunctionName& name, const BehaviourUnit& unit) {
  return fmt::format("most in {}: {:.3g} {}, its peers {:.3g}", title_of(name), one.own / unit.per_window,
                     unit.name, one.peers / unit.per_window);
}

/// Of a function of the kernel, in which rules ask for it.
std::vector<Fact> facts_of(std::span<const Differing> differing, const Dictionary& words,
                           const BehaviourUnit& unit) {
  constexpr std::string_view kSentAgain = "tcp_retransmit_skb";
  for (const Differing& one : differing) {
    const FunctionName name = name_of(one, words);
    if (name.program != kNobody || name.function != kSentAgain || one.own <= one.peers) continue;
    return {{&kRetransmissions, one.own / unit.per_window, one.peers / unit.per_window}};
  }
  return {};
}

}  // namespace

BehaviourUnit behaviour_unit(std::string_view kind) {
  constexpr double kWindow = to_seconds(FeatureWindows::kWindow);
  if (kind == kSamplesKind) return {"% CPU", kWindow / 100};
  if (kind == kCallTimeKind || kind == kKernelTimeKind) return {"% of time", kWindow / 100};
  return {"calls/s", kWindow};
}

BehaviourEvidence behaviour_evidence(std::string_view kind, std::span<const Differing> differing,
                                     const Dictionary& words, std::size_t most) {
  BehaviourEvidence told;
  told.evidence.detector = kind;
  if (differing.empty()) return told;
  const BehaviourUnit unit = behaviour_unit(kind);
  RankedPayload ranked{.unit = std::string(unit.name), .entries = {}};
  double own = 0;
  double peers = 0;
  for (const Differing& one : differing) {
    own += one.own / unit.per_window;
    peers += one.peers / unit.per_window;
    if (ranked.entries.size() == most) continue;
    ranked.entries.push_back({.name = title_of(name_of(one, words)),
                              .own = one.own / unit.per_window,
                              .peers = one.peers / unit.per_window});
  }
  told.resource = main_resource(differing, words);
  if (kind == kKernelCallsKind) told.facts = facts_of(differing, words, unit);
  told.own_program = program_of_its_own(differing, words);
  Evidence& evidence = told.evidence;
  evidence.level = own;
  evidence.peers = peers;
  evidence.unit = unit.name;
  evidence.note = what_differs(differing.front(), name_of(differing.front(), words), unit);
  if (!told.own_program.empty()) {
    evidence.note = fmt::format("{} runs there and on no peer; {}", told.own_program, evidence.note);
  }
  const bool of_programs = !function_name(words.text(differing.front().function));
  evidence.payloads.push_back(
      {of_programs ? "programs that differ most" : "functions that differ most", std::move(ranked)});
  return told;
}

}  // namespace laggard::detect
