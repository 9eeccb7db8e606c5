#include <fmt/format.h>

#include <csignal>

#include "lab/bench/ceph.h"

namespace laggard::lab::bench {

namespace {

using namespace std::chrono_literals;

/// One `ceph` that answers again and again: a new one for every question would take half a second of a
/// processor. It breaks the line before the last brace of its answer to `osd perf`.
std::string record_answers(const Layout& layout, const std::filesystem::path& file) {
  return fmt::format(R"sh(while echo 'osd perf'; do echo 'health detail'; sleep 5; done |
ceph -c '{}' -f json |
while IFS= read -r line; do
  case $line in
    '{{"pg_ready"'*'}}]}}') line="$line}}" ;;
    '{{"pg_ready"'* | '{{"status"'*) ;;
    *) continue ;;
  esac
  printf '{{"time":%s,"said":%s}}\n' "$(date +%s.%N)" "$line"
done >>'{}')sh",
                     ceph_configuration_file(layout).native(), file.native());
}

/// How long the requests of each OSD take, and those of its store, and how much it moved.
std::string record_exporter(const Layout& layout, const std::filesystem::path& file) {
  return fmt::format(
      R"sh(while sleep 15; do
  curl --silent --max-time 10 'http://{}:9283/metrics' |
    grep -E -e '^ceph_osd_((apply|commit)_latency_ms|op_(r_|w_)?latency|op_[rw]_(in|out)_bytes)' \
      -e '^ceph_bluestore_(read|commit|kv_sync)_lat_' |
    sed -nE 's/^([a-z_]+)\{{ceph_daemon="(osd\.[0-9]+)"\}} (.+)$/"metric":"\1","osd":"\2","value":\3}}/p' |
    sed "s/^/{{\"time\":$(date +%s.%N),/"
done >>'{}')sh",
      layout.monitor_address(), file.native());
}

}  // namespace

Result<StartedPrograms> record_ceph(Site& site, const std::filesystem::path& out) {
  const Layout& layout = site.layout();
  StartedPrograms programs(site, {.signal = SIGTERM, .patience = 2s});
  if (layout.file_system != FileSystem::kCeph) return programs;
  for (const std::string& script :
       {record_answers(layout, out / kCephSaid), record_exporter(layout, out / kCephExported)}) {
    Status started = programs.start(kMonitorHost, {{"sh", "-c", script}, {}}, "record-ceph");
    if (!started) return forward(started);
  }
  return programs;
}

}  // namespace laggard::lab::bench
