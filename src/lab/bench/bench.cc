#include "lab/bench/bench.h"

#include <fmt/format.h>

#include <utility>

#include "lab/bench/ceph.h"
#include "lab/bench/file_system.h"
#include "lab/bench/folders.h"
#include "lab/bench/site.h"
#include "lab/bench/storage.h"

namespace laggard::lab::bench {

namespace {

/// Takes down the bench that an open journal belongs to.
Status take_down_killed(Machine& machine, Layout layout, FileJournal& journal, const Say& say) {
  if (Status reachable = check_reachable(journal.instance(), layout.name); !reachable) {
    return fail(reachable.error().code, layout.journal().string() + ":1", reachable.error().what);
  }
  layout.instance = journal.instance().id;
  return take_down(machine, layout, journal, say);
}

}  // namespace

Bench::Bench(Machine& machine, const Layout& layout, Programs programs, FileJournal journal, Say say)
    : machine_(machine),
      layout_(layout),
      programs_(std::move(programs)),
      journal_(std::move(journal)),
      say_(std::move(say)),
      site_(machine_, journal_, layout_) {
  layout_.instance = journal_.instance().id;
}

Bench::~Bench() {
  const Status down = take_down();
  if (!down) say_(down.error().message());
}

Result<std::unique_ptr<Bench>> Bench::build(Machine& machine, const Layout& layout, const Programs& programs,
                                            Say say) {
  Result<std::optional<FileJournal>> killed = FileJournal::open(layout.journal());
  if (!killed) return forward(killed);
  if (*killed) {
    say("an earlier bench was not taken down; that is done first");
    if (Status down = take_down_killed(machine, layout, **killed, say); !down) return forward(down);
  }
  const Result<Instance> instance = new_instance();
  if (!instance) return tl::unexpected<Error>(instance.error());
  Result<FileJournal> journal = FileJournal::create(layout.journal(), *instance);
  if (!journal) return forward(journal);
  Layout own = layout;
  own.instance = instance->id;
  if (Status made = make_state_folder(own); !made) {
    (void)remove_state_folder(own);  // It may be half made.
    journal->remove();
    return forward(made);
  }
  std::unique_ptr<Bench> bench(new Bench(machine, layout, programs, std::move(*journal), std::move(say)));
  if (Status up = bench->put_up(); !up) return forward(up);
  return bench;
}

Status Bench::put_up() {
  if (Status done = build_network(site_); !done) return done;
  Result<std::vector<std::string>> loops = build_disks(site_, programs_.modelled_disk);
  if (!loops) return forward(loops);
  loops_ = std::move(*loops);
  auto daemons = start_file_system();
  if (!daemons) return forward(daemons);
  daemons_ = std::move(*daemons);
  return {};
}

Result<std::vector<HostProcess>> Bench::start_file_system() {
  switch (layout_.file_system) {
    case FileSystem::kGluster:
      return start_gluster(site_);
    case FileSystem::kStriped:
      return start_striped(site_, programs_.striped_files);
    case FileSystem::kCeph:
      break;
  }
  return start_ceph(site_, loops_);
}

Status Bench::take_down() {
  if (!standing_) return {};
  standing_ = false;
  return bench::take_down(machine_, layout_, journal_, say_);
}

Result<bool> clean(Machine& machine, const Layout& layout, const Say& say) {
  Result<std::optional<FileJournal>> journal = FileJournal::open(layout.journal());
  if (!journal) return forward(journal);
  if (*journal) {
    if (Status down = take_down_killed(machine, layout, **journal, say); !down) return forward(down);
    return true;
  }
  const Result<StateFolder> whose = whose_state_folder(layout);
  if (!whose) return tl::unexpected<Error>(whose.error());
  if (*whose == StateFolder::kAbsent) return false;
  return fail(ErrorCode::kDamaged, layout.state().string(),
              fmt::format("is there without {}, which would say whose it is; it is left alone",
                          layout.journal().string()));
}

}  // namespace laggard::lab::bench
