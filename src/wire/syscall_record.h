#pragma once

/// What the kernel side of `record syscalls` writes into its ring, as its C layout: read by the program in
/// collect/syscalls that the kernel runs and by the decoder beside it. Both are built together, so that the
/// layout has no version; sizes are asserted because two compilers have to agree.
///
/// A record is one of the structs below and, behind it, text up to `head.bytes`.

#ifdef __cplusplus
#include <cstdint>
namespace laggard::wire {
using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;
#define LAGGARD_WIRE_SIZE(type, bytes) static_assert(sizeof(type) == (bytes))
#else
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define LAGGARD_WIRE_SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#endif

// Limits in bytes. A path that a call names is read up to kPathBytes with its NUL, two of them at most; the
// path of a file is walked from its end to its root and kept up to kWalkBytes and one more name.
enum SyscallLimits {
  kCallNumbers = 512,
  kPathBytes = 256,
  kTextBytes = 512,
  kNameBytes = 256,
  kWalkBytes = 512,
  kWalkRoom = 768,  // kWalkBytes + kNameBytes
  kComms = 16,
  kCommBytes = 16,
  kProcesses = 64,
  kCpus = 256,
};

enum RecordKind {
  kCallRecord = 1,  // A call that returned. CallRecord; behind it the paths that it names, each with its NUL.
  kResumedRecord,   // A call that returned and was under way when tracing began: no start, no arguments.
  kUnfinishedRecord,  // A call under way when its thread or the tracing ended. CallRecord with its paths.
  kSignalRecord,      // A signal that was delivered: `number`. MomentRecord.
  kExitRecord,        // The end of a thread: `code`. MomentRecord.
  kForkRecord,        // `other_process`, `other_thread` were made. MomentRecord.
  kJoinRecord,        // A process that is traced from now on, because of its name. MomentRecord.
  kDescriptorRecord,  // What a descriptor stands for from now on. DescriptorRecord; behind it a path.
  kRunningRecord,     // A call that has been under way for `took_ns` and still is. CallRecord without paths.
};

enum RecordFlags {
  kCompatFlag = 1,        // A call of 32-bit code, whose numbers are others.
  kCloseOnExecFlag = 2,   // Of a descriptor.
  kCutFlag = 4,           // The text was longer.
  kDeletedFlag = 8,       // The file of a descriptor has no name any more.
  kFilesSharedFlag = 16,  // Of a fork: both have the same descriptors.
  kLastThreadFlag = 32,   // Of an exit: the process ends with it.
  kDirectFlag = 64,       // Of a descriptor: opened with O_DIRECT.
};

// What a call does to descriptors, so that the kernel side looks at them as it returns.
enum DescriptorEffect {
  kNoEffect = 0,
  kMakesResult,   // The result is a new descriptor.
  kMakesPairAt0,  // The first argument points to two new ones, ...
  kMakesPairAt3,  // ... or the fourth.
  kChangesFirst,  // The first argument is one that stands for more now: connect, bind.
  kFcntl,         // One of these, as the command of fcntl or ioctl says.
  kReceives,      // recvmsg: may bring some along, ...
  kReceivesMany,  // ... and so may each message of recvmmsg.
};

struct RecordHead {
  uint32_t bytes;   // Of the whole record.
  uint8_t kind;     // RecordKind
  uint8_t flags;    // RecordFlags
  uint16_t number;  // Of the call or the signal.
  uint32_t process;
  uint32_t thread;
};
LAGGARD_WIRE_SIZE(RecordHead, 16);

// Times are in ns of CLOCK_MONOTONIC.
struct CallRecord {
  struct RecordHead head;
  uint64_t sequence;  // Counts calls in the order in which they began.
  uint64_t start_ns;
  uint64_t took_ns;
  int64_t result;
  uint64_t arguments[6];
};
LAGGARD_WIRE_SIZE(CallRecord, 96);

struct MomentRecord {
  struct RecordHead head;
  uint64_t time_ns;
  int32_t code;            // si_code of a signal; of an exit as of wait(2).
  uint32_t other_process;  // Of a signal: its sender, where it has one.
  uint32_t other_thread;
  uint32_t reserved;
};
LAGGARD_WIRE_SIZE(MomentRecord, 40);

// The text is the path's names from its end to its root, each with its NUL; of a Unix socket its address.
struct DescriptorRecord {
  struct RecordHead head;
  uint64_t time_ns;
  uint64_t inode;
  int32_t descriptor;
  uint32_t mode;    // As of stat(2).
  uint32_t magic;   // Of the file system, as of statfs(2).
  uint16_t family;  // Of a socket; AF_UNSPEC otherwise.
  uint16_t socket_type;
  uint16_t protocol;
  uint16_t local_port;  // In the machine's order.
  uint16_t peer_port;
  uint16_t reserved;
  uint8_t local[16];
  uint8_t peer[16];
};
LAGGARD_WIRE_SIZE(DescriptorRecord, 88);

#undef LAGGARD_WIRE_SIZE
#ifdef __cplusplus
}  // namespace laggard::wire
#endif
