#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  std::string_view kind = {};  ///< The only one that has it; empty: all.
  bool needs_kept = false;     ///< Without --keep it would be nothing anybody wants.
  /// \param out  outlives the writer. \param kept  functions, as --keep has them
  std::unique_ptr<ProfileWriter> (*make)(LineWriter& out, const std::vector<std::string>& kept);
};

/// csv, a line for each count; folded, as flame graphs are drawn from; pprof, as Google's pprof reads it;
/// chrome, as Perfetto and chrome://tracing read it; leave-hot and leave-others, as GCC reads them.
[[nodiscard]] std::span<const ProfileForm> profile_forms();

/// `time,host,kind,subject,length_s,each_s,what,count`: exactly what is recorded.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_csv_writer(LineWriter& out,
                                                             const std::vector<std::string>& kept = {});
/// `WORD COUNT`, summed up over hosts and periods, by word.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_folded_writer(LineWriter& out,
                                                                const std::vector<std::string>& kept = {});
/// Profiles as https://github.com/google/pprof reads them: profile.proto, packed by gzip. All periods are
/// added up; of each sample the label `host` tells whose it is (pprof -tagfocus). Programs are the outermost
/// functions. Values are the counts and, where all periods say what one count stands for, CPU time in ns.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_pprof_writer(LineWriter& out,
                                                               const std::vector<std::string>& kept = {});
/// Profiles as Perfetto and chrome://tracing draw them: hosts are processes, programs threads, and in each
/// period a program's stacks lie side by side as in a flame graph, as wide as their share of all that was
/// counted on the host in the period. That is not when they ran, which nobody knows; the counts themselves
/// and the CPU time are arguments of each slice. The format has samples of its own (`stackFrames`), but
/// Perfetto promises little more than to read slices.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_chrome_writer(LineWriter& out,
                                                                const std::vector<std::string>& kept = {});
/// An option of GCC by which a program is compiled without counting the calls of the functions that are
/// called most, which together make nine tenths of all calls, or of all that were called; but for those that
/// are kept. Nothing where there are none.
[[nodiscard]] std::unique_ptr<ProfileWriter> make_hot_sites_writer(LineWriter& out,
                                                                   const std::vector<std::string>& kept);
[[nodiscard]] std::unique_ptr<ProfileWriter> make_other_sites_writer(LineWriter& out,
                                                                     const std::vector<std::string>& kept);

}  // namespace laggard::cmd
