#include "collect/pings/rados_library.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>

#if __has_include(<rados/librados.h>)
#include <rados/librados.h>

namespace laggard::collect {
namespace {

// What is declared is what Ceph's header declares. Handles are pointers to nothing known in both; the items
// of a list are a structure, compared field by field.
template <auto Member, typename Function>
constexpr bool is_declared_as(Function*) {
  return std::is_same_v<std::remove_reference_t<decltype(RadosLibrary{}.*Member)>, Function*>;
}
static_assert(is_declared_as<&RadosLibrary::create2>(&rados_create2));
static_assert(is_declared_as<&RadosLibrary::conf_read_file>(&rados_conf_read_file));
static_assert(is_declared_as<&RadosLibrary::conf_parse_env>(&rados_conf_parse_env));
static_assert(is_declared_as<&RadosLibrary::conf_set>(&rados_conf_set));
static_assert(is_declared_as<&RadosLibrary::conf_get>(&rados_conf_get));
static_assert(is_declared_as<&RadosLibrary::connect>(&rados_connect));
static_assert(is_declared_as<&RadosLibrary::shutdown>(&rados_shutdown));
static_assert(is_declared_as<&RadosLibrary::mon_command>(&rados_mon_command));
static_assert(is_declared_as<&RadosLibrary::buffer_free>(&rados_buffer_free));
static_assert(is_declared_as<&RadosLibrary::ioctx_create>(&rados_ioctx_create));
static_assert(is_declared_as<&RadosLibrary::ioctx_destroy>(&rados_ioctx_destroy));
static_assert(is_declared_as<&RadosLibrary::ioctx_set_namespace>(&rados_ioctx_set_namespace));
static_assert(is_declared_as<&RadosLibrary::ioctx_locator_set_key>(&rados_ioctx_locator_set_key));
static_assert(is_declared_as<&RadosLibrary::set_pool_full_try>(&rados_set_pool_full_try));
static_assert(is_declared_as<&RadosLibrary::write_full>(&rados_write_full));
static_assert(is_declared_as<&RadosLibrary::read>(&rados_read));
static_assert(is_declared_as<&RadosLibrary::remove>(&rados_remove));
static_assert(is_declared_as<&RadosLibrary::stat>(&rados_stat));
static_assert(is_declared_as<&RadosLibrary::nobjects_list_open>(&rados_nobjects_list_open));
static_assert(is_declared_as<&RadosLibrary::nobjects_list_seek>(&rados_nobjects_list_seek));
static_assert(is_declared_as<&RadosLibrary::nobjects_list_get_cursor>(&rados_nobjects_list_get_cursor));
static_assert(is_declared_as<&RadosLibrary::nobjects_list_close>(&rados_nobjects_list_close));
static_assert(is_declared_as<&RadosLibrary::object_list_end>(&rados_object_list_end));
static_assert(is_declared_as<&RadosLibrary::object_list_cursor_free>(&rados_object_list_cursor_free));

TEST(RadosLibrary, ItemsOfAListLieAsInTheHeader) {
  EXPECT_EQ(sizeof(RadosLibrary::Item), sizeof(rados_object_list_item));
  EXPECT_EQ(offsetof(RadosLibrary::Item, name), offsetof(rados_object_list_item, oid));
  EXPECT_EQ(offsetof(RadosLibrary::Item, space), offsetof(rados_object_list_item, nspace));
  EXPECT_EQ(offsetof(RadosLibrary::Item, key_length), offsetof(rados_object_list_item, locator_length));
  EXPECT_EQ(offsetof(RadosLibrary::Item, key), offsetof(rados_object_list_item, locator));
}

}  // namespace
}  // namespace laggard::collect
#endif

namespace laggard::collect {
namespace {

TEST(RadosLibrary, WhatIsMissingIsOneSentence) {
  const auto none = RadosLibrary::load("librados-of-nobody.so");
  ASSERT_FALSE(none);
  EXPECT_EQ(
      none.error().message(),
      "librados-of-nobody.so: is not on this machine: install Ceph's client library, on Debian the package "
      "librados2");
  const auto other = RadosLibrary::load("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message().find("it has no rados_create2"), std::string::npos);
}

}  // namespace
}  // namespace laggard::collect
