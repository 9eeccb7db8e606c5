#include "lab/bench/bench.h"

#include <utility>

#include "lab/bench/disks.h"
#include "lab/bench/gluster.h"
#include "lab/bench/network.h"
#include "lab/bench/undo.h"

namespace laggard::lab::bench {

Bench::Bench(Machine& machine, const Layout& layout, Programs programs, FileJournal journal, Say say)
    : machine_(machine),
      layout_(layout),
      programs_(std::move(programs)),
      journal_(std::move(journal)),
      say_(std::move(say)),
      site_(machine_, journal_, layout_) {}

Bench::~Bench() {
  const Status down = take_down();
  if (!down) say_(down.error().message());
}

Result<std::unique_ptr<Bench>> Bench::build(Machine& machine, const Layout& layout, const Programs& programs,
                                            Say say) {
  Result<FileJournal> journal = FileJournal::open(layout.journal());
  if (!journal) return forward(journal);
  if (!journal->entries().empty()) {
    say("an earlier bench was not taken down; that is done first");
    if (Status down = bench::take_down(machine, *journal, say); !down) return forward(down);
  }
  std::unique_ptr<Bench> bench(new Bench(machine, layout, programs, std::move(*journal), std::move(say)));
  if (Status up = bench->put_up(); !up) return forward(up);
  return bench;
}

Status Bench::put_up() {
  Status done = site_.announce({ChangeKind::kFolder, layout_.state(), {}});
  if (done) done = machine_.make_folder(layout_.logs());
  if (done) done = build_network(site_);
  if (!done) return done;
  Result<std::vector<std::string>> loops = build_disks(site_, programs_.modelled_disk);
  if (!loops) return forward(loops);
  loops_ = std::move(*loops);
  return start_gluster(site_);
}

Status Bench::take_down() {
  if (!standing_) return {};
  standing_ = false;
  Status down = bench::take_down(machine_, journal_, say_);
  if (down) journal_.remove();
  return down;
}

Result<bool> clean(Machine& machine, const Layout& layout, const Say& say) {
  Result<FileJournal> journal = FileJournal::open(layout.journal());
  if (!journal) return forward(journal);
  const bool any = !journal->entries().empty();
  if (Status down = take_down(machine, *journal, say); !down) return forward(down);
  journal->remove();
  return any;
}

}  // namespace laggard::lab::bench
