#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "net/http.h"
#include "testing/http_peer.h"

namespace laggard::net {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string kBasic = "Authorization: Basic bWU6czNjcmV0";  // me:s3cret
const std::string kBearer = "Authorization: Bearer t0ken";

std::unique_ptr<HttpTransport> client(const std::string& text, HttpOptions options = {}) {
  const auto url = parse_server_url(text);
  EXPECT_TRUE(url) << text;
  auto transport = connect_http(*url, std::move(options));
  EXPECT_TRUE(transport);
  return transport ? std::move(*transport) : nullptr;
}

/// The URL of a peer with a user in it.
std::string with_user(const TestingPeer& peer) { return "http://me:s3cret@" + peer.url().substr(7); }

TestingPeer::Answerer always(std::string bytes, bool close = false) {
  return [bytes = std::move(bytes), close](const std::string&) { return TestingPeer::Answer{bytes, close}; };
}

TestingPeer::Answerer redirecting(std::string to, const std::string& status = "307 Again") {
  return always(TestingPeer::reply(status, "Location: " + std::move(to) + "\r\n"));
}

/// What the client returns for these bytes as an answer.
Result<HttpReply> answered(const std::string& bytes, HttpOptions options = {}) {
  TestingPeer peer(always(bytes, true));
  return client(peer.url(), std::move(options))->get("/x", {});
}

std::string complaint(const Result<HttpReply>& reply) {
  EXPECT_FALSE(reply);
  return reply ? "" : reply.error().what;
}

TEST(HttpClient, AsksWithParametersAndKeepsTheConnection) {
  TestingPeer peer(always(TestingPeer::reply("200 OK", "Retry-After: 7\r\n", "hello")));
  const auto http = client(peer.url() + "/prom/");
  for (int i = 0; i < 3; ++i) {
    const auto reply = http->get("/api/v1/query", {{"query", "a{b=\"c d\"}+1"}, {"time", "1.5"}});
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, "hello");
    EXPECT_EQ(reply->retry_after, "7");
    EXPECT_FALSE(reply->reconnected);
    EXPECT_EQ(reply->elsewhere, "");
  }
  EXPECT_EQ(peer.connections(), 1);
  EXPECT_THAT(peer.requests()[0],
              StartsWith("GET /prom/api/v1/query?query=a%7Bb%3D%22c%20d%22%7D%2B1&time=1.5 HTTP/1.1\r\n"));
  EXPECT_THAT(peer.requests(), Each(Not(HasSubstr("Authorization"))));
}

TEST(HttpClient, PostsABodyAndItsHeaders) {
  TestingPeer peer(always(TestingPeer::reply("204 No Content")));
  const std::string body = std::string("a\0b", 3) + std::string(2'000'000, 'x');
  const auto reply =
      client(with_user(peer))->post("/write", {{"Content-Type", "application/x-protobuf"}}, body);
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->status, 204);
  const std::string request = peer.requests().at(0);
  EXPECT_THAT(request, StartsWith("POST /write HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Type: application/x-protobuf\r\n"));
  EXPECT_THAT(request, HasSubstr(kBasic));
  EXPECT_THAT(request, Not(HasSubstr("Expect:")));
  EXPECT_TRUE(request.ends_with("\r\n\r\n" + body));
}

TEST(HttpClient, CredentialsGoToTheOriginOnly) {
  for (const bool token : {false, true}) {
    TestingPeer other(always(TestingPeer::reply("200 OK")));
    TestingPeer peer(redirecting(other.url() + "/there"));
    HttpOptions options;
    if (token) options.bearer_token = "t0ken";
    const auto http = client(token ? peer.url() : with_user(peer), options);
    const auto got = http->get("/x", {{"a", "b"}});
    const auto posted = http->post("/x", {}, "body");
    ASSERT_TRUE(got && posted);
    EXPECT_EQ(got->elsewhere, other.url());
    EXPECT_THAT(peer.requests(), Each(HasSubstr(token ? kBearer : kBasic)));
    ASSERT_THAT(other.requests(), SizeIs(2));
    EXPECT_THAT(other.requests(), Each(Not(HasSubstr("Authorization"))));
    EXPECT_THAT(other.requests()[0], StartsWith("GET /there HTTP/1.1"));
    EXPECT_THAT(other.requests()[1], StartsWith("POST /there HTTP/1.1"));
    EXPECT_THAT(other.requests()[1], EndsWith("body")) << "the body is repeated";
  }
}

TEST(HttpClient, AnotherNameOfTheSameMachineIsAnotherOrigin) {
  TestingPeer peer([](const std::string& request) {
    const std::size_t port = request.find("127.0.0.1:");
    if (port == std::string::npos) return TestingPeer::Answer{TestingPeer::reply("200 OK"), true};
    const std::string there = request.substr(port + 10, request.find("\r\n", port) - port - 10);
    return TestingPeer::Answer{
        TestingPeer::reply("302 Found", "Location: http://localhost:" + there + "/\r\n"), true};
  });
  ASSERT_TRUE(client(with_user(peer))->get("/x", {}));
  ASSERT_THAT(peer.requests(), SizeIs(2));
  EXPECT_THAT(peer.requests()[0], HasSubstr(kBasic));
  EXPECT_THAT(peer.requests()[1], Not(HasSubstr("Authorization")));
}

TEST(HttpClient, WhoWasSentAwayComesBackWithoutCredentials) {
  std::string home;
  TestingPeer other([&](const std::string&) {
    return TestingPeer::Answer{TestingPeer::reply("307 Back", "Location: " + home + "/chosen/by/other\r\n")};
  });
  TestingPeer peer([&](const std::string& request) {
    if (request.find("chosen") != std::string::npos) return TestingPeer::Answer{TestingPeer::reply("200 OK")};
    return TestingPeer::Answer{TestingPeer::reply("307 Away", "Location: " + other.url() + "/\r\n")};
  });
  home = peer.url();
  ASSERT_TRUE(client(with_user(peer))->get("/x", {}));
  ASSERT_THAT(peer.requests(), SizeIs(2));
  EXPECT_THAT(peer.requests()[1], Not(HasSubstr("Authorization")));
}

TEST(HttpClient, WithinTheOriginCredentialsStay) {
  TestingPeer peer([](const std::string& request) {
    if (request.find("GET /new") == 0) return TestingPeer::Answer{TestingPeer::reply("200 OK")};
    return TestingPeer::Answer{TestingPeer::reply("301 Moved", "Location: /new\r\n")};
  });
  const auto reply = client(with_user(peer))->get("/old", {});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->elsewhere, "");
  EXPECT_THAT(peer.requests(), SizeIs(2));
  EXPECT_THAT(peer.requests(), Each(HasSubstr(kBasic)));
}

TEST(HttpClient, WhoRefusesElsewhereIsNamed) {
  TestingPeer other(always(TestingPeer::reply("401 Who")));
  TestingPeer peer(redirecting("http://thief:taken@" + other.url().substr(7) + "/login?token=x"));
  const auto reply = client(with_user(peer))->get("/x", {});
  ASSERT_TRUE(reply);
  EXPECT_EQ(refusal(*reply, "", ""),
            "the server redirects to " + other.url() +
                ", which answers 401; users, passwords and tokens are not sent there; give that "
                "URL if it is the right one");
  EXPECT_THAT(other.requests().at(0), Not(HasSubstr("Authorization"))) << "nor what the redirection names";
}

TEST(HttpClient, APostIsNotTurnedIntoAGet) {
  for (const char* status : {"301 Moved", "302 Found", "303 Other"}) {
    TestingPeer other(always(TestingPeer::reply("200 OK")));
    TestingPeer peer(redirecting(other.url() + "/x?secret=y", status));
    const auto reply = client(peer.url())->post("/write", {}, "body");
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, ErrorCode::kBadUse);
    EXPECT_EQ(reply.error().message(),
              peer.url() + ": the server answers " + std::string(status).substr(0, 3) + " and redirects to " +
                  other.url() + "/x, where nothing can be sent by that; give the URL that it means");
    EXPECT_THAT(other.requests(), SizeIs(0));
  }
}

TEST(HttpClient, RedirectionsEnd) {
  TestingPeer peer(redirecting("/again"));
  EXPECT_THAT(complaint(client(peer.url())->get("/x", {})), HasSubstr("redirects more than 5 times"));
  EXPECT_THAT(peer.requests(), SizeIs(6));
  for (const char* place :
       {"file:///etc/passwd", "FILE://localhost/etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/",
        "dict://127.0.0.1/", "ldap://127.0.0.1/", "data:,x", "http://", "http://[", "https://"}) {
    TestingPeer liar(redirecting(place));
    const auto reply = client(liar.url())->get("/x", {});
    EXPECT_TRUE(!reply || reply->status == 307)
        << place;  // Returned as it is where it names no place at all.
    EXPECT_THAT(liar.requests(), SizeIs(1)) << place;
  }
  TestingPeer silent(always(TestingPeer::reply("302 Found")));
  EXPECT_EQ(client(silent.url())->get("/x", {})->status, 302)
      << "without a place it is an answer like any other";
}

TEST(HttpClient, EverythingThatAnAnswerHasIsBounded) {
  EXPECT_TRUE(answered("HTTP/1.1 200 " + std::string(30'000, 'A') + "\r\nContent-Length: 0\r\n\r\n"));
  const auto too_much = HasSubstr("headers longer than any server needs");
  EXPECT_THAT(complaint(answered("HTTP/1.1 200 " + std::string(80'000, 'A') + "\r\n\r\n")), too_much);
  EXPECT_THAT(complaint(answered("HTTP/1.1 200 " + std::string(3'000'000, 'A'))), too_much);
  std::string headers;
  for (int i = 0; i < 10'000; ++i) headers += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_THAT(complaint(answered("HTTP/1.1 200 OK\r\n" + headers + "\r\n")), too_much);
  EXPECT_THAT(
      complaint(answered("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + headers + "\r\n")),
      too_much);
  std::string interim;
  for (int i = 0; i < 100; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_THAT(complaint(answered(interim + TestingPeer::reply("200 OK"))), too_much);

  HttpOptions small;
  small.most_bytes = 1000;
  EXPECT_EQ(answered(TestingPeer::reply("200 OK", "", std::string(1000, 'x')), small)->body.size(), 1000U);
  const auto longer = answered(TestingPeer::reply("200 OK", "", std::string(1001, 'x')), small);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(longer.error().what, "an answer is longer than 1000 bytes");
}

TEST(HttpClient, OfErrorsAndOfAnswersToPostsOnlyTheBeginningIsRead) {
  const std::string large(10'000'000, 'x');
  constexpr std::size_t kShown = std::size_t{64} << 10U;
  const auto error = answered(TestingPeer::reply("503 Later", "Retry-After: 5\r\n", large));
  ASSERT_TRUE(error) << error.error().message();
  EXPECT_EQ(error->status, 503);
  EXPECT_EQ(error->retry_after, "5");
  EXPECT_EQ(error->body.size(), kShown);
  TestingPeer peer(always(TestingPeer::reply("200 OK", "", large)));
  const auto posted = client(peer.url())->post("", {}, "body");
  ASSERT_TRUE(posted) << posted.error().message();
  EXPECT_EQ(posted->status, 200);
  EXPECT_EQ(posted->body.size(), kShown);
}

TEST(HttpClient, OneDeadlineForAllOfARequest) {
  HttpOptions options;
  options.deadline = 300ms;
  for (const char* bytes :
       {"", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nX: y\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"}) {
    TestingPeer peer([&](const std::string&) {
      return TestingPeer::Answer{.bytes = bytes, .close = false, .wait = true};
    });
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(complaint(client(peer.url(), options)->get("/x", {})),
              "the server gave no whole answer within 0.3 s");
    EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
  }
}

TEST(HttpClient, AWishToStopEndsARequest) {
  HttpOptions options;
  const auto began = std::chrono::steady_clock::now();
  options.stopped = [&] { return std::chrono::steady_clock::now() - began > 200ms; };
  options.stop_grace = 100ms;
  TestingPeer peer([](const std::string&) {
    return TestingPeer::Answer{.bytes = "HTTP/1.1 ", .close = false, .wait = true};
  });
  EXPECT_EQ(complaint(client(peer.url(), options)->post("/x", {}, "b")),
            "stopped before the answer was there");
  EXPECT_GE(std::chrono::steady_clock::now() - began, 300ms);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 2s);
  // An answer within the grace period counts.
  TestingPeer quick(always(TestingPeer::reply("204 No Content")));
  EXPECT_TRUE(client(quick.url(), options)->post("/x", {}, "b"));
}

TEST(HttpClient, TellsAConnectionThatWasLostFromOneThatWasToEnd) {
  TestingPeer announces(always(TestingPeer::reply("200 OK", "Connection: Close\r\n"), true));
  TestingPeer old(always("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", true));
  TestingPeer silent(always(TestingPeer::reply("200 OK"), true));
  const auto reconnected = [](TestingPeer& peer) {
    const auto http = client(peer.url());
    EXPECT_FALSE(http->post("", {}, "a")->reconnected) << "the first";
    std::this_thread::sleep_for(20ms);
    const bool second = http->post("", {}, "b")->reconnected;
    EXPECT_EQ(peer.connections(), 2);
    return second;
  };
  EXPECT_FALSE(reconnected(announces));
  EXPECT_FALSE(reconnected(old));
  EXPECT_TRUE(reconnected(silent));
}

TEST(HttpClient, SaysWhatIsWrong) {
  EXPECT_EQ(complaint(answered("")), "the server closed the connection without an answer");
  EXPECT_EQ(complaint(answered("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")),
            "the connection broke off before the answer was complete");
  EXPECT_EQ(complaint(answered("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")),
            "the connection broke off before the answer was complete");
  EXPECT_EQ(complaint(answered("SSH-2.0-OpenSSH_9.2\r\n")),
            "the answer is no HTTP; is it https instead of http, or another service?");
  EXPECT_EQ(complaint(answered(TestingPeer::reply("200 OK", "Content-Encoding: gzip\r\n", "no gzip"))),
            "the answer is packed in a way that cannot be unpacked");
  EXPECT_EQ(complaint(client("http://127.0.0.1:1")->get("/x", {})),
            "cannot connect; is the server running there?");
  TestingPeer plain(always("no TLS\r\n", true));
  EXPECT_EQ(complaint(client("https" + plain.url().substr(4))->get("/x", {})),
            "cannot agree on an encrypted connection; is it http instead of https?");
}

TEST(HttpClient, AUserOrAToken) {
  HttpOptions options;
  options.bearer_token = "t0ken";
  const auto both = connect_http(*parse_server_url("http://me:s3cret@h"), options);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message(), "http://h: give a user in the URL or a token, not both");
}

TEST(HttpClient, TakesNoProxyFromTheEnvironment) {
  TestingPeer peer(always(TestingPeer::reply("200 OK")));
  ::setenv("http_proxy", "http://127.0.0.1:1", 1);
  ::setenv("all_proxy", "http://127.0.0.1:1", 1);
  EXPECT_TRUE(client(peer.url())->get("/x", {}));
  ::unsetenv("http_proxy");
  ::unsetenv("all_proxy");
}

}  // namespace
}  // namespace laggard::net
