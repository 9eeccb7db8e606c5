#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "collect/pings/ceph_answers.h"
#include "collect/pings/ceph_pool.h"
#include "collect/pings/ping_files.h"
#include "collect/pings/rados_library.h"

namespace laggard::collect {

namespace {

constexpr std::size_t kObjectBytes = 512;
/// A key has the objects of a few processes; one that has far more is searched no further.
constexpr std::size_t kMostObjects = 4096;

/// The hash that follows in the order of objects, which is that of the hashes' bits from the last to the
/// first. \return 0 after the last one
std::uint32_t next_hash(std::uint32_t hash) {
  std::uint32_t bit = 1U << 31U;
  for (; (hash & bit) != 0; bit >>= 1U) hash &= ~bit;
  return hash | bit;
}

/// A connection that is closed when it goes.
class RadosHandle {
 public:
  RadosHandle(const RadosLibrary& rados, RadosLibrary::Cluster cluster) : rados_(rados), cluster_(cluster) {}
  RadosHandle(RadosHandle&& other) noexcept
      : rados_(other.rados_), cluster_(std::exchange(other.cluster_, nullptr)) {}
  RadosHandle& operator=(RadosHandle&&) = delete;
  RadosHandle(const RadosHandle&) = delete;
  RadosHandle& operator=(const RadosHandle&) = delete;
  ~RadosHandle() {
    if (cluster_ != nullptr) rados_.shutdown(cluster_);
  }
  [[nodiscard]] const RadosLibrary& rados() const { return rados_; }
  [[nodiscard]] RadosLibrary::Cluster get() const { return cluster_; }
  /// The value of an option; empty when it has none.
  [[nodiscard]] std::string option(const char* name) const {
    std::array<char, 4096> value{};
    return rados_.conf_get(cluster_, name, value.data(), value.size()) == 0 ? value.data() : "";
  }

 private:
  RadosLibrary rados_;
  RadosLibrary::Cluster cluster_;
};

class RadosPool final : public CephPool {
 public:
  RadosPool(RadosHandle cluster, std::string name) : cluster_(std::move(cluster)), name_(std::move(name)) {}
  RadosPool(const RadosPool&) = delete;
  RadosPool& operator=(const RadosPool&) = delete;
  ~RadosPool() override {
    for (const auto& [key, context] : contexts_) rados().ioctx_destroy(context);
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] int ask(const std::string& command, std::string& answer) override;
  [[nodiscard]] int write(const std::string& key, const std::string& object) override;
  [[nodiscard]] int remove(const std::string& key, const std::string& object) override;
  [[nodiscard]] int list(const std::string& key, std::uint32_t hash,
                         std::vector<CephObject>& objects) override;
  /// 0 and the context of a key, or errno.
  [[nodiscard]] int context_of(const std::string& key, RadosLibrary::Context& context);

 private:
  [[nodiscard]] const RadosLibrary& rados() const { return cluster_.rados(); }
  [[nodiscard]] RadosLibrary::Cursor cursor_at(RadosLibrary::Context context, std::uint32_t hash) const;
  [[nodiscard]] CephObject look_at(RadosLibrary::Context context, std::string object) const;

  RadosHandle cluster_;
  std::string name_;
  std::mutex mutex_;
  std::map<std::string, RadosLibrary::Context> contexts_;
};

int RadosPool::ask(const std::string& command, std::string& answer) {
  const char* commands = command.c_str();
  char* output = nullptr;
  char* status = nullptr;
  std::size_t output_size = 0;
  std::size_t status_size = 0;
  const int done = rados().mon_command(cluster_.get(), &commands, 1, nullptr, 0, &output, &output_size,
                                       &status, &status_size);
  if (output != nullptr) {
    answer.assign(output, output_size);
    rados().buffer_free(output);
  }
  if (status != nullptr) rados().buffer_free(status);
  return done < 0 ? -done : 0;
}

int RadosPool::context_of(const std::string& key, RadosLibrary::Context& context) {
  const std::lock_guard lock(mutex_);
  const auto known = contexts_.find(key);
  if (known != contexts_.end()) {
    context = known->second;
    return 0;
  }
  if (const int made = rados().ioctx_create(cluster_.get(), name_.c_str(), &context); made < 0) return -made;
  rados().ioctx_set_namespace(context, std::string(kCephSpace).c_str());
  rados().ioctx_locator_set_key(context, key.c_str());
  // Otherwise writes to a full pool wait until it is not, and each OSD would look hung.
  rados().set_pool_full_try(context);
  contexts_.emplace(key, context);
  return 0;
}

int RadosPool::write(const std::string& key, const std::string& object) {
  RadosLibrary::Context context = nullptr;
  if (const int error = context_of(key, context); error != 0) return error;
  std::array<char, kObjectBytes> bytes{};
  std::ranges::copy(kPingText, bytes.begin());
  return -std::min(rados().write_full(context, object.c_str(), bytes.data(), bytes.size()), 0);
}

int RadosPool::remove(const std::string& key, const std::string& object) {
  RadosLibrary::Context context = nullptr;
  if (const int error = context_of(key, context); error != 0) return error;
  return -std::min(rados().remove(context, object.c_str()), 0);
}

RadosLibrary::Cursor RadosPool::cursor_at(RadosLibrary::Context context, std::uint32_t hash) const {
  RadosLibrary::List list = nullptr;
  if (rados().nobjects_list_open(context, &list) < 0) return nullptr;
  RadosLibrary::Cursor cursor = nullptr;
  rados().nobjects_list_seek(list, hash);
  if (rados().nobjects_list_get_cursor(list, &cursor) < 0) cursor = nullptr;
  rados().nobjects_list_close(list);
  return cursor;
}

CephObject RadosPool::look_at(RadosLibrary::Context context, std::string object) const {
  CephObject seen{.name = std::move(object)};
  std::uint64_t size = 0;
  std::time_t modified = 0;
  if (rados().stat(context, seen.name.c_str(), &size, &modified) < 0) return seen;
  // Objects have the time of the clients that wrote them: it is this host's.
  seen.age = std::chrono::seconds(std::time(nullptr) - modified);
  std::array<char, kPingText.size()> begin{};
  seen.is_ping = size == 0 || (rados().read(context, seen.name.c_str(), begin.data(), begin.size(), 0) ==
                                   static_cast<int>(begin.size()) &&
                               std::string_view(begin.data(), begin.size()) == kPingText);
  return seen;
}

int RadosPool::list(const std::string& key, std::uint32_t hash, std::vector<CephObject>& objects) {
  RadosLibrary::Context context = nullptr;
  if (const int error = context_of(key, context); error != 0) return error;
  // All objects of a key have its hash, so that this asks one placement group, and nothing of one that hangs.
  const std::uint32_t after = next_hash(hash);
  RadosLibrary::Cursor next = cursor_at(context, hash);
  RadosLibrary::Cursor end = after == 0 ? rados().object_list_end(context) : cursor_at(context, after);
  if (next == nullptr || end == nullptr) return ENOENT;
  constexpr std::size_t kAtOnce = 64;
  std::vector<std::string> names;
  int got = 0;
  do {
    std::array<RadosLibrary::Item, kAtOnce> items{};
    got = rados().object_list(context, next, end, items.size(), nullptr, 0, items.data(), &next);
    for (int i = 0; i < got; ++i) {
      const RadosLibrary::Item& item = items[static_cast<std::size_t>(i)];
      if (std::string_view(item.key, item.key_length) == key) names.emplace_back(item.name, item.name_length);
    }
    rados().object_list_free(items.size(), items.data());
  } while (got == static_cast<int>(kAtOnce) && names.size() < kMostObjects);
  rados().object_list_cursor_free(context, next);
  rados().object_list_cursor_free(context, end);
  for (std::string& object : names) objects.push_back(look_at(context, std::move(object)));
  return got < 0 ? -got : 0;
}

/// Options of the connection. What a newer or older Ceph does not have it refuses, and is not needed there.
void set_options(const RadosHandle& cluster) {
  constexpr std::array<std::pair<const char*, const char*>, 7> kOptions{{
      {"client_mount_timeout", "20"},  // s; the usual 300 would look like a hang.
      {"log_to_stderr", "false"},
      {"err_to_stderr", "false"},
      {"log_file", ""},      // A file and a socket for each of many processes,
      {"admin_socket", ""},  // and what is killed does not remove its own.
      {"ms_async_op_threads", "1"},
      {"librados_thread_count", "1"},
  }};
  for (const auto& [option, value] : kOptions)
    static_cast<void>(cluster.rados().conf_set(cluster.get(), option, value));
}

bool has_keyring(const RadosHandle& cluster) {
  if (!cluster.option("key").empty() || !cluster.option("keyfile").empty()) return true;
  const std::string files = cluster.option("keyring");
  return std::ranges::any_of(split(files, ','), [](std::string_view file) {
    std::error_code error;
    return std::filesystem::exists(trim(file), error);
  });
}

/// Why there is no connection, in a sentence.
tl::unexpected<Error> not_connected(const RadosHandle& cluster, const std::string& user, int error) {
  if (error == ETIMEDOUT)
    return fail(ErrorCode::kUnavailable, "Ceph", "its monitors do not answer; does a majority of them run?");
  if (!has_keyring(cluster)) {
    return fail(ErrorCode::kNotFound, "Ceph",
                fmt::format("there is no keyring of {} here; put it into one of {}", user,
                            cluster.option("keyring")));
  }
  if (error == EACCES || error == EPERM) {
    return fail(ErrorCode::kNoPermission, "Ceph",
                fmt::format("its monitors refuse {}: the keyring here is not of this cluster, or has no such "
                            "user (`ceph auth get {}`)",
                            user, user));
  }
  return fail_errno(error, "Ceph", fmt::format("cannot be reached as {}", user));
}

}  // namespace

Result<std::unique_ptr<CephPool>> open_rados_pool(const std::string& mount) {
  auto rados = RadosLibrary::load();
  if (!rados) return forward(rados);
  const std::size_t at = mount.rfind('@');
  std::string pool = at == std::string::npos ? mount : mount.substr(at + 1);
  std::string user = at == std::string::npos ? "client.admin" : mount.substr(0, at);
  if (user.find('.') == std::string::npos) user.insert(0, "client.");
  RadosLibrary::Cluster created = nullptr;
  if (const int made = rados->create2(&created, "ceph", user.c_str(), 0); made < 0)
    return fail_errno(-made, "Ceph", fmt::format("{} is no user", user));
  RadosHandle cluster(*rados, created);
  const int read = rados->conf_read_file(created, nullptr);
  static_cast<void>(rados->conf_parse_env(created, nullptr));
  if (read < 0 && cluster.option("mon_host").empty()) {
    return fail(ErrorCode::kNotFound, "ceph.conf",
                read == -ENOENT ? "is not in /etc/ceph; put it there, or name it in the variable CEPH_CONF"
                                : fmt::format("cannot be read: {}", std::system_category().message(-read)));
  }
  set_options(cluster);
  if (const int connected = rados->connect(created); connected < 0)
    return not_connected(cluster, user, -connected);
  auto opened = std::make_unique<RadosPool>(std::move(cluster), pool);
  RadosLibrary::Context context = nullptr;
  const int error = opened->context_of(std::string(), context);
  if (error == 0) return opened;
  if (error != ENOENT) return fail_errno(error, pool, "cannot be opened");
  return fail(ErrorCode::kNotFound, pool,
              fmt::format("is no pool of this Ceph; make it: ceph osd pool create {} 128, and of size 1: "
                          "ceph osd pool set {} size 1 --yes-i-really-mean-it",
                          pool, pool));
}

}  // namespace laggard::collect
