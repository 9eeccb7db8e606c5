#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

namespace laggard::collect {

/// Says each thing that a recorder lacks once, however often it comes up.
class Notices {
 public:
  using Say = std::function<void(const std::string&)>;
  explicit Notices(Say say) : say_(std::move(say)) {}

  void once(const std::string& sentence) {
    if (said_.size() < kMost && said_.insert(sentence).second) say_(sentence);
  }

 private:
  /// A recorder that finds more than this to say has said enough.
  static constexpr std::size_t kMost = 1000;

  Say say_;
  std::set<std::string> said_;
};

}  // namespace laggard::collect
