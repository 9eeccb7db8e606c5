#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lab/striped/connection.h"
#include "lab/striped/name_table.h"
#include "lab/striped/object_store.h"

namespace laggard::lab::striped {

/// A server of the striped file service: one thread handles messages, others wait for the disk. It fails as
/// PVFS's servers do (S §3, §5):
///
/// - What opening or making an object fails with goes back to the application.
/// - When an object that is open cannot be written to, the thread that handles messages ends: the process
///   lives, keeps its connections and answers nothing any more. The same when a connection cannot be accepted
///   (PVFS's ticket #50).
/// - Without memory for a buffer the process aborts.
class Server {
 public:
  struct Options {
    std::string address;
    std::uint16_t port = 0;  ///< 0: a free one.
    std::size_t number = 0;  ///< Among the servers, from 0.
    std::filesystem::path folder;
    bool direct = true;  ///< As for ObjectStore.
  };
  [[nodiscard]] static Result<std::unique_ptr<Server>> open(const Options& options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  [[nodiscard]] std::uint16_t port() const { return port_; }

  /// Handles messages until `stop`, or until it breaks as above. \return why it broke
  [[nodiscard]] Status serve();
  /// From another thread.
  void stop();

 private:
  Server(std::unique_ptr<ObjectStore> store, std::unique_ptr<NameTable> names);
  [[nodiscard]] Status listen(const Options& options);
  [[nodiscard]] Status accept();
  [[nodiscard]] Status handle(int fd, std::uint32_t events);
  void read(Connection& connection);
  void write(Connection& connection);
  void want(Connection& connection, std::uint32_t events) const;
  void close(Connection& connection);
  void submit(Connection& connection);
  void take_completed();

  void work();
  void perform(Connection& connection);
  void perform_on_object(Operation operation, Connection& connection, Header& answer);
  void perform_on_name(Operation operation, Connection& connection, Header& answer);
  void break_down(int error);

  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<NameTable> names_;
  std::uint16_t port_ = 0;
  Fd listening_, events_, woken_;
  std::map<int, Connection> connections_;

  std::mutex mutex_;
  std::condition_variable submitted_one_;
  std::deque<Connection*> submitted_;
  std::vector<Connection*> completed_;
  std::optional<Error> broken_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace laggard::lab::striped
