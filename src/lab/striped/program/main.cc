// A striped file service with PVFS's pattern of requests: `serve` is a server, `mount` a client, which serves
// the files through FUSE. It exists because other file systems hide from applications what servers run into,
// and wait for the page cache where PVFS waits for the disk (S §5).
// It is a separate program, so that laggard-lab does not need libfuse.
#define FUSE_USE_VERSION 312
#include <fuse3/fuse.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "lab/striped/address.h"
#include "lab/striped/files.h"
#include "lab/striped/server.h"

namespace {

using namespace laggard::lab::striped;  // NOLINT(google-build-using-namespace): the program is its front.

constexpr const char* kName = "laggard-striped-files";
constexpr std::size_t kLargestRequest = std::size_t{1} << 20U;  ///< The kernel's.
constexpr std::size_t kPage = 4096;
constexpr unsigned kMostThreads = 256;
constexpr int kMostServers = 99;

Files& files() { return *static_cast<Files*>(fuse_get_context()->private_data); }

template <class T>
int status(const OrErrno<T>& result) {
  return result ? 0 : -result.error();
}

/// So that a full request has one strip on each server.
std::size_t strip_bytes(std::size_t servers) { return kLargestRequest / servers / kPage * kPage; }

void* on_init(fuse_conn_info* connection, fuse_config* config) {
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE);
  connection->max_write = connection->max_read = static_cast<unsigned>(files().whole_request());
  config->direct_io = 1;
  config->hard_remove = 1;  // Else it would be renamed.
  return fuse_get_context()->private_data;
}

int on_getattr(const char* path, struct stat* attributes, fuse_file_info* file) {
  *attributes = {};
  Entry entry;
  if (file != nullptr && file->fh != 0) {
    entry.object = file->fh;
  } else {
    const auto there = files().look(path);
    if (!there) return status(there);
    entry = *there;
  }
  attributes->st_uid = ::getuid();
  attributes->st_gid = ::getgid();
  attributes->st_nlink = 1;
  attributes->st_mode = S_IFDIR | 0755;
  if (entry.kind == Kind::kFolder) return 0;
  const auto size = files().size(entry.object);
  if (!size) return status(size);
  attributes->st_mode = S_IFREG | 0644;
  attributes->st_size = static_cast<off_t>(*size);
  attributes->st_blocks = static_cast<blkcnt_t>((*size + 511) / 512);
  return 0;
}

int on_mkdir(const char* path, mode_t /*mode*/) { return status(files().make(path, Kind::kFolder)); }
int on_remove(const char* path) { return status(files().remove(path)); }

int on_create(const char* path, mode_t /*mode*/, fuse_file_info* file) {
  const auto made = files().make(path, Kind::kFile);
  if (made) file->fh = made->object;
  return status(made);
}

int on_open(const char* path, fuse_file_info* file) {
  const auto there = files().look(path);
  if (there) file->fh = there->object;
  return status(there);
}

int on_read(const char* /*path*/, char* into, std::size_t length, off_t offset, fuse_file_info* file) {
  const auto count = files().read(file->fh, static_cast<std::uint64_t>(offset), {into, length});
  return count ? static_cast<int>(*count) : status(count);
}

int on_write(const char* /*path*/, const char* bytes, std::size_t length, off_t offset,
             fuse_file_info* file) {
  const auto done = files().write(file->fh, static_cast<std::uint64_t>(offset), {bytes, length});
  return done ? static_cast<int>(length) : status(done);
}

int on_truncate(const char* path, off_t size, fuse_file_info* file) {
  if (file != nullptr) return status(files().truncate(file->fh, static_cast<std::uint64_t>(size)));
  const auto there = files().look(path);
  return there ? status(files().truncate(there->object, static_cast<std::uint64_t>(size))) : status(there);
}

int on_fsync(const char* /*path*/, int /*only_data*/, fuse_file_info* file) {
  return status(files().sync(file->fh));
}

// NOLINTNEXTLINE(readability-function-size): FUSE's parameters.
int on_readdir(const char* path, void* buffer, fuse_fill_dir_t fill, off_t /*offset*/,
               fuse_file_info* /*file*/, fuse_readdir_flags /*flags*/) {
  const auto names = files().list(path);
  if (!names) return status(names);
  for (const char* name : {".", ".."}) fill(buffer, name, nullptr, 0, {});
  for (const std::string& name : *names) fill(buffer, name.c_str(), nullptr, 0, {});
  return 0;
}

// Owners, modes and times are not kept, and who sets them is not told.
int on_chmod(const char* /*path*/, mode_t /*mode*/, fuse_file_info* /*file*/) { return 0; }
int on_chown(const char* /*path*/, uid_t /*user*/, gid_t /*group*/, fuse_file_info* /*file*/) { return 0; }
int on_utimens(const char* /*path*/, const timespec* /*times*/, fuse_file_info* /*file*/) { return 0; }

int say(const laggard::Error& error) {
  std::fprintf(stderr, "%s: %s\n", kName, error.message().c_str());
  return 2;
}

int mount(const std::string& folder, const std::vector<std::string>& servers) {
  std::vector<sockaddr_in> addresses;
  for (const std::string& server : servers) {
    const auto address = socket_address(server);
    if (!address) return say(address.error());
    addresses.push_back(*address);
  }
  Client client(std::move(addresses));
  Files served(client, strip_bytes(servers.size()));
  fuse_operations operations{};
  operations.init = on_init;
  operations.getattr = on_getattr;
  operations.mkdir = on_mkdir;
  operations.unlink = on_remove;
  operations.rmdir = on_remove;
  operations.create = on_create;
  operations.open = on_open;
  operations.read = on_read;
  operations.write = on_write;
  operations.truncate = on_truncate;
  operations.fsync = on_fsync;
  operations.readdir = on_readdir;
  operations.chmod = on_chmod;
  operations.chown = on_chown;
  operations.utimens = on_utimens;
  std::array<std::string, 4> words{kName, "-ofsname=laggard-striped-files",
                                   "-omax_read=" + std::to_string(served.whole_request()), "-oallow_other"};
  std::array<char*, 5> argv{words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(words.size()), argv.data());
  fuse* session = fuse_new(&arguments, &operations, sizeof operations, &served);
  if (session == nullptr || fuse_mount(session, folder.c_str()) != 0) {
    std::fprintf(stderr, "%s: %s: cannot be mounted\n", kName, folder.c_str());
    return 2;
  }
  fuse_loop_config* loop = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(loop, kMostThreads);
  fuse_loop_cfg_set_clone_fd(loop, 0);
  (void)fuse_set_signal_handlers(fuse_get_session(session));
  const int result = fuse_loop_mt(session, loop);
  fuse_unmount(session);
  fuse_destroy(session);
  return result == 0 ? 0 : 2;
}

int serve(const Server::Options& options) {
  // Else each thread reserves 64 MB of addresses, which a limit on them counts.
  ::mallopt(M_ARENA_MAX, 1);
  auto server = Server::open(options);
  if (!server) return say(server.error());
  const laggard::Status ended = (*server)->serve();
  if (ended) return 0;
  (void)say(ended.error());
  std::fprintf(stderr, "%s: answers nothing any more\n", kName);
  for (;;) ::pause();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"A striped file service with PVFS's pattern of requests.", kName};
  app.require_subcommand(1);
  CLI::App* serving = app.add_subcommand("serve", "A server");
  Server::Options options;
  bool cached = false;
  serving->add_option("DIR", options.folder, "Where it keeps its objects")->required();
  serving->add_option("--address", options.address, "Where it listens")->required();
  serving->add_option("--port", options.port, "Where it listens")->required();
  serving->add_option("--number", options.number, "Which of the servers it is, from 0")->required();
  serving->add_flag("--cached", cached, "Without O_DIRECT");
  CLI::App* mounting = app.add_subcommand("mount", "A client");
  std::string folder;
  std::vector<std::string> servers;
  mounting->add_option("DIR", folder, "Where to mount the files")->required();
  mounting->add_option("--server", servers, "ADDRESS:PORT of each, in their order")
      ->required()
      ->expected(1, kMostServers);
  CLI11_PARSE(app, argc, argv);
  options.direct = !cached;
  return serving->parsed() ? serve(options) : mount(folder, servers);
}
