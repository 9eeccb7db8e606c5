#pragma once

#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/diagnoser.h"
#include "engine/trainer.h"
#include "model/series_source.h"
#include "testing/script/simulator.h"

namespace laggard::script {

/// A diagnosis script: what a file system is and does, what goes wrong, and what laggard must say about it.
///
///   # nine servers of which one has a slow disk for two minutes
///   topology 9 servers 1 disks 0 clients
///   load 200 writes/s 0 reads/s 64 sectors 12 ms 0.2 noise
///   record for 300 every 1 seed 7
///   preset lab
///   train                                    # on a healthy recording of the same system, with another seed
///   fault slow on s3/d1 from 120 to 240 by 3
///   expect finding s3 disk-busy              # blamed part and cause; `any` where the cause does not matter
///   expect nothing
///
/// Every line may be left out; System has the defaults. Several `expect finding` lines list all findings that
/// are not explained by another one: anything more or less is a failure.
struct Script {
  System system;
  std::string preset = "lab";
  bool trained = false;
  struct Finding {
    std::string blame;
    std::string cause;
  };
  std::vector<Finding> expected;
};

[[nodiscard]] Result<Script> parse(std::string_view text);

/// A recording of `system`, the groups that follow from it, and options as the command would choose them.
struct Recording {
  MemorySource source;
  Grouping grouping;
  detect::Preset preset;
  engine::PipelineOptions pipeline;
};
[[nodiscard]] std::unique_ptr<Recording> record(const System& system, std::string_view preset);

/// Has the windows judged that `auto` takes beside those of the recording's preset.
void judge_beside(Recording& recording);

/// Reads all of it, in a TableReader's order.
void read(Recording& recording, const std::function<void(const SampleTable&)>& consume);
/// Hands all of it to the diagnoser and finishes it, beside events that come in any order, each table up to
/// `lateness` after its first event.
void read_beside_late(Recording& recording, std::span<const EventTable> events, Duration lateness,
                      std::mt19937_64& random, engine::Diagnoser& diagnoser);

[[nodiscard]] detect::Thresholds train(Recording& recording);
[[nodiscard]] Diagnosis diagnose(Recording& recording, const detect::Thresholds& thresholds = {});
[[nodiscard]] engine::DiagnoserOptions diagnoser_options(const Recording& recording,
                                                         const detect::Thresholds& thresholds);

/// `s3 disk-busy`, one per incident that no other explains, sorted.
[[nodiscard]] std::vector<std::string> findings(const Diagnosis& diagnosis);

/// Runs a script; empty when everything came as expected, else what came instead.
[[nodiscard]] std::string complaint(std::string_view text);

}  // namespace laggard::script
