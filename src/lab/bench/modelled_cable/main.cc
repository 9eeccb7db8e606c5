// A sick cable: takes the place of a bridge's port and carries its frames both ways, late, out of order,
// damaged or twice. For kernels without netem, and the same on those that have it.
//
// The port must have left its bridge. Its frames are read from and written to a packet socket; towards the
// bridge they go through a TAP device, which disappears with this process. Offloaded checksums travel along
// as virtio headers, so a frame that nobody damaged arrives as it would without us.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <queue>
#include <string>
#include <vector>

#include "lab/sim/random.h"

namespace {

/// virtio_net_hdr, whose header of the kernel is not C++. Zeros say that a checksum is complete.
constexpr std::size_t kHeader = 10;
constexpr std::size_t kLargestFrame = std::size_t{64} << 10U;
/// Ethernet, IP and TCP: behind them a flipped bit is in the data, or in the options that the checksum
/// covers.
constexpr std::size_t kHeaders = 14 + 20 + 20;
/// 50 ms of a gigabit; a longer queue would be a cable that stores.
constexpr std::size_t kMostQueued = 8192;
constexpr int kReadAtATime = 64;
constexpr int kReceiveBuffer = 8 << 20;

/// What happens to frames, in both directions alike.
struct Ailment {
  double delay_ms = 0;
  double jitter_ms = 0;  ///< Up to so much more, by chance: frames overtake each other.
  double corrupted = 0;  ///< Shares of the frames.
  double duplicated = 0;
};

double now_ms() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

struct Frame {
  double due_ms = 0;
  std::uint64_t number = 0;  ///< Frames that are due together keep their order.
  int to = -1;
  std::vector<char> bytes;  ///< virtio header and frame.
};

struct Later {
  bool operator()(const Frame& a, const Frame& b) const {
    return a.due_ms != b.due_ms ? a.due_ms > b.due_ms : a.number > b.number;
  }
};

class Cable {
 public:
  Cable(const Ailment& ailment, std::uint64_t seed) : ailment_(ailment), random_(seed) {}

  /// Carries frames for ever. \return errno of what went wrong
  int carry(int port, int bridge) {
    for (;;) {
      std::array<pollfd, 2> ends{pollfd{port, POLLIN, 0}, pollfd{bridge, POLLIN, 0}};
      if (::ppoll(ends.data(), ends.size(), until_next(), nullptr) < 0 && errno != EINTR) return errno;
      if ((ends[0].revents & POLLIN) != 0 && !take(port, bridge)) return errno;
      if ((ends[1].revents & POLLIN) != 0 && !take(bridge, port)) return errno;
      pass_on();
    }
  }

 private:
  /// Time until the next frame is due; null when none is waiting.
  const timespec* until_next() {
    if (waiting_.empty()) return nullptr;
    const double ms = std::max(0.0, waiting_.top().due_ms - now_ms());
    until_.tv_sec = static_cast<time_t>(ms / 1e3);
    until_.tv_nsec = static_cast<long>((ms - 1e3 * static_cast<double>(until_.tv_sec)) * 1e6);
    return &until_;
  }

  bool take(int from, int to) {
    for (int i = 0; i < kReadAtATime; ++i) {
      const ssize_t n = ::read(from, buffer_.data(), buffer_.size());
      if (n < 0) return errno == EAGAIN || errno == EINTR || errno == ENETDOWN;
      if (n <= static_cast<ssize_t>(kHeader)) continue;
      std::vector<char> frame(buffer_.begin(), buffer_.begin() + n);
      if (random_.chance(ailment_.corrupted)) corrupt(frame);
      if (random_.chance(ailment_.duplicated)) queue(frame, to);
      queue(std::move(frame), to);
    }
    return true;
  }

  /// Flips a bit of what the checksum covers. A checksum that was left to the receiver's device stays as
  /// unfinished as it is, and so is wrong.
  void corrupt(std::vector<char>& frame) {
    if (frame.size() <= kHeader + kHeaders) return;
    const std::size_t at = kHeader + kHeaders + random_.below(frame.size() - kHeader - kHeaders);
    frame[at] = static_cast<char>(frame[at] ^ 1);
    std::fill_n(frame.begin(), kHeader, '\0');
  }

  void queue(std::vector<char> frame, int to) {
    if (waiting_.size() >= kMostQueued) return;
    const double late = ailment_.delay_ms + random_.uniform(0, ailment_.jitter_ms);
    waiting_.push({now_ms() + late, ++number_, to, std::move(frame)});
  }

  void pass_on() {
    const double now = now_ms();
    while (!waiting_.empty() && waiting_.top().due_ms <= now) {
      const Frame& frame = waiting_.top();
      // What a full queue behind us refuses is lost, as at any port.
      const ssize_t n = ::write(frame.to, frame.bytes.data(), frame.bytes.size());
      lost_ += n < 0 ? 1 : 0;
      waiting_.pop();
    }
  }

  Ailment ailment_;
  laggard::lab::Random random_;
  std::priority_queue<Frame, std::vector<Frame>, Later> waiting_;
  std::array<char, kHeader + kLargestFrame> buffer_{};
  timespec until_{};
  std::uint64_t number_ = 0;
  std::uint64_t lost_ = 0;
};

int failed(const char* what, const std::string& where) {
  std::fprintf(stderr, "laggard-modelled-cable: %s: %s: %s\n", where.c_str(), what, std::strerror(errno));
  return 2;
}

/// A packet socket on a port, with virtio headers; -1 on failure.
int open_port(const std::string& name) {
  const int fd = ::socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(::if_nametoindex(name.c_str()));
  const bool done =
      address.sll_ifindex != 0 && ::setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) == 0 &&
      ::setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) == 0 &&
      ::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer, sizeof kReceiveBuffer) == 0 &&
      ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return done ? fd : -1;
}

/// A TAP device at a bridge; -1 on failure.
int open_bridge(const std::string& bridge) {
  const int fd = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  ifreq tap{};
  tap.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  std::strncpy(tap.ifr_name, "cable%d", IFNAMSIZ - 1);
  if (::ioctl(fd, TUNSETIFF, &tap) != 0) return -1;
  const int control = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return -1;
  ifreq up{};
  std::memcpy(up.ifr_name, tap.ifr_name, IFNAMSIZ);
  up.ifr_flags = IFF_UP;
  ifreq member{};
  std::strncpy(member.ifr_name, bridge.c_str(), IFNAMSIZ - 1);
  member.ifr_ifindex = static_cast<int>(::if_nametoindex(tap.ifr_name));
  const bool done = ::ioctl(control, SIOCSIFFLAGS, &up) == 0 && ::ioctl(control, SIOCBRADDIF, &member) == 0;
  ::close(control);
  return done ? fd : -1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Carries the frames between a port and a bridge, badly.", "laggard-modelled-cable"};
  std::string port;
  std::string bridge;
  Ailment ailment;
  std::uint64_t seed = 1;
  const auto share = [&](const char* name, double& value, const char* help) {
    app.add_option(name, value, help)->check(CLI::Range(0.0, 1.0));
  };
  app.add_option("PORT", port, "The network device that has left the bridge")->required();
  app.add_option("--bridge", bridge, "The bridge")->required();
  app.add_option("--delay", ailment.delay_ms, "Each way, ms")->check(CLI::NonNegativeNumber);
  app.add_option("--jitter", ailment.jitter_ms, "Up to so much more, ms")->check(CLI::NonNegativeNumber);
  share("--corrupted", ailment.corrupted, "Share of the frames in which a bit flips");
  share("--duplicated", ailment.duplicated, "Share of the frames that arrive twice");
  app.add_option("--seed", seed, "Of all chances")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const int at_port = open_port(port);
  if (at_port < 0) return failed("cannot be read", port);
  const int at_bridge = open_bridge(bridge);
  if (at_bridge < 0) return failed("cannot be joined through a TAP device", bridge);
  ::prctl(PR_SET_TIMERSLACK, 1000);
  static Cable cable(ailment, seed);
  errno = cable.carry(at_port, at_bridge);
  return failed("broke", port);
}
