#include "cmd/checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file.h"

namespace laggard::cmd {

namespace {

/// A file's bytes, as long as this lives; a checkpoint of months need not fit into memory.
class Mapping {
 public:
  [[nodiscard]] static Result<Mapping> of(const Fd& fd, const std::string& where) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, where, "cannot look at the checkpoint");
    Mapping mapping;
    if (status.st_size == 0) return mapping;
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (start == MAP_FAILED) return fail_errno(errno, where, "cannot read the checkpoint");
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

constexpr mode_t kMode = 0666;  // Less the umask.

}  // namespace

tl::unexpected<Error> Checkpoint::is_damaged(std::size_t at) const {
  return fail(ErrorCode::kDamaged, fmt::format("{}@{}", path_.string(), at),
              "the checkpoint is damaged; remove it to judge the recordings from their beginning");
}

Result<Checkpoint> Checkpoint::open(const std::filesystem::path& path, const Fingerprint& own) {
  // Not blocking, should it be a pipe.
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, kMode));
  if (!fd.valid()) return fail_errno(errno, path.string(), "cannot open the checkpoint");
  struct stat status {};
  if (::fstat(fd.get(), &status) == 0 && !S_ISREG(status.st_mode))
    return fail(ErrorCode::kBadUse, path.string(), "is no file, which a checkpoint has to be; name another");
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail_errno(errno, path.string(), "cannot lock the checkpoint");
    return fail(ErrorCode::kUnavailable, path.string(), "another diagnosis is writing this checkpoint");
  }
  Checkpoint checkpoint(path, std::move(fd));
  auto mapping = Mapping::of(checkpoint.fd_, path.string());
  if (!mapping) return forward(mapping);
  if (Status checked = checkpoint.check_head(mapping->bytes(), own); !checked) return forward(checked);
  return checkpoint;
}

Status Checkpoint::check_head(std::string_view bytes, const Fingerprint& own) {
  if (bytes.empty()) return begin(own);
  engine::FrameLogReader log(bytes);
  const auto head = log.next();
  switch (log.state()) {
    case engine::FrameLogState::kSound:
      break;
    case engine::FrameLogState::kTorn:
      return begin(own);  // Killed before there was anything to lose.
    case engine::FrameLogState::kDamaged:
      return is_damaged(log.sound());
    case engine::FrameLogState::kForeign:
      return fail(ErrorCode::kBadInput, path_.string(),
                  "is no checkpoint of laggard; name a file that does not exist yet");
    case engine::FrameLogState::kOther:
      return fail(ErrorCode::kBadInput, path_.string(),
                  "is a checkpoint by another version of laggard; remove it to judge the recordings again");
  }
  const auto theirs =
      head && head->kind == engine::FrameKind::kHead ? parse_fingerprint(head->payload) : std::nullopt;
  if (!head) return begin(own);
  if (!theirs) return is_damaged(0);
  const std::string_view differs = difference(own, *theirs);
  if (differs.empty()) return {};
  return fail(ErrorCode::kBadUse, path_.string(),
              fmt::format("the checkpoint is of {}; name another file, or remove this one to judge from the "
                          "beginning",
                          differs));
}

Status Checkpoint::begin(const Fingerprint& own) {
  if (::ftruncate(fd_.get(), 0) != 0) return fail_errno(errno, path_.string(), "cannot empty the checkpoint");
  writer_ = engine::FrameLogWriter();
  const std::string head = std::string(engine::FrameLogWriter::magic()) +
                           writer_.frame(engine::FrameKind::kHead, fingerprint_text(own));
  if (Status begun = append(head); !begun) return begun;
  return sync_folder(path_.parent_path());
}

Status Checkpoint::append(std::string_view bytes) {
  if (Status written = write_all(fd_.get(), bytes, path_.string(), "cannot write the checkpoint"); !written)
    return written;
  if (::fdatasync(fd_.get()) != 0) return fail_errno(errno, path_.string(), "cannot write the checkpoint");
  return {};
}

Status Checkpoint::take_frame(const engine::Frame& frame, const engine::RunShape& shape,
                              const std::function<void(detect::JudgedRun&)>& sink) {
  switch (frame.kind) {
    case engine::FrameKind::kHead:
      return {};
    case engine::FrameKind::kNotice:
      notices_.emplace_back(frame.payload);
      return {};
    case engine::FrameKind::kDamage:
      damaged_.emplace_back(frame.payload);
      return {};
    case engine::FrameKind::kEnd:
      ended_ = true;
      return {};
    case engine::FrameKind::kRun:
      break;
  }
  auto run = engine::decode_run(frame.payload, shape);
  if (!run || (last_cell_ && run->run.begin <= *last_cell_) || ended_) return is_damaged(0);
  last_cell_ = run->run.end - 1;
  sink(*run);
  return {};
}

Status Checkpoint::replay(const engine::RunShape& shape, const std::function<void(detect::JudgedRun&)>& sink,
                          const std::function<void(double)>& progress) {
  auto mapping = Mapping::of(fd_, path_.string());
  if (!mapping) return forward(mapping);
  const std::string_view bytes = mapping->bytes();
  engine::FrameLogReader log(bytes);
  while (const auto frame = log.next()) {
    if (Status taken = take_frame(*frame, shape, sink); !taken) return is_damaged(log.sound());
    progress(static_cast<double>(log.sound()) / static_cast<double>(bytes.size()));
  }
  if (log.state() == engine::FrameLogState::kDamaged) return is_damaged(log.sound());
  return cut_tail(log, bytes.size());
}

Status Checkpoint::cut_tail(const engine::FrameLogReader& log, std::size_t size) {
  const auto sound = static_cast<off_t>(log.sound());
  cut_off_ = size - log.sound();
  if (cut_off_ > 0 && ::ftruncate(fd_.get(), sound) != 0) {
    return fail_errno(errno, path_.string(), "cannot cut the checkpoint");
  }
  writer_ = engine::FrameLogWriter(log.chain());
  return {};
}

Status Checkpoint::write(engine::FrameKind kind, std::string_view payload) {
  return append(writer_.frame(kind, payload));
}

Status Checkpoint::add(const detect::JudgedRun& run) {
  last_cell_ = run.run.end - 1;
  return write(engine::FrameKind::kRun, engine::encode_run(run));
}

Status Checkpoint::add_notices(const std::vector<std::string>& notices) {
  return add_new(engine::FrameKind::kNotice, notices, notices_);
}

Status Checkpoint::add_damaged(const std::vector<std::string>& files) {
  return add_new(engine::FrameKind::kDamage, files, damaged_);
}

Status Checkpoint::add_new(engine::FrameKind kind, const std::vector<std::string>& texts,
                           std::vector<std::string>& known) {
  for (const std::string& text : texts) {
    if (std::ranges::find(known, text) != known.end()) continue;
    known.push_back(text);
    if (Status written = write(kind, text); !written) return written;
  }
  return {};
}

Status Checkpoint::end() {
  if (ended_) return {};
  ended_ = true;
  return write(engine::FrameKind::kEnd, {});
}

}  // namespace laggard::cmd
