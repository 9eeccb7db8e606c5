#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace laggard::lab {

/// How hard a fault strikes. Mild ones are meant to be hard to find.
enum class Strength : std::uint8_t { kMild, kMedium, kStrong };
inline constexpr std::size_t kStrengths = 3;

/// mild, medium, strong
[[nodiscard]] std::string_view to_name(Strength strength);
[[nodiscard]] std::optional<Strength> strength_of(std::string_view name);

/// What a fault makes sick, and so what a right diagnosis blames.
enum class Strikes : std::uint8_t { kNobody, kServer, kSwitch, kClient };

/// server, switch, client; nothing for kNobody.
[[nodiscard]] std::string_view to_name(Strikes strikes);

/// One number of a fault at its three strengths.
struct FaultParameter {
  std::string_view name{};
  std::string_view unit{};
  std::array<double, kStrengths> values{};
};

/// The workloads under which a fault has something to act on.
enum class Under : std::uint8_t { kAny, kReads, kWrites };

/// Which program can make a fault.
enum class MadeBy : std::uint8_t { kBench, kBoth };

/// A fault as data: what `laggard-lab simulate`, `bench` and `score` know of it.
struct FaultRow {
  std::string_view name{};
  std::string_view family{};    ///< link, switch, daemon, disk, traffic, client
  std::string_view resource{};  ///< Which is short: storage, network, processor, memory, metadata
  Strikes strikes = Strikes::kServer;
  MadeBy made_by = MadeBy::kBench;
  Under under = Under::kAny;
  Strength usual = Strength::kMedium;  ///< When none is named.
  /// The causes that a right diagnosis may name, separated by blanks. It may say `unknown` as well.
  std::string_view causes{};
  std::array<FaultParameter, 2> parameters{};  ///< The unused ones have no name.
  std::string_view does{};                     ///< One sentence.
  /// What the bench needs for it beyond what it always does, a word of `laggard-lab bench --list`; empty:
  /// nothing.
  std::string_view needs{};
  bool needs_files = false;  ///< On the server's disk, or its page cache: Ceph has neither.
};

/// A row of the catalogue.
class FaultKind {
 public:
  constexpr FaultKind() = default;
  constexpr explicit FaultKind(std::size_t row) : row_(row) {}
  [[nodiscard]] constexpr std::size_t row() const { return row_; }
  friend constexpr auto operator<=>(FaultKind, FaultKind) = default;

  /// No fault, and the six of F §9, which are also those of its tables.
  static const FaultKind kNone;
  static const FaultKind kDiskHog;
  static const FaultKind kDiskBusy;
  static const FaultKind kWriteNetworkHog;
  static const FaultKind kReadNetworkHog;
  static const FaultKind kReceiveLoss;
  static const FaultKind kSendLoss;

 private:
  std::size_t row_ = 0;
};

constexpr inline FaultKind FaultKind::kNone{0};
constexpr inline FaultKind FaultKind::kDiskHog{1};
constexpr inline FaultKind FaultKind::kDiskBusy{2};
constexpr inline FaultKind FaultKind::kWriteNetworkHog{3};
constexpr inline FaultKind FaultKind::kReadNetworkHog{4};
constexpr inline FaultKind FaultKind::kReceiveLoss{5};
constexpr inline FaultKind FaultKind::kSendLoss{6};

/// The first rows of the catalogue: `none` and F's six.
inline constexpr std::size_t kPaperFaults = 7;

/// All faults; the first is `none`.
[[nodiscard]] std::span<const FaultRow> fault_catalogue();

[[nodiscard]] const FaultRow& about(FaultKind kind);
[[nodiscard]] std::string_view to_name(FaultKind kind);
[[nodiscard]] std::optional<FaultKind> fault_of(std::string_view name);
/// The same for those that a simulated cluster can have.
[[nodiscard]] std::optional<FaultKind> simulated_fault_of(std::string_view name);
[[nodiscard]] std::vector<std::string> simulated_fault_names();

/// The value of a parameter. Requires that the fault has one of that name.
[[nodiscard]] double value_of(FaultKind kind, Strength strength, std::string_view parameter);

/// A fault and how hard it strikes.
struct SizedFault {
  FaultKind kind;
  Strength strength = Strength::kMedium;
  friend bool operator==(const SizedFault&, const SizedFault&) = default;
};

/// `link-rate:strong`, or `link-rate` for its usual strength; nothing when either is unknown.
[[nodiscard]] std::optional<SizedFault> sized_fault_of(std::string_view text);

/// Whether a diagnosis that names `cause` for the fault of that name is right. A fault that is not in the
/// catalogue has one right cause, its name.
[[nodiscard]] bool is_right_cause(std::string_view fault, std::string_view cause);

}  // namespace laggard::lab
