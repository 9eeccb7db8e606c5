#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "collect/import/sysstat/child.h"
#include "collect/import/sysstat/import.h"
#include "collect/import/sysstat/sadf_raw.h"

namespace laggard::collect {

/// The output of `sadf -H` about a file (docs/formats/sysstat.md).
struct SadfHeader {
  std::string version;                  ///< The sysstat version that wrote the file; empty when unknown.
  std::string host;                     ///< Node name; empty when the file's format is too old for this sadf.
  bool readable = false;                ///< False when the file has to be converted first.
  std::vector<std::string> activities;  ///< A_DISK, A_NET_DEV, … in a format that this sadf knows.
  std::vector<std::string> unknown;     ///< Those in a format that it does not know.

  [[nodiscard]] bool has(std::string_view activity) const;
};

/// Parses the output of `sadf -H`. Unknown lines are ignored, because other versions have other lines.
[[nodiscard]] SadfHeader parse_sadf_header(std::string_view text);

/// A file for sadf to read: one of the user's, by name, or a temporary one without a name.
struct SadfFile {
  std::filesystem::path path;
  int unnamed = -1;  ///< Its descriptor, used instead of `path`.
};

/// Runs the installed sadf on one file.
class Sadf {
 public:
  /// \param file   outlives this if it has no name.
  /// \param shown  names the file in errors.
  Sadf(const SysstatOptions& options, const SadfFile& file, std::string shown)
      : options_(options),
        unnamed_(file.unnamed),
        file_(file.unnamed >= 0 ? kChildInput : std::filesystem::absolute(file.path)),
        shown_(std::move(shown)) {}

  [[nodiscard]] Result<SadfHeader> header();

  /// Rewrites the file in the format of the installed version.
  /// \param into     an open file. \param version  the one that wrote it, for errors.
  [[nodiscard]] Status convert(int into, const std::string& version);

  /// Feeds the counters of one activity (`-d`, `-n DEV`, `-n EDEV`) to `reader`, and calls `pulse` every few
  /// thousand lines.
  [[nodiscard]] Status read(const std::vector<std::string>& activity, SampleCollector& collector,
                            SadfRawReader& reader, const std::function<void()>& pulse);

 private:
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] ChildSpec spec(std::vector<std::string> arguments) const;
  [[nodiscard]] tl::unexpected<Error> refused(const ChildEnd& end, const std::string& doing) const;

  const SysstatOptions& options_;
  int unnamed_;
  std::filesystem::path file_;
  std::string shown_;
};

}  // namespace laggard::collect
