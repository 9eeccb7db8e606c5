#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "send/window.h"

namespace laggard::send {

/// Some samples of one series that follow each other. Looks into a window, which must outlive it.
struct Part {
  const Labels* labels = nullptr;
  std::span<const Sample> samples;
};

/// The samples of a stream in a stretch of time.
struct Slice {
  StreamKey stream;
  std::vector<Part> parts;
  std::size_t samples = 0;
  /// Up to here, inclusive, the stream has been sent when the slices up to this one have been. Nothing for a
  /// part of the devices of one time.
  std::optional<std::int64_t> complete_to_ms;
};

/// What goes to the server in one request, which it takes or refuses as a whole.
using Batch = std::vector<Slice>;

[[nodiscard]] std::size_t samples_of(const Batch& batch);

/// A window in batches of at most `most` samples, those of a stream in order of time and cut between times,
/// so that a position can say how far it came. Only a single time with more than `most` samples is cut
/// within.
[[nodiscard]] std::vector<Batch> cut_batches(const Window& window, std::size_t most);

/// A slice time by time; what a server refuses is found so.
[[nodiscard]] std::vector<Slice> rows_of(const Slice& slice);

/// Slices of one stream that follow each other, as one again. Requires at least one.
[[nodiscard]] Slice joined(std::span<const Slice> rows);

/// Writes batches as bodies of Prometheus' remote write 0.1.0: a WriteRequest in protobuf, in one snappy
/// block (https://prometheus.io/docs/concepts/remote_write_spec). Keeps its memory from batch to batch.
class Encoder {
 public:
  Encoder();
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder();

  [[nodiscard]] std::string encode(const Batch& batch);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace laggard::send
