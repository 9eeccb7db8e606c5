#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/bench/journal.h"
#include "lab/bench/site.h"
#include "lab/bench/undo.h"

namespace laggard::lab::bench {

/// Programs of ours that the bench starts.
struct Programs {
  std::filesystem::path laggard;
  std::filesystem::path modelled_disk;
};

/// A parallel file system that stands on this machine until `take_down` or the end of this.
class Bench {
 public:
  /// Builds it: network, disks, servers, clients; first takes down what an earlier bench of that name left
  /// when it was killed. What was built is taken down again when something fails. An error when there is
  /// anything of its name that no bench made.
  /// \param machine  outlives this
  [[nodiscard]] static Result<std::unique_ptr<Bench>> build(Machine& machine, const Layout& layout,
                                                            const Programs& programs, Say say);
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench();

  /// Everything as it was before.
  [[nodiscard]] Status take_down();

  [[nodiscard]] Site& site() { return site_; }
  [[nodiscard]] const Programs& programs() const { return programs_; }
  [[nodiscard]] const std::vector<std::string>& loops() const { return loops_; }

 private:
  Bench(Machine& machine, const Layout& layout, Programs programs, FileJournal journal, Say say);
  [[nodiscard]] Status put_up();

  Machine& machine_;
  Layout layout_;
  Programs programs_;
  FileJournal journal_;
  Say say_;
  Site site_;
  std::vector<std::string> loops_;
  bool standing_ = true;
};

/// Takes down what a killed bench has left. \return whether there was anything. An error, and nothing
/// touched, when what is there cannot be proven to be a bench's.
[[nodiscard]] Result<bool> clean(Machine& machine, const Layout& layout, const Say& say);

}  // namespace laggard::lab::bench
