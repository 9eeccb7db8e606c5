#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace laggard::cmd {

/// What one word of a profile stands for, as programs that draw profiles want it: functions that call each
/// other, under the program as if it called them all.
struct ProfileFrame {
  std::string name;    ///< Never empty: `[libc.so.6]` or `[unknown]` where no function is known.
  std::string binary;  ///< Empty where the profile does not tell.
  auto operator<=>(const ProfileFrame&) const = default;
};

/// From the outermost to the innermost, at least one.
/// \param kind  of the profile: of kStacksKind the whole stack, of the kinds whose words are functions
/// (model/code_profile.h) the program and the function, of any other the word itself.
[[nodiscard]] std::vector<ProfileFrame> frames_of(std::string_view kind, std::string_view word);

}  // namespace laggard::cmd
