#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace laggard::topology {

// How the tables of a system file are written. Shared by everything that writes one, so that all look alike.

/// A host as the file will describe it.
struct HostText {
  std::string name;
  std::vector<std::string> devices;    ///< In order of rank; empty for clients.
  std::vector<std::string> addresses;  ///< Those that no other host has, in natural order.
};

/// Whether a node set can hold the name as it is.
[[nodiscard]] bool expressible(std::string_view name);

/// For comments and messages that quote foreign text: everything but printable ASCII becomes `?`.
[[nodiscard]] std::string harmless(std::string_view text);

/// A TOML string, for names that are not node sets, such as those of upgrade sets and peer groups.
[[nodiscard]] std::string toml_string(std::string_view text);

/// The names as a node set, folded where that keeps order and repetitions, else one by one.
[[nodiscard]] std::string ordered_node_set(const std::vector<std::string>& names);

/// `key = "set"`, or a list when there are several or none; the text needs no escapes.
[[nodiscard]] std::string key_line(std::string_view key, const std::vector<std::string>& sets);

/// Divides hosts into those that share a table: hosts with the same list of devices and, among hosts whose
/// list no other has, those with equally many, as long as the columns of names stay readable. In natural
/// order.
[[nodiscard]] std::vector<std::vector<const HostText*>> shared_entries(const std::vector<HostText>& hosts);

/// `name = …`.
[[nodiscard]] std::string name_line(const std::vector<const HostText*>& hosts);

/// `device = …` or `devices = …` for the hosts of one table; empty without devices.
[[nodiscard]] std::string device_lines(const std::vector<const HostText*>& hosts);

/// `address = …` when all hosts of a table have equally many, else a comment.
[[nodiscard]] std::string address_line(const std::vector<const HostText*>& hosts);

}  // namespace laggard::topology
