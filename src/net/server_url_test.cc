#include "net/server_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/property.h"

namespace laggard::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string problem(const std::string& text) {
  const auto url = parse_server_url(text);
  EXPECT_FALSE(url) << text;
  return url ? "" : url.error().message();
}

TEST(ServerUrl, Parts) {
  const auto url = parse_server_url("https://me:s:e@prom.example:9090/prom/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->origin, "https://prom.example:9090");
  EXPECT_EQ(url->prefix, "/prom");
  EXPECT_EQ(url->user, "me");
  EXPECT_EQ(url->password, "s:e");
  EXPECT_EQ(url->shown(), "https://prom.example:9090/prom");
}

TEST(ServerUrl, TheSchemeInAnyLetters) {
  const auto url = parse_server_url("HtTpS://me:secret@Prom:9090");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->shown(), "https://Prom:9090");
  EXPECT_EQ(url->password, "secret");
}

TEST(ServerUrl, PercentSignsInUserAndPassword) {
  const auto url = parse_server_url("http://m%65:a%2Fb%40c%3f%23%25@h");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->user, "me");
  EXPECT_EQ(url->password, "a/b@c?#%");
  EXPECT_THAT(problem("http://me:100%@h"), HasSubstr("write % as %25"));
  EXPECT_THAT(problem("http://me:a%0d%0aX-Evil@h"), HasSubstr("%25"));
  EXPECT_FALSE(parse_server_url("http://a%3Ab:c@h")) << "Basic has no user with a colon";
}

TEST(ServerUrl, Hosts) {
  for (const char* fine :
       {"http://h", "http://h:1", "http://10.0.0.1:65535/a/b", "http://[::1]", "http://[::1]:9090/x",
        "http://[fe80::1%25eth0]:1", "http://a_b-c.d.", "http://me@h", "http://me:@h", "http://me:p@ss@h"}) {
    EXPECT_TRUE(parse_server_url(fine)) << fine;
  }
  for (const char* bad : {"",
                          "prom:9090",
                          "http:",
                          "http:/h",
                          "http:h",
                          "http://",
                          "http:///x",
                          "http://:80",
                          "http://h:",
                          "http://h:0",
                          "http://h:65536",
                          "http://h:-1",
                          "http://h:+1",
                          "http://h:1x",
                          "http://h:000080",
                          "http://[::1",
                          "http://::1",
                          "http://[]",
                          "http://[1.2.3.4]",
                          "http://[::1]x",
                          "http://[::1]:",
                          "http://[fe80::1%eth0]",
                          "http://a b",
                          "http://h/ x",
                          "http://h\\x",
                          " http://h",
                          "http://h\n",
                          "http://h\t",
                          "http://b\xc3\xbc",
                          "http://h/?query=1",
                          "http://h/#x",
                          "http://h?x",
                          "http://@h",
                          "http://:p@h",
                          "http://me@",
                          "http://me@/x",
                          "ftp://h",
                          "file:///etc/passwd",
                          "https//h",
                          "http://h/a@b",
                          "http://h!",
                          "http://h,i"}) {
    EXPECT_FALSE(parse_server_url(bad)) << bad;
  }
  EXPECT_THAT(problem("http://" + std::string(5000, 'a')), HasSubstr("longer than 2,000"));
}

TEST(ServerUrl, NoErrorShowsAnyOfThePassword) {
  for (const std::string form :
       {"me:{}@prom:9090", "{}@prom", "HTTP:me:{}@prom", "httpx://me:{}@prom", "http://me:{}/x@prom:9090",
        "http://me:7/{}@prom:9090", "http://me:{}?x@prom", "http://me:{}#x@prom", "http://me:{} x@prom",
        "http://me:%{}@prom", "http://me:{}@", "http://me:{}@prom:x", "http://me:{}", "http://me:{}@prom/?x",
        "http://:{}@prom", "http://me:{}\n@prom", "//me:{}@prom", "http:/me:{}@prom", "{}"}) {
    std::string text = form;
    text.replace(text.find("{}"), 2, "s3cret");
    EXPECT_THAT(problem(text), Not(HasSubstr("s3cret"))) << text;
  }
}

TEST(ServerUrl, WhateverThePasswordItIsUnderstoodOrRefusedUnseen) {
  expect_property("what is shown of a URL", [] {
    const auto password = *rc::gen::nonEmpty(rc::gen::container<std::string>(
        rc::gen::oneOf(rc::gen::element('/', '@', '#', '?', '%', ':', '\\', '[', ']', ' ', '\n', '&'),
                       rc::gen::inRange('a', 'e'), rc::gen::inRange('0', '9'))));
    const std::string scheme = *rc::gen::element<std::string>("http://", "HTTPS://", "", "http:", "ftp://");
    const std::string secret = "Q" + password + "Z";  // Neither letter is in a sentence or in the rest.
    const auto url = parse_server_url(scheme + "me:" + secret + "@prom:9090/x");
    if (url) {
      RC_ASSERT(url->shown().ends_with("://prom:9090/x"));
      RC_ASSERT(url->user == "me");
    } else {
      const std::string message = url.error().message();
      RC_ASSERT(message.find('Q') == std::string::npos);
      RC_ASSERT(message.find('Z') == std::string::npos);
    }
  });
}

}  // namespace
}  // namespace laggard::net
