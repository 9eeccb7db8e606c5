#include "collect/syscalls/call_shapes.h"

#include <fcntl.h>

#include <optional>

#include "collect/syscalls/call_text.h"

namespace laggard::collect {

namespace {

/// What the text of a descriptor depends on; nothing for numbers that are none.
std::optional<std::uint64_t> part_of_descriptor(std::int32_t number, std::uint32_t process,
                                                DescriptorTables& descriptors) {
  constexpr unsigned kNumberBits = 24;
  if (number < 0 || number >> kNumberBits != 0) return std::nullopt;
  const DescriptorTables::Descriptor* const known = descriptors.descriptor(process, number);
  const std::uint64_t id = known == nullptr ? 0 : known->id;
  return id << kNumberBits | static_cast<std::uint64_t>(number);
}

}  // namespace

std::uint64_t CallShapes::take_value(std::uint64_t value) {
  values_.at(count_++) = value;
  return UINT64_MAX;
}

/// As ArgumentText writes it.
std::uint64_t CallShapes::part_of(char letter, std::uint64_t value) {
  const auto number = static_cast<std::int32_t>(value);
  switch (letter) {
    case 'p':
      return value == 0 ? 0 : take_value(value);
    case 'i':
      return is_in_text(number) ? static_cast<std::uint32_t>(number)
                                : take_value(static_cast<std::uint64_t>(std::int64_t{number}));
    case 'o':
    case 'O':
    case 'S':
      return static_cast<std::uint32_t>(number);
    default:
      return take_value(value);
  }
}

/// False when the call has no shape.
bool CallShapes::set_key(const wire::CallRecord& call, const SyscallSpec& spec,
                         DescriptorTables& descriptors) {
  count_ = 0;
  if (spec.paths != 0 || spec.effect == wire::kMakesResult) return false;
  key_[0] = call.head.number;
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const char letter = spec.arguments[i];
    const std::uint64_t value = call.arguments[i];
    const auto number = static_cast<std::int32_t>(value);
    if (letter == 'D' && number == AT_FDCWD) {
      key_[i + 1] = UINT64_MAX;
    } else if (letter == 'f' || letter == 'D') {
      const auto part = part_of_descriptor(number, call.head.process, descriptors);
      if (!part) return false;
      key_[i + 1] = *part;
    } else {
      key_[i + 1] = part_of(letter, value);
    }
  }
  return true;
}

const CallShapes::Shape* CallShapes::find(const wire::CallRecord& call, const SyscallSpec& spec,
                                          DescriptorTables& descriptors) {
  constexpr std::uint64_t kOdd =
      0x9e3779b97f4a7c15;            // 2^64 / golden ratio: spreads what differs in few bits.
  constexpr unsigned kHighest = 54;  // Leaves as many bits as number the slots.
  static_assert(kSlots == std::size_t{1} << (64 - kHighest));
  last_ = nullptr;
  if (!set_key(call, spec, descriptors)) return nullptr;
  // The call's number says how many arguments there are.
  const std::span<const std::uint64_t> parts = std::span(key_).first(1 + spec.arguments.size());
  std::uint64_t hash = 0;
  for (const std::uint64_t part : parts) hash = (hash ^ part) * kOdd;
  last_ = &slots_[hash >> kHighest];
  if (last_->shape.id == 0) return nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (last_->key[i] != parts[i]) return nullptr;
  }
  return &last_->shape;
}

std::uint32_t CallShapes::keep(std::string_view arguments, std::string_view object, bool is_direct) {
  if (last_ == nullptr) return 0;
  if (++last_id_ == 0) ++last_id_;
  *last_ = {.key = key_,
            .shape = {.id = last_id_,
                      .arguments = std::string(arguments),
                      .object = std::string(object),
                      .is_direct = is_direct}};
  return last_id_;
}

}  // namespace laggard::collect
