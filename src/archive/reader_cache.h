#pragma once

#include <memory>

namespace laggard::archive {

/// What readers of the same recordings, one after the other, tell the next one: which files were finished and
/// have not changed since, which blocks of the others have been listed, and what they say of hosts and
/// devices. A reader with a cache sees what one without would see, but opens only what has changed or is to
/// be read, and looks only at blocks that are new.
///
/// It holds no file open and no state of a file: between two readers writers do as they like. What it
/// remembers is bounded by hosts and devices, and a few numbers for each file that is there.
class ReaderCache {
 public:
  ReaderCache();
  ReaderCache(const ReaderCache&) = delete;
  ReaderCache& operator=(const ReaderCache&) = delete;
  ~ReaderCache();

  struct Content;
  [[nodiscard]] Content& content() { return *content_; }

 private:
  std::unique_ptr<Content> content_;
};

}  // namespace laggard::archive
