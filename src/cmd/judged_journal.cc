#include "cmd/judged_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace laggard::cmd {

namespace {

/// A file's bytes, as long as this lives; a journal of months need not fit into memory.
class Mapping {
 public:
  [[nodiscard]] static Result<Mapping> of(const Fd& fd, const std::string& where) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, where, "cannot look at the journal");
    Mapping mapping;
    if (status.st_size == 0) return mapping;
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (start == MAP_FAILED) return fail_errno(errno, where, "cannot read the journal");
    mapping.bytes_ = {static_cast<const char*>(start), size};
    return mapping;
  }
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&&) = delete;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    // munmap takes what mmap gave, which was not const.
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  Mapping() = default;
  std::string_view bytes_;
};

constexpr mode_t kMode = 0644;

}  // namespace

tl::unexpected<Error> JudgedJournal::damaged(std::size_t at) const {
  return fail(ErrorCode::kDamaged, fmt::format("{}@{}", path_.string(), at),
              "the journal is damaged; remove it to judge the recordings from their beginning");
}

Result<JudgedJournal> JudgedJournal::open(const std::filesystem::path& path, const Fingerprint& own) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open the journal");
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(ErrorCode::kUnavailable, path.string(), "another diagnosis is writing this journal");
  }
  JudgedJournal journal(path, std::move(fd));
  auto mapping = Mapping::of(journal.fd_, path.string());
  if (!mapping) return forward(mapping);
  if (Status checked = journal.check_head(mapping->bytes(), own); !checked) return forward(checked);
  return journal;
}

Status JudgedJournal::check_head(std::string_view bytes, const Fingerprint& own) {
  if (bytes.empty()) return begin(own);
  analyse::TapeReader tape(bytes);
  const auto head = tape.next();
  switch (tape.state()) {
    case analyse::TapeState::kSound:
      break;
    case analyse::TapeState::kTorn:
      return begin(own);  // Killed before there was anything to lose.
    case analyse::TapeState::kDamaged:
      return damaged(tape.sound());
    case analyse::TapeState::kForeign:
      return fail(ErrorCode::kBadInput, path_.string(),
                  "is no journal of laggard; name a file that does not exist yet");
    case analyse::TapeState::kOther:
      return fail(ErrorCode::kBadInput, path_.string(),
                  "is a journal by another version of laggard; remove it to judge the recordings again");
  }
  const auto theirs =
      head && head->kind == analyse::FrameKind::kHead ? parse_fingerprint(head->payload) : std::nullopt;
  if (!head) return begin(own);
  if (!theirs) return damaged(0);
  const std::string_view differs = difference(own, *theirs);
  if (differs.empty()) return {};
  return fail(ErrorCode::kBadUse, path_.string(),
              fmt::format("the journal is of {}; name another file, or remove this one to judge from the "
                          "beginning",
                          differs));
}

Status JudgedJournal::begin(const Fingerprint& own) {
  if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0) {
    return fail_errno(errno, path_.string(), "cannot empty the journal");
  }
  writer_ = analyse::TapeWriter();
  const std::string head = std::string(analyse::TapeWriter::magic()) +
                           writer_.frame(analyse::FrameKind::kHead, fingerprint_text(own));
  return write_all(fd_.get(), head, path_.string(), "cannot write the journal");
}

Status JudgedJournal::take_frame(const analyse::Frame& frame, const analyse::TapeShape& shape,
                                 const std::function<void(analyse::JudgedRun&)>& sink) {
  switch (frame.kind) {
    case analyse::FrameKind::kHead:
      return {};
    case analyse::FrameKind::kNotice:
      notices_.emplace_back(frame.payload);
      return {};
    case analyse::FrameKind::kEnd:
      ended_ = true;
      return {};
    case analyse::FrameKind::kRun:
      break;
  }
  auto run = analyse::decode_run(frame.payload, shape);
  if (!run || (last_cell_ && run->run.begin <= *last_cell_) || ended_) return damaged(0);
  last_cell_ = run->run.end - 1;
  sink(*run);
  return {};
}

Status JudgedJournal::replay(const analyse::TapeShape& shape,
                             const std::function<void(analyse::JudgedRun&)>& sink,
                             const std::function<void(double)>& progress) {
  auto mapping = Mapping::of(fd_, path_.string());
  if (!mapping) return forward(mapping);
  const std::string_view bytes = mapping->bytes();
  analyse::TapeReader tape(bytes);
  while (const auto frame = tape.next()) {
    if (Status taken = take_frame(*frame, shape, sink); !taken) return damaged(tape.sound());
    progress(static_cast<double>(tape.sound()) / static_cast<double>(bytes.size()));
  }
  if (tape.state() == analyse::TapeState::kDamaged) return damaged(tape.sound());
  return cut_tail(tape, bytes.size());
}

Status JudgedJournal::cut_tail(const analyse::TapeReader& tape, std::size_t size) {
  const auto sound = static_cast<off_t>(tape.sound());
  cut_off_ = size - tape.sound();
  if (cut_off_ > 0 && ::ftruncate(fd_.get(), sound) != 0) {
    return fail_errno(errno, path_.string(), "cannot cut the journal");
  }
  if (::lseek(fd_.get(), sound, SEEK_SET) != sound) {
    return fail_errno(errno, path_.string(), "cannot go on with the journal");
  }
  writer_ = analyse::TapeWriter(tape.chain());
  return {};
}

Status JudgedJournal::write(analyse::FrameKind kind, std::string_view payload) {
  return write_all(fd_.get(), writer_.frame(kind, payload), path_.string(), "cannot write the journal");
}

Status JudgedJournal::add(const analyse::JudgedRun& run) {
  last_cell_ = run.run.end - 1;
  return write(analyse::FrameKind::kRun, analyse::encode_run(run));
}

Status JudgedJournal::add_notices(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) {
    if (std::ranges::find(notices_, notice) != notices_.end()) continue;
    notices_.push_back(notice);
    if (Status written = write(analyse::FrameKind::kNotice, notice); !written) return written;
  }
  return {};
}

Status JudgedJournal::end() {
  if (ended_) return {};
  ended_ = true;
  return write(analyse::FrameKind::kEnd, {});
}

}  // namespace laggard::cmd
