#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace laggard {

/// An array of fixed size that begins as zeros without having been written to: of a large one, pages that
/// nobody touches take no memory and no time, which a vector, whose constructor writes its zeros, cannot
/// offer.
template <typename T>
class ZeroedArray {
 public:
  static_assert(std::is_integral_v<T>, "all bits zero is the value zero");

  ZeroedArray() = default;
  explicit ZeroedArray(std::size_t size) : data_(allocate(size)), size_(size) {}
  ZeroedArray(const ZeroedArray& other) : ZeroedArray(other.size_) {
    std::copy_n(other.data_.get(), size_, data_.get());
  }
  ZeroedArray(ZeroedArray&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  ZeroedArray& operator=(ZeroedArray other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~ZeroedArray() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<T> span() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  static T* allocate(std::size_t size) {
    if (size == 0) return nullptr;
    auto* const data = static_cast<T*>(std::calloc(size, sizeof(T)));
    if (data == nullptr) throw std::bad_alloc();
    return data;
  }

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace laggard
