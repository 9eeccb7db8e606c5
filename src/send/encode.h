#pragma once

#include <memory>
#include <string>

#include "send/batch.h"

namespace laggard::send {

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
