#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "collect/samples/perf_record.h"
#include "collect/samples/process_maps.h"

namespace laggard::collect {

/// A process as samples need it.
struct SampledProcess {
  std::string name;                         ///< Of its first thread; empty: it was gone before we looked.
  std::shared_ptr<const ProcessMaps> maps;  ///< Shared with the process that it was forked from.
  bool is_kernel = false;                   ///< It has no memory of its own.
  MonoTime looked{};                        ///< When /proc was read.
};

/// The processes that samples were of. They are looked at in /proc when they are first seen; from then on the
/// kernel's records tell what they execute, map and fork, so that those are known, too, that are gone before
/// their samples are read.
class ProcessTable {
 public:
  /// Of more, all are forgotten and looked at again.
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  explicit ProcessTable(std::filesystem::path root) : root_(std::move(root)) {}

  void take(const PerfMapped& mapped);
  void take(const PerfNamed& named);
  void take(const PerfForked& forked, MonoTime now);
  void take(const PerfExited& exited);

  /// Valid until another process is asked for.
  [[nodiscard]] const SampledProcess& of(std::uint32_t process, MonoTime now);
  /// What is known of it is looked up again in /proc.
  void look_again(std::uint32_t process, MonoTime now);
  /// The piece of memory that has an address; what records were lost about is looked up in /proc again, not
  /// too often. Valid as long as that of `of`.
  [[nodiscard]] const Mapping* find(std::uint32_t process, std::uint64_t address, MonoTime now);

 private:
  [[nodiscard]] SampledProcess look_at(std::uint32_t process, MonoTime now) const;
  void make_room();

  std::filesystem::path root_;
  std::unordered_map<std::uint32_t, SampledProcess> processes_;
};

}  // namespace laggard::collect
