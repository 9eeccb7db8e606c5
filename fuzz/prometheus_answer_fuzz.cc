// Answers come from whatever listens at the URL that was given.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/http_client.h"
#include "collect/import/prometheus/answer.h"
#include "model/exporter_names.h"

namespace {

class Receiver final : public laggard::collect::SeriesReceiver {
 public:
  bool series(const laggard::collect::Labels& labels) override {
    named_ = true;
    const auto name = labels.find("__name__");
    exported_ = name == labels.end() ? nullptr : laggard::find_exported(name->second);
    return exported_ != nullptr;
  }
  void sample(std::int64_t /*time_ms*/, std::string_view value) override {
    LAGGARD_CHECK(named_ && exported_ != nullptr);
    static_cast<void>(laggard::stored_value(*exported_, value));
  }

 private:
  bool named_ = false;
  const laggard::ExportedCounter* exported_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Receiver receiver;
  static_cast<void>(laggard::collect::parse_answer(text, receiver));
  static_cast<void>(laggard::parse_server_url(text));
  return 0;
}
