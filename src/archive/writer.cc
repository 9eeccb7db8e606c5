#include "archive/writer.h"

#include "archive/stream_writer.h"

namespace laggard::archive {

Writer::Writer(std::unique_ptr<StreamWriter> writer) : writer_(std::move(writer)) {}
Writer::~Writer() = default;

Result<std::unique_ptr<Writer>> Writer::open(const std::filesystem::path& directory,
                                             const WriterOptions& options, Clock& clock) {
  auto writer = StreamWriter::open(directory, Stream::kMetrics, options, clock);
  if (!writer) return forward(writer);
  return std::unique_ptr<Writer>{new Writer(std::move(*writer))};
}

Status Writer::claim(const std::string& host) { return writer_->claim(host); }
Status Writer::append(const SampleTable& table) { return NewFiles::with_own_name(writer_->append(table)); }
Status Writer::describe(const DeviceInfo& device) { return writer_->describe(device); }
Status Writer::note_gap(const Gap& gap) { return writer_->note_gap(gap); }
Status Writer::flush() { return NewFiles::with_own_name(writer_->flush()); }
Status Writer::close() { return NewFiles::with_own_name(writer_->close()); }
WriteStats Writer::stats() const { return writer_->stats(); }

}  // namespace laggard::archive
