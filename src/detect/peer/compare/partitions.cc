#include "detect/peer/compare/comparer.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "base/missing.h"

namespace laggard::detect {

namespace {

class Partitioned final : public Comparer {
 public:
  Partitioned(Distance distance, const CompareOptions& options) : size_(options.partition) {
    CompareOptions whole = options;
    whole.partition = 0;
    inner_ = make_comparer(distance, whole);
  }

  void set_noise_floor(double floor) override { inner_->set_noise_floor(floor); }

  void load(SortedWindow& window) override {
    whole_ = &window;
    partitions_ = partitions(window.components(), size_, window.window().index);
    if (partitions_.size() == 1) inner_->load(window);
  }

  void scores(std::span<double> s) override {
    if (partitions_.size() == 1) {
      inner_->scores(s);
      return;
    }
    for (const std::vector<std::uint32_t>& members : partitions_) {
      found_.assign(members.size(), kMissing);
      if (load_partition(members)) inner_->scores(found_);
      for (std::size_t m = 0; m < members.size(); ++m) s[members[m]] = found_[m];
    }
  }

  void distances(std::size_t component, std::span<double> d) override {
    if (partitions_.size() == 1) {
      inner_->distances(component, d);
      return;
    }
    std::ranges::fill(d, kMissing);
    for (const std::vector<std::uint32_t>& members : partitions_) {
      const auto at = std::ranges::find(members, component);
      if (at == members.end() || !load_partition(members)) continue;
      found_.assign(members.size(), kMissing);
      inner_->distances(static_cast<std::size_t>(at - members.begin()), found_);
      for (std::size_t m = 0; m < members.size(); ++m) d[members[m]] = found_[m];
    }
  }

 private:
  /// False when nobody of the partition has a sample.
  bool load_partition(const std::vector<std::uint32_t>& members) {
    const Window& whole = whole_->window();
    find_busy(members);
    values_.clear();
    values_.reserve(whole.size * places_.size());
    for (std::size_t k = 0; k < whole.size; ++k) {
      const std::span<const double> row = whole.row(k);
      for (const std::uint32_t place : places_) values_.push_back(row[place]);
    }
    Window part = whole;
    part.components = members.size();
    part.values = values_;
    part.holed.reset();
    if (whole.busy) part.busy = busy_;
    sorted_.assign(part);
    if (!sorted_.has_samples()) return false;
    inner_->load(sorted_);
    return true;
  }

  /// Who of the partition is busy, and where their samples stand in the rows of the whole.
  void find_busy(const std::vector<std::uint32_t>& members) {
    const std::span<const std::uint32_t> busy = whole_->busy();
    busy_.clear();
    places_.clear();
    auto at = busy.begin();
    for (std::size_t m = 0; m < members.size(); ++m) {
      at = std::lower_bound(at, busy.end(), members[m]);
      if (at == busy.end()) return;
      if (*at != members[m]) continue;
      busy_.push_back(static_cast<std::uint32_t>(m));
      places_.push_back(static_cast<std::uint32_t>(at - busy.begin()));
    }
  }

  std::size_t size_;
  std::unique_ptr<Comparer> inner_;
  SortedWindow* whole_ = nullptr;
  std::vector<std::vector<std::uint32_t>> partitions_;
  std::vector<std::uint32_t> busy_;
  std::vector<std::uint32_t> places_;
  std::vector<double> values_;
  std::vector<double> found_;
  SortedWindow sorted_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> partitions(std::size_t components, std::size_t size,
                                                   std::int64_t window) {
  std::vector<std::uint32_t> order(components);
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t count = std::max<std::size_t>(1, components / size);
  std::mt19937_64 random(static_cast<std::uint64_t>(window));
  // Not std::shuffle, which another library may do otherwise.
  for (std::size_t i = components; count > 1 && i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::vector<std::vector<std::uint32_t>> all;
  for (std::size_t p = 0; p < count; ++p) {
    const auto from = order.begin() + static_cast<std::ptrdiff_t>(components * p / count);
    const auto to = order.begin() + static_cast<std::ptrdiff_t>(components * (p + 1) / count);
    all.emplace_back(from, to);
    std::ranges::sort(all.back());
  }
  return all;
}

std::unique_ptr<Comparer> make_partitioned(Distance distance, const CompareOptions& options) {
  return std::make_unique<Partitioned>(distance, options);
}

}  // namespace laggard::detect
