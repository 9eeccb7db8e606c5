#include "derive/derivation_table.h"

#include <array>

#include "derive/call_counts.h"
#include "derive/transfers.h"
#include "model/syscall_event.h"

namespace laggard::derive {

namespace {

using std::chrono::nanoseconds;

constexpr std::array kStorageCounters{
    DerivedCounter{.name = "dreads", .what = Transfers::kRead},
    DerivedCounter{
        .name = "dread_ns", .counted = Counted::kDurations, .what = Transfers::kRead, .unit = nanoseconds(1)},
    DerivedCounter{.name = "dwrites", .what = Transfers::kWrite},
    DerivedCounter{.name = "dwrite_ns",
                   .counted = Counted::kDurations,
                   .what = Transfers::kWrite,
                   .unit = nanoseconds(1)},
    DerivedCounter{.name = "direct_dwrites", .what = Transfers::kDirectWrite},
    DerivedCounter{.name = "direct_dwrite_ns",
                   .counted = Counted::kDurations,
                   .what = Transfers::kDirectWrite,
                   .unit = nanoseconds(1)},
};

constexpr std::array kMessageCounters{
    DerivedCounter{.name = "messages", .what = Transfers::kMessage},
    DerivedCounter{.name = "message_ns",
                   .counted = Counted::kDurations,
                   .what = Transfers::kMessage,
                   .unit = nanoseconds(1)},
};

constexpr DerivedCounter sum_of(std::string_view name, std::string_view what, std::string_view attribute) {
  return {.name = name, .counted = Counted::kAttribute, .what = what, .attribute = attribute};
}

constexpr std::array kCountedStorageCounters{
    sum_of("dreads", Transfers::kRead, CallCounts::kCalls),
    sum_of("dread_ns", Transfers::kRead, CallCounts::kNanoseconds),
    sum_of("dwrites", Transfers::kWrite, CallCounts::kCalls),
    sum_of("dwrite_ns", Transfers::kWrite, CallCounts::kNanoseconds),
    sum_of("direct_dwrites", Transfers::kDirectWrite, CallCounts::kCalls),
    sum_of("direct_dwrite_ns", Transfers::kDirectWrite, CallCounts::kNanoseconds),
};

constexpr std::array kCountedMessageCounters{
    sum_of("messages", Transfers::kMessage, CallCounts::kCalls),
    sum_of("message_ns", Transfers::kMessage, CallCounts::kNanoseconds),
};

/// System calls do not tell what their process is called, so that all that were recorded of a host are one
/// daemon. Where their counts were recorded, too, these come first: not every call needs to be there then.
constexpr std::array kTable{
    Derivation{.events = CallCounts::kStorageCountKind,
               .kind = DeviceKind::kDaemon,
               .device = "storage-calls",
               .counters = kCountedStorageCounters,
               .mark = Transfers::kMark},
    Derivation{.events = CallCounts::kMessageCountKind,
               .kind = DeviceKind::kTcp,
               .counters = kCountedMessageCounters,
               .mark = Transfers::kMark},
    Derivation{.events = Transfers::kStorageCallKind,
               .kind = DeviceKind::kDaemon,
               .device = "storage-calls",
               .counters = kStorageCounters,
               .mark = Transfers::kMark,
               .is_of_transfers = true},
    Derivation{.events = Transfers::kMessageKind,
               .kind = DeviceKind::kTcp,
               .counters = kMessageCounters,
               .mark = Transfers::kMark,
               .is_of_transfers = true},
};

}  // namespace

std::string_view Derivation::recorded() const { return is_of_transfers ? kSyscallKind : events; }

std::span<const Derivation> derivation_table() { return kTable; }

}  // namespace laggard::derive
