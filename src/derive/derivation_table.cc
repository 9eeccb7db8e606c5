#include "derive/derivation_table.h"

#include <array>

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

/// System calls do not tell what their process is called, so that all that were recorded of a host are one
/// daemon.
constexpr std::array kTable{
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
