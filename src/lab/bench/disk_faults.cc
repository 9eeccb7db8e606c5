#include <fmt/format.h>

#include "lab/bench/disk_ailment.h"
#include "lab/bench/planners.h"
#include "lab/bench/storage.h"

namespace laggard::lab::bench {

namespace {

Command make_ill(const Victim& victim, const DiskAilment& ailment) {
  const std::filesystem::path file = victim.layout().disk(victim.number) / kAilmentFile;
  return shell(fmt::format("echo '{}' > {}", to_text(ailment), file.native()));
}

DiskAilment ailment_of(const Victim& victim) {
  DiskAilment ailment;
  for (const FaultParameter& parameter : about(victim.fault.kind).parameters) {
    if (!parameter.name.empty()) {
      LAGGARD_CHECK(set_ailment(ailment, parameter.name, victim.value(parameter.name)));
    }
  }
  return ailment;
}

}  // namespace

FaultPlan sick_disk(const Victim& victim) {
  FaultPlan plan;
  plan.begin = {{victim.server(), make_ill(victim, ailment_of(victim))}};
  plan.end = {{victim.server(), make_ill(victim, DiskAilment{})}};
  return plan;
}

FaultPlan disk_full(const Victim& victim) {
  FaultPlan plan;
  const std::string brick = victim.layout().brick(victim.number).native();
  const std::string file = brick + "/full";
  // What the file system needs for the file itself is not known before: less is tried until it fits.
  plan.begin = {{victim.server(),
                 shell(fmt::format("free=$(df --output=avail -B1M {} | tail -1); size=$((free-{:.0f})); "
                                   "while [ $size -gt 0 ] && ! fallocate -l ${{size}}M {}; do "
                                   "size=$((size-4)); done",
                                   brick, victim.value("left"), file))}};
  plan.end = {{victim.server(), {{"rm", "-f", file}, {}}}};
  return plan;
}

FaultPlan read_ahead(const Victim& victim) {
  FaultPlan plan;
  const std::string file = path_of(Setting::kReadAhead, victim.loop()).native();
  plan.begin = {{victim.server(), shell(fmt::format("echo {:.0f} > {}", victim.value("read-ahead"), file))}};
  plan.end = {{victim.server(), shell(fmt::format("echo {} > {}", kReadAheadKilobytes, file))}};
  return plan;
}

}  // namespace laggard::lab::bench
