#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/error.h"
#include "cmd/line_writer.h"
#include "model/profile.h"

namespace laggard::cmd {

/// Writes profiles in one form. Tables may be of several hosts, and those of a host may be in parts.
class ProfileWriter {
 public:
  virtual ~ProfileWriter() = default;
  /// \param periods  those of the table that are wanted
  [[nodiscard]] virtual Status add(const ProfileTable& table, std::span<const std::uint32_t> periods) = 0;
  [[nodiscard]] virtual Status finish() = 0;
};

/// A form in which profiles are written.
struct ProfileForm {
  std::string_view name;  ///< As --format has it.
  /// Whether it is about code: the counts of several kinds would be added up, and stacks tell more than the
  /// samples that they were taken with.
  bool is_of_code = true;
  bool is_text = true;
  /// \param out  outlives the writer
  std::unique_ptr<ProfileWriter> (*make)(LineWriter& out);
};

/// csv, a line for each count; folded, as flame graphs are drawn from; pprof, as Google's pprof reads it;
/// chrome, as Perfetto and chrome://tracing read it.
[[nodiscard]] std::span<const ProfileForm> profile_forms();

/// `time,host,kind,subject,length_s,each_s,what,count`: exactly what is recorded.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_csv_writer(LineWriter& out);
/// `WORD COUNT`, summed up over hosts and periods, by word.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_folded_writer(LineWriter& out);
/// Profiles as https://github.com/google/pprof reads them: profile.proto, packed by gzip. All periods are
/// added up; of each sample the label `host` tells whose it is (pprof -tagfocus). Programs are the outermost
/// functions. Values are the counts and, where all periods say what one count stands for, CPU time in ns.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_pprof_writer(LineWriter& out);
/// Profiles as Perfetto and chrome://tracing draw them: hosts are processes, programs threads, and in each
/// period a program's stacks lie side by side as in a flame graph, as wide as their share of all that was
/// counted on the host in the period. That is not when they ran, which nobody knows; the counts themselves
/// and the CPU time are arguments of each slice. The format has samples of its own (`stackFrames`), but
/// Perfetto promises little more than to read slices.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_chrome_writer(LineWriter& out);

}  // namespace laggard::cmd
