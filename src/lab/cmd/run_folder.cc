#include "lab/cmd/run_folder.h"

#include <system_error>

#include "archive/writer.h"
#include "base/file.h"
#include "base/time.h"
#include "lab/cluster/cluster.h"

namespace laggard::lab {

Status check_new_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error)) {
    return fail(ErrorCode::kBadUse, folder.string(), "is there and not empty; name a new folder");
  }
  return {};
}

Status simulate_into(const ClusterSpec& cluster, const RunSpec& run, const std::filesystem::path& folder) {
  if (Status empty = check_new_folder(folder); !empty) return empty;
  SystemClock clock;
  archive::WriterOptions options;
  options.flush_interval = Duration::zero();
  auto writer = archive::Writer::open(folder, options, clock);
  if (!writer) return forward(writer);
  if (Status written = simulate(cluster, run, **writer); !written) return written;
  if (Status closed = (*writer)->close(); !closed) return closed;
  if (Status written = write_file(folder / kSystemFile, system_toml(cluster)); !written) return written;
  return write_file(folder / kTruthFile, to_json(truth_of(cluster, run)));
}

Result<Truth> read_truth(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kTruthFile;
  auto text = read_file(path);
  if (!text) return forward(text);
  return parse_truth(*text, path);
}

}  // namespace laggard::lab
