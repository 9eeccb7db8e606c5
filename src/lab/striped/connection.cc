#include "lab/striped/connection.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

namespace laggard::lab::striped {

namespace {
/// One buffer for what comes, and one for what goes.
constexpr std::size_t kBuffers = 2 * kMostBody;
}  // namespace

Connection::~Connection() {
  if (buffers_ != nullptr) ::munmap(buffers_, kBuffers);
}

char* Connection::buffer_for(const Header& request) {
  if (request.code >= kOperations) return nullptr;
  if (static_cast<Operation>(request.code) == Operation::kRead && request.length > kMostBody) return nullptr;
  if (buffers_ == nullptr) {
    void* memory = ::mmap(nullptr, kBuffers, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      std::perror("laggard-striped-files: no memory for buffers");
      std::abort();
    }
    buffers_ = static_cast<char*>(memory);
  }
  return buffers_;
}

Progress Connection::read() {
  return request_.receive(socket_.get(), [this](const Header& request) { return buffer_for(request); });
}

void Connection::answer(const Header& header) { answer_.start(header, answer_buffer().first(header.body)); }

Progress Connection::write() {
  const Progress progress = answer_.send(socket_.get());
  if (progress == Progress::kWhole) request_.start();
  return progress;
}

}  // namespace laggard::lab::striped
