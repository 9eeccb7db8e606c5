#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace laggard {

/// The kinds of profiles that tell what programs do (B). Their words are functions (FunctionName).
///
/// - `samples`: how often the processors were seen in a function; ProfileTable::Period::each is the CPU time
///   that one sample stands for.
/// - `calls`: how often a function was called.
/// - `call-time`: how long it took, without the functions that it called; one count is worth `each`.
inline constexpr std::string_view kSamplesKind = "samples";
inline constexpr std::string_view kCallsKind = "calls";
inline constexpr std::string_view kCallTimeKind = "call-time";
/// The same of the kernel's functions, and how often its tracepoints were passed. They are few beside the
/// calls of a program, among which nobody would see them; what a function calls is in its time.
inline constexpr std::string_view kKernelCallsKind = "kernel-calls";
inline constexpr std::string_view kKernelTimeKind = "kernel-time";
/// Samples with all the functions on the stack: words are folded, `PROGRAM;OUTERMOST;...;INNERMOST`.
inline constexpr std::string_view kStacksKind = "stacks";

/// What processors do for no program: softirqs between programs, and the kernel's own threads by their trade.
inline constexpr std::string_view kNobody = "[kernel]";

/// A function as profiles name it.
struct FunctionName {
  std::string_view program;  ///< As the kernel calls it, at most 15 bytes: `glusterfsd`; kNobody for nobody.
  std::string_view
      binary;  ///< Without its folder: `libc.so.6`, `[kernel]`, `[nf_conntrack]`; empty: unknown.
  /// `tcp_sendmsg`; `near f` where `f` is the nearest symbol and ends before; empty: unknown.
  std::string_view function;
  bool operator==(const FunctionName&) const = default;
};

/// The program that a thread of this name works for (B): the name itself, or kNobody for the threads that the
/// kernel has on each processor for whatever comes along, as `swapper`, `kworker/…`, `ksoftirqd/3`,
/// `migration/3`, `rcu_…` and `irq/…`. Kernel threads that have a trade, as `jbd2/sda1-8` and `nfsd`, are
/// programs like others. \param comm  As the kernel calls the thread; the result is a view into it or
/// constant.
[[nodiscard]] std::string_view program_of_thread(std::string_view comm);

/// Whether processors that have nothing to do are seen in this function of the kernel. Samples of `swapper`
/// in it tell of no work, so that those who make profiles leave them out; other threads do not get there.
[[nodiscard]] bool is_idle_function(std::string_view function);

/// As a field of a word: at most so many bytes of it, with `:` for semicolons and blanks for control
/// characters, but no blanks at either end.
[[nodiscard]] std::string clean_name(std::string_view name, std::size_t longest);

/// `PROGRAM;BINARY;FUNCTION`, with `:` and blanks for semicolons and control characters in names, shortened
/// to what a dictionary takes.
[[nodiscard]] std::string to_word(const FunctionName& name);
/// The views are into `word`; nothing when it has not two semicolons.
[[nodiscard]] std::optional<FunctionName> function_name(std::string_view word);

/// A call stack as profiles of the kind kStacksKind name it: `PROGRAM;OUTERMOST;...;INNERMOST`, the form that
/// flame graphs are drawn from. Names are cleaned (clean_name). Where a stack is longer than a
/// word may be, functions on the outside are missing, and `[...]` stands in their place: what a program did
/// is told by the inner ones. \param frames  from the outermost to the innermost; an empty name is written as
/// `[unknown]`.
[[nodiscard]] std::string to_folded(std::string_view program, std::span<const std::string_view> frames);

/// Program and functions of such a word, as views into it. The functions are empty where it names none.
struct FoldedStack {
  std::string_view program;
  std::vector<std::string_view> frames;  ///< From the outermost to the innermost.
};
[[nodiscard]] FoldedStack folded_stack(std::string_view word);

}  // namespace laggard
