#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/bench/journal.h"
#include "lab/bench/site.h"
#include "lab/bench/undo.h"

namespace laggard::lab::bench {

/// Our programs that the bench starts.
struct Programs {
  std::filesystem::path laggard;
  std::filesystem::path modelled_disk;
  std::filesystem::path modelled_cable;
  std::filesystem::path striped_files;
};

/// A parallel file system on this machine, which exists until `take_down` or destruction.
class Bench {
 public:
  /// Builds network, disks, servers and clients, after taking down what a killed bench of the same name left
  /// behind. When something fails, what was built is taken down again. An error when anything of its name
  /// exists that no bench made. \param machine  outlives this
  [[nodiscard]] static Result<std::unique_ptr<Bench>> build(Machine& machine, const Layout& layout,
                                                            const Programs& programs, Say say);
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench();

  /// Restores the machine to its state before `build`.
  [[nodiscard]] Status take_down();

  [[nodiscard]] Site& site() { return site_; }
  [[nodiscard]] const Programs& programs() const { return programs_; }
  [[nodiscard]] const std::vector<std::string>& loops() const { return loops_; }
  /// The file system's programs, servers first.
  [[nodiscard]] const std::vector<HostProcess>& daemons() const { return daemons_; }

 private:
  Bench(Machine& machine, const Layout& layout, Programs programs, FileJournal journal, Say say);
  [[nodiscard]] Status put_up();
  [[nodiscard]] Result<std::vector<HostProcess>> start_file_system();

  Machine& machine_;
  Layout layout_;
  Programs programs_;
  FileJournal journal_;
  Say say_;
  Site site_;
  std::vector<std::string> loops_;
  std::vector<HostProcess> daemons_;
  bool standing_ = true;
};

/// Takes down what a killed bench has left behind. \return whether there was anything. An error, with nothing
/// touched, when what is there cannot be proven to belong to a bench.
[[nodiscard]] Result<bool> clean(Machine& machine, const Layout& layout, const Say& say);

}  // namespace laggard::lab::bench
