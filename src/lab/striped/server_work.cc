// What the threads of a server do that wait for its disk.
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "lab/striped/server.h"

namespace laggard::lab::striped {

void Server::work() {
  for (;;) {
    Connection* connection = nullptr;
    {
      std::unique_lock lock(mutex_);
      submitted_one_.wait(lock, [&] { return stopping_ || !submitted_.empty(); });
      if (stopping_) return;
      connection = submitted_.front();
      submitted_.pop_front();
    }
    perform(*connection);
    const std::lock_guard lock(mutex_);
    completed_.push_back(connection);
    const std::uint64_t one = 1;
    (void)!::write(woken_.get(), &one, sizeof one);
  }
}

void Server::perform(Connection& connection) {
  Header answer;
  const auto operation = static_cast<Operation>(connection.request().code);
  switch (operation) {
    case Operation::kLook:
    case Operation::kMake:
    case Operation::kDrop:
    case Operation::kList:
      perform_on_name(operation, connection, answer);
      break;
    case Operation::kRead:
    case Operation::kWrite:
    case Operation::kSize:
    case Operation::kTruncate:
    case Operation::kSync:
    case Operation::kErase:
      perform_on_object(operation, connection, answer);
      break;
  }
  connection.answer(answer);
}

namespace {

template <class T>
std::uint32_t code_of(const OrErrno<T>& result) {
  return result ? 0 : static_cast<std::uint32_t>(result.error());
}

/// Names with a NUL behind each. \return their bytes; EOVERFLOW when they are too many
OrErrno<std::size_t> put_names(const std::vector<std::string>& names, std::span<char> into) {
  std::size_t size = 0;
  for (const std::string& name : names) {
    if (size + name.size() + 1 > into.size()) return tl::unexpected(EOVERFLOW);
    std::memcpy(into.data() + size, name.c_str(), name.size() + 1);
    size += name.size() + 1;
  }
  return size;
}

}  // namespace

void Server::perform_on_name(Operation operation, Connection& connection, Header& answer) {
  const std::string path(connection.body().data(), connection.body().size());
  if (operation == Operation::kList) {
    const auto size = put_names(names_->list(path), connection.answer_buffer());
    answer.code = code_of(size);
    answer.body = size.value_or(0);
    return;
  }
  if (operation == Operation::kDrop) {
    answer.code = code_of(names_->drop(path));
    return;
  }
  OrErrno<Entry> entry = tl::unexpected(ENOENT);
  if (operation == Operation::kMake) {
    entry = names_->make(path, kind_of(connection.request().length));
  } else if (const auto there = names_->look(path)) {
    entry = *there;
  }
  answer.code = code_of(entry);
  if (!entry) return;
  answer.object = entry->object;
  answer.length = static_cast<std::uint64_t>(entry->kind);
}

void Server::perform_on_object(Operation operation, Connection& connection, Header& answer) {
  const Header& request = connection.request();
  if (operation == Operation::kRead) {
    const auto count =
        store_->read(request.object, request.offset, connection.answer_buffer().first(request.length));
    answer.code = code_of(count);
    answer.body = count.value_or(0);
  } else if (operation == Operation::kWrite) {
    const auto done = store_->write(request.object, request.offset, connection.body());
    if (!done && !done.error().opening) break_down(done.error().error);
    if (!done) answer.code = static_cast<std::uint32_t>(done.error().error);
  } else if (operation == Operation::kSize) {
    const auto size = store_->size(request.object);
    answer.code = code_of(size);
    answer.length = size.value_or(0);
  } else if (operation == Operation::kTruncate) {
    answer.code = code_of(store_->truncate(request.object, request.length));
  } else if (operation == Operation::kSync) {
    answer.code = code_of(store_->sync(request.object));
  } else {
    answer.code = code_of(store_->erase(request.object));
  }
}

void Server::break_down(int error) {
  const std::lock_guard lock(mutex_);
  if (!broken_) broken_ = fail_errno(error, "an object", "cannot be written to").value();
}

}  // namespace laggard::lab::striped
