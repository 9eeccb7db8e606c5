#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "derive/message_reads.h"
#include "model/event.h"
#include "model/transfer_rules.h"

namespace laggard::derive {

/// What recorded system calls come to: reads and writes of storage, and messages that were read from sockets
/// (docs/methods/syscalls.md). What comes out are events for EventMeters:
///
/// - of the kind kStorageCallKind, `dread`, `dwrite` and `direct-dwrite`, about the host;
/// - of the kind kMessageKind, about the pair of addresses that TransferRules::request_peers names;
/// - of both kinds, a mark in each interval in which a call returned.
///
/// The time of such an event is when it was over, as the kernel counts the requests of disks, and not when it
/// began: what takes long would otherwise become known when the time of its beginning has been judged.
///
/// Calls may come in any order; they are looked at in the order in which they returned. What calls come to
/// does not depend on where reading began, but for calls and messages that were under way then: a message
/// reaches back kMemory at most.
class Transfers {
 public:
  static constexpr std::string_view kStorageCallKind = "storage-call";
  static constexpr std::string_view kMessageKind = "message";
  static constexpr std::string_view kMark = "recorded";
  static constexpr std::string_view kRead = "dread";
  static constexpr std::string_view kWrite = "dwrite";
  static constexpr std::string_view kDirectWrite = "direct-dwrite";
  static constexpr std::string_view kMessage = "message";
  static constexpr Duration kMemory = MessageReads::kLongest + MessageReads::kPause;
  /// Calls that wait for others that returned before them, and, of a host, sockets and files opened with
  /// O_DIRECT that are known at a time. What comes beyond it is lost.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;
  static constexpr std::size_t kMostObjects = std::size_t{1} << 16;

  /// \param cadence  of the marks.
  Transfers(TransferRules rules, Duration cadence) : rules_(std::move(rules)), cadence_(cadence) {}

  /// System calls.
  void add(const EventTable& table);
  /// All calls that began before `until` have been added: what those that returned by then come to.
  [[nodiscard]] std::vector<EventTable> take(WallTime until);
  /// By host: calls that came to nothing.
  [[nodiscard]] const std::map<std::string, Unused>& unused() const { return unused_; }

 private:
  enum class Action : std::uint8_t { kNone, kRead, kWrite, kReceive, kSend, kOpenDirect, kClose, kForget };
  /// A socket, or a file opened with O_DIRECT.
  struct Object {
    std::string peers;          ///< Of a socket; empty: a file.
    std::uint32_t waiting = 0;  ///< Calls about it.
    std::uint32_t direct = 0;   ///< How many descriptors have it open with O_DIRECT.
    MessageReads reads;

    [[nodiscard]] bool is_in_use() const { return waiting > 0 || direct > 0 || reads.is_open(); }
  };
  struct Call {
    WallTime end;
    std::uint64_t order = 0;  ///< Of those that ended at the same time.
    WallTime begin;
    std::int64_t result = 0;
    Action action = Action::kNone;
    bool is_timed = false;
    bool is_direct = false;  ///< The recorder says that its file was opened with O_DIRECT.
    Object* object = nullptr;
  };
  struct Later {
    bool operator()(const Call& a, const Call& b) const {
      return a.end != b.end ? a.end > b.end : a.order > b.order;
    }
  };
  struct Host {
    std::map<std::string, Object, std::less<>> objects;
    Object storage;  ///< Stands for every other file.
    std::priority_queue<Call, std::vector<Call>, Later> waiting;
    TimeSpan marked{WallTime::max(), WallTime::min()};  ///< The interval of the last mark.
    EventTable calls;
    EventTable messages;
  };
  class Calls;

  Host& host_of(const std::string& name);
  /// Null: it is none that counts. Nothing: there is no room.
  [[nodiscard]] std::optional<Object*> find_object(Host& host, std::string_view text, bool opens_direct);
  void lose(Host& host, const std::string& name, TimeSpan when);
  void mark(Host& host, WallTime time) const;
  static void process(Host& host, const Call& call);
  static void process_read(Host& host, const Call& call);
  static void process_write(Host& host, const Call& call);
  static void tell_storage(Host& host, const Call& call, std::string_view what);
  static void tell_message(Host& host, const Object& socket, const std::optional<MessageReads::Message>& one);
  static void look_at_open(Host& host, WallTime until);

  TransferRules rules_;
  Duration cadence_;
  std::map<std::string, Host> hosts_;
  std::size_t waiting_ = 0;
  std::uint64_t order_ = 0;
  WallTime taken_ = WallTime::min();
  WallTime looked_ = from_unix_ns(0);  ///< The interval in which messages that are over were looked for.
  std::map<std::string, Unused> unused_;
};

}  // namespace laggard::derive
