// Servers and a client of the striped file service, over loopback.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>
#include <future>
#include <random>
#include <thread>

#include "lab/striped/address.h"
#include "lab/striped/files.h"
#include "lab/striped/server.h"
#include "testing/archive.h"

namespace laggard::lab::striped {
namespace {

using archive::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kStrip = 1000;  // No multiple of a sector: parts of sectors are written, too.

std::span<const char> bytes_of(const std::string& text) { return {text.data(), text.size()}; }

class Service : public ::testing::Test {
 protected:
  Service() {
    std::vector<sockaddr_in> addresses;
    for (std::size_t number = 0; number < 3; ++number) {
      auto server = Server::open({"127.0.0.1", 0, number, folder(number), false});
      EXPECT_TRUE(server.has_value());
      addresses.push_back(*socket_address("127.0.0.1", (*server)->port()));
      servers_.push_back(std::move(*server));
      ended_.push_back(
          std::async(std::launch::async, [&server = *servers_.back()] { return server.serve(); }));
    }
    client_.emplace(addresses);
    files_.emplace(*client_, kStrip);
  }
  ~Service() override { stop(); }
  void stop() {
    for (auto& server : servers_) {
      if (server) server->stop();
    }
    for (auto& ended : ended_) {
      if (ended.valid()) ended.wait();
    }
  }
  std::filesystem::path folder(std::size_t number) const { return folder_.path() / std::to_string(number); }

  TempDir folder_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<std::future<Status>> ended_;
  std::optional<Client> client_;
  std::optional<Files> files_;
};

TEST_F(Service, KeepsFoldersAndFiles) {
  ASSERT_TRUE(files_->make("/f", Kind::kFolder).has_value());
  const auto file = files_->make("/f/a", Kind::kFile);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(files_->make("/f/a", Kind::kFile).error(), EEXIST);
  EXPECT_EQ(files_->look("/f/b").error(), ENOENT);
  EXPECT_EQ(files_->remove("/f").error(), ENOTEMPTY);
  ASSERT_TRUE(files_->write(file->object, 0, bytes_of("hello")).has_value());
  EXPECT_THAT(*files_->list("/f"), ElementsAre("a"));
  EXPECT_EQ(*files_->size(file->object), 5U);
  EXPECT_TRUE(files_->sync(file->object).has_value());
  EXPECT_TRUE(files_->remove("/f/a").has_value());
  EXPECT_EQ(*files_->size(file->object), 0U) << "its objects are gone";
  EXPECT_TRUE(files_->remove("/f").has_value());
}

TEST_F(Service, APinnedFileNeedsItsServerAlone) {
  ASSERT_TRUE(files_->make("/@2", Kind::kFolder).has_value());
  const auto file = files_->make("/@2/a", Kind::kFile);
  ASSERT_TRUE(file.has_value());
  for (const std::size_t other : {0U, 2U}) servers_[other]->stop();
  for (const std::size_t other : {0U, 2U}) ended_[other].wait();
  for (const std::size_t other : {0U, 2U}) servers_[other].reset();
  const std::string bytes(5000, 'x');
  ASSERT_TRUE(files_->write(file->object, 0, bytes_of(bytes)).has_value());
  EXPECT_TRUE(files_->sync(file->object).has_value());
  EXPECT_EQ(*files_->size(file->object), 5000U);
  EXPECT_EQ(files_->look("/@2/a")->object, file->object);
  std::string read(6000, '\0');
  EXPECT_EQ(*files_->read(file->object, 0, {read.data(), read.size()}), 5000U);
  EXPECT_TRUE(files_->truncate(file->object, 10).has_value());
  EXPECT_TRUE(files_->remove("/@2/a").has_value());
  EXPECT_EQ(files_->make("/@1/a", Kind::kFile).error(), ECONNREFUSED);
}

TEST_F(Service, HoldsWhatIsWrittenWhereverItIs) {
  std::mt19937 random(7);
  const std::uint64_t object = files_->make("/a", Kind::kFile)->object;
  std::string twin;
  for (int i = 0; i < 150; ++i) {
    const std::size_t offset = random() % 9000;
    const std::size_t length = 1 + random() % 5000;
    if (i % 10 == 9) {
      twin.resize(offset);
      ASSERT_TRUE(files_->truncate(object, offset).has_value());
    } else {
      const std::string bytes(length, static_cast<char>('a' + i % 26));
      twin.resize(std::max(twin.size(), offset + length));
      twin.replace(offset, length, bytes);
      ASSERT_TRUE(files_->write(object, offset, bytes_of(bytes)).has_value());
    }
    ASSERT_EQ(*files_->size(object), twin.size());
    std::string read(random() % 12000, '\1');
    const std::size_t from = random() % 9000;
    const std::size_t count = *files_->read(object, from, {read.data(), read.size()});
    ASSERT_EQ(read.substr(0, count), from < twin.size() ? twin.substr(from, read.size()) : "");
  }
}

TEST_F(Service, ServesManyAtATime) {
  std::vector<std::thread> clients;
  for (int number = 0; number < 8; ++number) {
    clients.emplace_back([&, number] {
      const std::string path = "/" + std::to_string(number);
      const std::uint64_t object = files_->make(path, Kind::kFile)->object;
      const std::string bytes(100000, static_cast<char>('a' + number));
      for (int i = 0; i < 10; ++i) EXPECT_TRUE(files_->write(object, 0, bytes_of(bytes)).has_value());
      std::string read(bytes.size(), '\0');
      EXPECT_EQ(*files_->read(object, 0, {read.data(), read.size()}), bytes.size());
      EXPECT_EQ(read, bytes);
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST_F(Service, TellsTheApplicationWhyAnObjectCannotBeMade) {
  const std::uint64_t object = files_->make("/a", Kind::kFile)->object;
  for (std::size_t number = 0; number < 3; ++number) std::filesystem::remove_all(folder(number) / "objects");
  EXPECT_EQ(files_->write(object, 0, bytes_of("x")).error(), ENOENT);
  EXPECT_TRUE(files_->look("/a").has_value()) << "and goes on";
}

TEST_F(Service, AnswersNothingOnceAnOpenObjectCannotBeWritten) {
  const std::uint64_t object = files_->make("/a", Kind::kFile)->object;
  const std::size_t sick = object % 3;
  char name[20];
  std::snprintf(name, sizeof name, "%016lx", object);
  std::filesystem::create_symlink("/dev/full", folder(sick) / "objects" / name);
  auto writing = std::async(std::launch::async,
                            [&] { return files_->write(object, 0, bytes_of(std::string(512, 'x'))); });
  const Status ended = ended_[sick].get();
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message(), HasSubstr("cannot be written to"));
  EXPECT_EQ(writing.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout) << "it hangs";
  servers_[sick].reset();  // The process ends: its connections are closed, and nobody listens any more.
  EXPECT_EQ(writing.get().error(), ECONNREFUSED);
}

TEST_F(Service, ClosesAConnectionThatTalksNonsense) {
  sockaddr_in address = *socket_address("127.0.0.1", servers_[0]->port());
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(socket.get(), as_generic(address), sizeof address), 0);
  const std::string nonsense(kHeaderBytes, 'x');
  ASSERT_EQ(::send(socket.get(), nonsense.data(), nonsense.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(nonsense.size()));
  char byte = 0;
  EXPECT_LE(::recv(socket.get(), &byte, 1, 0), 0);
}

TEST(Message, IsReadAsItWasWrittenAndRefusedWhenItIsNone) {
  const Header header{1, 2, 3, 4, 5};
  HeaderBytes bytes = encode(header);
  EXPECT_EQ(*decode(bytes), header);
  bytes[0] = 0;
  EXPECT_FALSE(decode(bytes).has_value());
  EXPECT_FALSE(decode(encode({1, 2, 3, 4, kMostBody + 1})).has_value());
}

TEST(SocketAddress, IsAnAddressAndAPort) {
  EXPECT_EQ(socket_address("10.0.0.1:77")->sin_port, htons(77));
  for (const char* bad : {"10.0.0.1", "10.0.0.1:", "host:77", "10.0.0.1:70000", ""}) {
    EXPECT_FALSE(socket_address(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace laggard::lab::striped
