#include "send/encode.h"

#include <remote_write.pb.h>
#include <snappy.h>

#include "base/error.h"

namespace laggard::send {

struct Encoder::Buffers {
  wire::WriteRequest request;
  std::string plain;
};

Encoder::Encoder() : buffers_(std::make_unique<Buffers>()) {}
Encoder::~Encoder() = default;

std::string Encoder::encode(const Batch& batch) {
  wire::WriteRequest& request = buffers_->request;
  request.Clear();
  for (const Slice& slice : batch) {
    for (const Part& part : slice.parts) {
      wire::TimeSeries& series = *request.add_timeseries();
      for (const auto& [name, value] : *part.labels) {
        wire::Label& label = *series.add_labels();
        label.set_name(name);
        label.set_value(value);
      }
      for (const Sample& sample : part.samples) {
        wire::Sample& sent = *series.add_samples();
        sent.set_value(sample.value);
        sent.set_timestamp(sample.ms);
      }
    }
  }
  LAGGARD_CHECK(request.SerializeToString(&buffers_->plain));
  std::string packed;
  snappy::Compress(buffers_->plain.data(), buffers_->plain.size(), &packed);
  return packed;
}

}  // namespace laggard::send
