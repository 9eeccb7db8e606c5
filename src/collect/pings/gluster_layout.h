#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collect/pings/gluster_graph.h"

namespace laggard::collect {

/// What GlusterFS answers when it is asked for the extended attribute `glusterfs.pathinfo`.
struct GlusterPathinfo {
  /// Names whose hash lies between both, ends included, belong to the subvolume.
  struct Range {
    std::string subvolume;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool operator==(const Range&) const = default;
  };
  std::vector<GlusterBrick>
      bricks;                 ///< Those that hold it, and answered; called as their hosts call themselves.
  std::vector<Range> layout;  ///< Of a directory: how names in it are distributed.
};

/// Reads `(<DISTRIBUTE:v-dht> <POSIX(/bricks/b1):fs1:/bricks/b1/dir/file>)`, or of a directory
/// `((<DISTRIBUTE:v-dht> <POSIX(…):…:…> …) (v-dht-layout (v-client-0 0 1431655764) …))`. Replicas and
/// fragments are listed within `(<REPLICATE:…> …)` and `(<EC:…> …)`.
/// \return nothing when it names no brick.
[[nodiscard]] std::optional<GlusterPathinfo> parse_gluster_pathinfo(std::string_view text);

/// The hash by which GlusterFS places the file of this name: Davies-Meyer over the Tiny Encryption Algorithm,
/// 6 rounds for each 16 bytes and 10 for the last ones (gf_dm_hashfn in its libglusterfs/src/hashfn.c).
/// \param name  of ASCII; without an extension after a leading dot, which GlusterFS would leave out.
[[nodiscard]] std::uint32_t gluster_hash(std::string_view name);

/// Where files of one directory must lie to be on a target.
struct GlusterPlacement {
  std::vector<GlusterPathinfo::Range> ranges;  ///< Of its names; empty: none come to lie there.
  std::vector<GlusterBrick> bricks;            ///< As in a pathinfo.

  [[nodiscard]] bool is_named_for(std::string_view name) const;
  /// All bricks that hold it are the target's.
  [[nodiscard]] bool holds(const GlusterPathinfo& file) const;
};

/// Whether two names are of one host.
using SameHost = std::function<bool(const std::string&, const std::string&)>;

/// \param target     one of `graph`
/// \param directory  its pathinfo. Its bricks go by the hosts' own names, those of the graph by what the
///                   volume was made with; only where a path is that of several bricks are hosts compared
[[nodiscard]] GlusterPlacement place_on(const GlusterSubvolume& target, const GlusterPathinfo& directory,
                                        std::span<const GlusterSubvolume> graph, const SameHost& same_host);

/// By name (may_be_same_host), or because both resolve to a common address.
[[nodiscard]] bool is_same_host(const std::string& one, const std::string& other);

}  // namespace laggard::collect
