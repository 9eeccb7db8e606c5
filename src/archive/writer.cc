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

ObservationWriter::ObservationWriter(std::filesystem::path directory, const WriterOptions& options,
                                     Clock& clock)
    : directory_(std::move(directory)), options_(options), clock_(clock) {
  options_.existing = Existing::kAppend;
}

ObservationWriter::~ObservationWriter() = default;

Result<StreamWriter*> ObservationWriter::writer(ObservationShape shape) {
  const bool events = shape == ObservationShape::kEvents;
  std::unique_ptr<StreamWriter>& writer = events ? events_ : profiles_;
  if (writer == nullptr) {
    auto opened =
        StreamWriter::open(directory_, events ? Stream::kEvents : Stream::kProfiles, options_, clock_);
    if (!opened) return forward(opened);
    writer = std::move(*opened);
  }
  return writer.get();
}

Status ObservationWriter::claim(ObservationShape shape, const std::string& host) {
  Result<StreamWriter*> stream = writer(shape);
  return stream ? (*stream)->claim(host) : Status(forward(stream));
}

Result<std::vector<std::string>> ObservationWriter::bookmarks(const std::string& host,
                                                              const std::string& kind) {
  Result<StreamWriter*> stream = writer(ObservationShape::kEvents);
  if (!stream) return forward(stream);
  return (*stream)->bookmarks(host, kind);
}

Status ObservationWriter::append(const EventTable& table) {
  Result<StreamWriter*> stream = writer(ObservationShape::kEvents);
  return stream ? (*stream)->append(table) : Status(forward(stream));
}

Status ObservationWriter::append(const ProfileTable& table) {
  Result<StreamWriter*> stream = writer(ObservationShape::kProfiles);
  return stream ? (*stream)->append(table) : Status(forward(stream));
}

Status ObservationWriter::note_gap(ObservationShape shape, const Gap& gap) {
  Result<StreamWriter*> stream = writer(shape);
  return stream ? (*stream)->note_gap(gap) : Status(forward(stream));
}

Status ObservationWriter::flush() {
  Status result;
  for (const auto* stream : {&events_, &profiles_}) {
    Status flushed = *stream == nullptr ? Status{} : (*stream)->flush();
    if (result) result = std::move(flushed);
  }
  return result;
}

Status ObservationWriter::close() {
  Status result;
  for (const auto* stream : {&events_, &profiles_}) {
    Status closed = *stream == nullptr ? Status{} : (*stream)->close();
    if (result) result = std::move(closed);
  }
  return result;
}

WriteStats ObservationWriter::stats() const {
  WriteStats sum;
  for (const auto* stream : {&events_, &profiles_}) {
    if (*stream == nullptr) continue;
    sum.rows_added += (*stream)->stats().rows_added;
    sum.samples_lost += (*stream)->stats().samples_lost;
  }
  return sum;
}

}  // namespace laggard::archive
