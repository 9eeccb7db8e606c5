#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collect/procfs/link_state.h"
#include "collect/procfs/proc_tables.h"
#include "collect/record/sampler.h"

namespace laggard::collect {

/// Interface name to its addresses, in text.
using AddressesByInterface = std::map<std::string, std::vector<std::string>>;

/// The present addresses of this machine (network namespace), without link-local scopes, sorted.
[[nodiscard]] AddressesByInterface local_addresses();

struct NetOptions {
  std::vector<std::string> globs;  ///< Empty: every interface but `lo`.
  /// The source of addresses; empty when the root is not this machine's.
  std::function<AddressesByInterface()> addresses;
  /// The kernel's number of an interface in the recorder's network namespace. /sys may have been mounted in
  /// another one, where the same name is another interface; empty when it cannot be known.
  std::function<unsigned(const std::string&)> index;
  /// What the kernel says of a link of that namespace; empty: what /sys says.
  std::function<LinkState(const std::string&)> link;
};

/// Samples /proc/net/dev below `root`, and describes its interfaces from /sys.
class NetSampler final : public Sampler {
 public:
  [[nodiscard]] static Result<std::unique_ptr<NetSampler>> open(const std::filesystem::path& root,
                                                                std::string host, NetOptions options,
                                                                Notices& notices);

  void sample(Clock& clock) override;
  [[nodiscard]] Batch& batch() override { return batch_; }
  [[nodiscard]] std::vector<DeviceInfo> take_facts() override;
  [[nodiscard]] std::size_t devices() const override { return present_; }

 private:
  NetSampler(ProcFile file, std::filesystem::path root, std::string host, NetOptions options,
             Notices& notices);

  [[nodiscard]] bool wanted(const std::string& name) const;
  void record(TrackedDevice& device, std::string_view counters);
  void look_at_links();
  void look_for_unmatched();
  [[nodiscard]] bool is_in_sys(const std::string& name) const;
  void describe();
  [[nodiscard]] Facts facts(const std::string& name, const AddressesByInterface& addresses);

  ProcFile file_;
  std::filesystem::path root_;
  NetOptions options_;
  Notices* notices_;
  Batch batch_;
  DeviceTracker tracker_;
  std::size_t present_ = 0;
  bool looked_ = false;  ///< Whether every pattern matches something; once.
  MonoTime describe_at_;
  MonoTime look_at_;
  std::map<std::string, LinkState> links_;  ///< As last looked at, every kLookEvery.
  ToldFacts told_;                          ///< What the sink was last given.
  std::vector<DeviceInfo> news_;
};

}  // namespace laggard::collect
