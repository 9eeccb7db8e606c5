#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace laggard {

/// An uninitialised array of fixed size, for code that writes every element before it reads it. The pages of
/// a large one that are never touched cost nothing; a vector would write zeros into all of them.
template <typename T>
class RawArray {
 public:
  static_assert(std::is_trivial_v<T>, "nothing is constructed");

  RawArray() = default;
  explicit RawArray(std::size_t size) : data_(std::make_unique_for_overwrite<T[]>(size)), size_(size) {}
  RawArray(const RawArray& other) : RawArray(other.size_) {
    // Bytes, because some of them may never have been written.
    if (size_ > 0) std::memcpy(data_.get(), other.data_.get(), size_ * sizeof(T));
  }
  RawArray(RawArray&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  RawArray& operator=(RawArray other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~RawArray() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<T> span() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace laggard
