#include "archive/reader.h"

#include <algorithm>

#include "archive/file_set.h"
#include "archive/file_set_readers.h"

namespace laggard::archive {

class Reader::Impl {
 public:
  explicit Impl(const ReaderOptions& options) : verify(options.verify), files(options) {
    LAGGARD_CHECK(!(verify && options.cache != nullptr));
  }
  bool verify;
  FileSet files;
};

Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader::~Reader() = default;

Result<std::unique_ptr<Reader>> Reader::open(std::span<const std::filesystem::path> paths,
                                             const ReaderOptions& options) {
  auto impl = std::make_unique<Impl>(options);
  for (const std::filesystem::path& path : paths) {
    if (Status added = impl->files.add(path); !added) return forward(added);
  }
  if (Status named = impl->files.name_foreign_files(); !named) return forward(named);
  impl->files.end_listing();
  return std::unique_ptr<Reader>{new Reader(std::move(impl))};
}

Result<Inventory> Reader::inventory() { return take_inventory(impl_->files, impl_->verify); }

Result<std::unique_ptr<TableReader>> Reader::read(const ReadRequest& request) {
  return make_table_reader(impl_->files, request);
}

Result<std::vector<ObservationStream>> Reader::observations() {
  return list_observations(impl_->files, impl_->verify);
}

Result<std::unique_ptr<EventReader>> Reader::read_events(const ObservationRequest& request) {
  return make_observation_reader<EventTable>(impl_->files, request);
}

Result<std::unique_ptr<ProfileReader>> Reader::read_profiles(const ObservationRequest& request) {
  return make_observation_reader<ProfileTable>(impl_->files, request);
}

std::vector<std::string> Reader::notices() const { return impl_->files.notices(); }

std::vector<std::string> Reader::damaged() const {
  return {impl_->files.damaged().begin(), impl_->files.damaged().end()};
}

std::vector<TimeSpan> Reader::disorder() const {
  std::vector<TimeSpan> spans = impl_->files.disorder();
  std::ranges::sort(spans, {}, &TimeSpan::from);
  std::vector<TimeSpan> joined;
  for (const TimeSpan& span : spans) {
    if (joined.empty() || span.from > joined.back().to) {
      joined.push_back(span);
    } else {
      joined.back().to = std::max(joined.back().to, span.to);
    }
  }
  return joined;
}

std::vector<std::filesystem::path> Reader::files() const {
  std::vector<std::filesystem::path> paths;
  for (const SourceFile& file : impl_->files.files()) paths.push_back(file.path);
  return paths;
}

}  // namespace laggard::archive
