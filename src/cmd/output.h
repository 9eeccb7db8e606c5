#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// What a command puts out. Standard output and standard error are written here and nowhere else, so that no
/// byte of them is lost without a word, and no name from outside tells a terminal what to do
/// (base/terminal_text.h). Files are checked here before the work that fills them.
namespace laggard::cmd {

/// For `main`, before anything is opened. A standard descriptor that is closed would be given to the next
/// file that is opened, and a message would end up in a recording: such a descriptor is held by one that can
/// be neither read nor written. A pipe that nobody reads any more becomes an error instead of a signal.
void prepare_standard_streams();

/// Writes text for people to standard output, at once and all of it: what a terminal would obey is shown, but
/// for our own colours on a terminal. kBrokenPipe when whoever read it has gone.
[[nodiscard]] Status print(std::string_view text);

/// The same of a document whose bytes are a promise (JSON, CSV, HTML): they arrive as they are, except on a
/// terminal.
[[nodiscard]] Status print_document(std::string_view document);

/// A document, to standard output when `where` is `-`, else as a whole into the file of that name.
[[nodiscard]] Status print_or_write(const std::string& where, std::string_view document);

/// For `main`, last of all: some file systems tell only at the close that they could not keep what was
/// written.
[[nodiscard]] Status close_standard_output();

/// While one lives, what is written to `stderr` is text for people as `print` has it.
class SafeStandardError {
 public:
  SafeStandardError();
  SafeStandardError(const SafeStandardError&) = delete;
  SafeStandardError& operator=(const SafeStandardError&) = delete;
  /// Writes what is left and puts the stream back.
  ~SafeStandardError();

 private:
  class Sink;
  std::unique_ptr<Sink> sink_;
  std::FILE* before_;
};

/// A file that a command is going to write.
struct NamedOutput {
  std::string option;          ///< That names it, for the sentence: `--html`.
  std::filesystem::path path;  ///< Empty or `-`: there is none.
  bool appended = false;       ///< A checkpoint, which is not replaced.
};

/// Refuses outputs that would destroy what is kept or read: a file of a recording or a ledger, one of the
/// inputs, another output; and those that cannot be written, which is better known before a diagnosis of
/// hours than after it. \param inputs  files; empty ones and folders are passed over.
[[nodiscard]] Status check_outputs(std::span<const NamedOutput> outputs,
                                   std::span<const std::filesystem::path> inputs = {});

}  // namespace laggard::cmd
