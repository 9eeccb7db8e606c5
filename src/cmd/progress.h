#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace laggard::cmd {

/// One line on a terminal that says how far a long piece of work is: `reading 43 % [####----] 12 s left`.
/// Silent when standard error is no terminal, and during the first second.
class Progress {
 public:
  /// \param clock  must outlive this.
  Progress(std::string_view doing, Clock& clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// \param fraction  0..1
  /// \param detail    a few words behind the bar; may be empty
  void update(double fraction, std::string_view detail = {});

  /// Wipes the line, so that what is printed next stands alone.
  void clear();

 private:
  std::string doing_;
  Clock& clock_;
  MonoTime started_;
  MonoTime shown_;
  bool terminal_ = false;
  bool visible_ = false;
};

/// The same for samples that come or go: how many, how fast, and where the work is. Notices stand above it.
class SampleProgress {
 public:
  SampleProgress(std::string_view doing, Clock& clock);

  /// \param fraction  0..1
  /// \param where     the file, or the time, that is being worked on
  void update(double fraction, std::uint64_t samples, std::string_view where);
  void notice(std::string_view sentence);
  void clear() { line_.clear(); }

 private:
  Clock& clock_;
  MonoTime started_;
  Progress line_;
};

}  // namespace laggard::cmd
