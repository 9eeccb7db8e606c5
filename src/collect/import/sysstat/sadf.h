#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/error.h"
#include "collect/import/sysstat/child.h"
#include "collect/import/sysstat/import.h"
#include "collect/import/sysstat/sadf_header.h"
#include "collect/import/sysstat/sadf_raw.h"

namespace laggard::collect {

/// The installed sadf at work on one file.
class Sadf {
 public:
  /// \param file   what sadf is given.
  /// \param shown  what errors call it; another one when `file` is scratch.
  Sadf(const SysstatOptions& options, const std::filesystem::path& file, std::string shown)
      : options_(options), file_(std::filesystem::absolute(file)), shown_(std::move(shown)) {}

  [[nodiscard]] Result<SadfHeader> header();

  /// Rewrites the file in the format of the installed version.
  /// \param version  that wrote it, for errors.
  [[nodiscard]] Status convert(const std::filesystem::path& into, const std::string& version);

  /// Feeds the counters of one activity (`-d`, `-n DEV`, `-n EDEV`) to `reader`, and calls `pulse` now and
  /// then.
  [[nodiscard]] Status read(const std::vector<std::string>& activity, SampleCollector& collector,
                            SadfRawReader& reader, const std::function<void()>& pulse);

 private:
  [[nodiscard]] ChildSpec spec(std::vector<std::string> arguments) const;
  [[nodiscard]] tl::unexpected<Error> refused(const ChildEnd& end, const std::string& doing) const;

  const SysstatOptions& options_;
  std::filesystem::path file_;
  std::string shown_;
};

}  // namespace laggard::collect
