#include "archive/observation_writer.h"

#include "archive/stream_writer.h"

namespace laggard::archive {

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
