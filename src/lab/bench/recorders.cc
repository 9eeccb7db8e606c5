#include "lab/bench/recorders.h"

#include <fmt/format.h>

#include <csignal>

#include "lab/bench/tools.h"

namespace laggard::lab::bench {

namespace {
using namespace std::chrono_literals;
/// A client has no storage of its own; the machine's disks are not its.
constexpr const char* kNoDisk = "none";
}  // namespace

Command record_command(const Recorders::Options& options, const std::string& host, const std::string& disk) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(options.interval);
  return {{options.program, "record", "metrics", "--out", options.out, "--host", host, "--disk", disk,
           "--net", "eth0", "--interval", fmt::format("{}ms", milliseconds.count())},
          {}};
}

Result<Recorders> Recorders::start(Site& site, const Options& options) {
  const Layout& layout = site.layout();
  Recorders recorders(site);
  const auto record = [&](const std::string& host, const std::string& disk) -> Status {
    const Result<int> process =
        site.start(host, urgent(record_command(options, host, disk)), "record-" + host);
    if (!process) return tl::unexpected<Error>(process.error());
    recorders.metrics_.push_back(*process);
    return {};
  };
  for (std::size_t i = 1; i <= layout.servers; ++i) {
    const std::string host = layout.server(i);
    if (Status started = record(host, options.loops.at(i - 1)); !started) return forward(started);
    if (!options.sadc) continue;
    const std::filesystem::path file = options.out / (host + ".sa");
    const Result<int> sadc = site.start(host, {{kSadc, "-F", "-S", "DISK", "1", file}, {}}, "sadc-" + host);
    if (!sadc) return tl::unexpected<Error>(sadc.error());
    recorders.sadc_.push_back(*sadc);
  }
  for (std::size_t i = 1; i <= layout.clients; ++i) {
    if (Status started = record(layout.client(i), kNoDisk); !started) return forward(started);
  }
  return recorders;
}

Status Recorders::signal(std::string_view name) const {
  std::string kill = fmt::format("kill -{}", name);
  for (const int process : metrics_) kill += fmt::format(" {}", process);
  return site_->must({{"sh", "-c", kill}, {}});
}

void Recorders::stop() {
  for (const int process : sadc_) site_->machine().stop(process, SIGINT, 2s);
  sadc_.clear();
  // A frozen one would not hear that it should end; where it cannot be thawed, `stop` ends it by force.
  if (!metrics_.empty()) (void)thaw();
  for (const int process : metrics_) site_->machine().stop(process, SIGTERM, 20s);
  metrics_.clear();
}

Status Recorders::check() {
  for (const std::vector<int>* some : {&metrics_, &sadc_}) {
    for (const int process : *some) {
      if (!site_->machine().running(process)) {
        return fail(ErrorCode::kUnavailable, site_->layout().logs().string(),
                    "a recorder ended by itself; its log is there");
      }
    }
  }
  return {};
}

}  // namespace laggard::lab::bench
