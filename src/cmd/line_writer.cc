#include "cmd/line_writer.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cmd/output.h"

namespace laggard::cmd {

Result<LineWriter> LineWriter::open(const std::string& path) {
  LineWriter writer;
  if (path == "-") return writer;
  auto file = OutputFile::create(path);
  if (!file) return forward(file);
  writer.file_.emplace(std::move(*file));
  return writer;
}

Status LineWriter::write(std::string_view line) {
  lines_ += line;
  return lines_.size() < kAtOnce ? Status{} : flush();
}

Status LineWriter::finish() {
  Status written = flush();
  return written && file_ ? file_->commit() : written;
}

Status LineWriter::flush() {
  Status written = file_ ? file_->write(lines_) : print_document(lines_);
  lines_.clear();
  return written;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos && trim(text) == text) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string unix_time(WallTime time) {
  const std::int64_t ns = to_unix_ns(time);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t seconds = ns / kSecond;
  const std::int64_t rest = ns % kSecond;
  if (rest == 0) return fmt::format("{}", seconds);
  std::string text = fmt::format("{}.{:09}", seconds, rest);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace laggard::cmd
