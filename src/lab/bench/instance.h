#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace laggard::lab::bench {

/// One building of a bench: what tells the things that it makes from all others on the machine.
struct Instance {
  std::string id;                     ///< 32 hexadecimal digits of chance: nobody else's has them.
  std::string boot;                   ///< The kernel's boot id: after another boot only files can be left.
  std::uint64_t mount_namespace = 0;  ///< Inode of the mount namespace that its mounts are made in.
  bool operator==(const Instance&) const = default;
};

/// A new one, of this boot and this mount namespace.
[[nodiscard]] Result<Instance> new_instance();

[[nodiscard]] bool is_instance_id(std::string_view text);
[[nodiscard]] bool is_boot_id(std::string_view text);

/// An error when its mounts cannot be seen from here: it was built before the last boot, or in another mount
/// namespace in which somebody still lives (else its mounts are gone with it).
/// \param name  of the bench, for the sentence that says what to do
[[nodiscard]] Status check_reachable(const Instance& instance, std::string_view name);

}  // namespace laggard::lab::bench
