#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/topology.h"

namespace laggard::topology {

/// More names than this (servers, LUNs, attachments, …) in one file are a mistake in it.
inline constexpr std::size_t kMaxSystemNames = 2'000'000;

/// The result of reading a system file: the model, and all mistakes in the order of their lines. Where there
/// are mistakes, the model holds what could be understood.
struct SystemReading {
  SystemModel model;
  std::vector<Error> mistakes;
};

/// Reads the text of a system file, docs/formats/system.md.
/// \param path  names the file in messages; nothing is opened.
[[nodiscard]] SystemReading read_system(std::string_view text, std::string_view path,
                                        std::size_t max_names = kMaxSystemNames);

/// The same for callers that only want a sound model: the first mistake is the error.
[[nodiscard]] Result<SystemModel> parse_system(std::string_view text, std::string_view path);

/// The same of a file.
[[nodiscard]] Result<SystemModel> load_system(const std::string& path);

}  // namespace laggard::topology
