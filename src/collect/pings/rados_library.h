#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "base/error.h"

namespace laggard::collect {

/// What probes need of librados, the client library of Ceph, looked up when they run: one build serves
/// machines with Ceph and without. The functions are declared here, so that the build needs no header of
/// Ceph's either; their signatures have been kept since librados.so.2 exists, and where the header is
/// installed a test compares them (rados_library_test.cc).
struct RadosLibrary {
  using Cluster = void*;
  using Context = void*;  ///< Of a pool, with a namespace and a locator key.
  using List = void*;
  using Cursor = void*;
  /// As rados_object_list_item.
  struct Item {
    std::size_t name_length;
    char* name;
    std::size_t space_length;
    char* space;
    std::size_t key_length;
    char* key;
  };

  int (*create2)(Cluster*, const char* cluster, const char* user, std::uint64_t flags) = nullptr;
  int (*conf_read_file)(Cluster, const char* path) = nullptr;
  int (*conf_parse_env)(Cluster, const char* variable) = nullptr;
  int (*conf_set)(Cluster, const char* option, const char* value) = nullptr;
  int (*conf_get)(Cluster, const char* option, char* value, std::size_t size) = nullptr;
  int (*connect)(Cluster) = nullptr;
  void (*shutdown)(Cluster) = nullptr;
  int (*mon_command)(Cluster, const char** command, std::size_t commands, const char* input,
                     std::size_t input_size, char** output, std::size_t* output_size, char** status,
                     std::size_t* status_size) = nullptr;
  void (*buffer_free)(char*) = nullptr;
  int (*ioctx_create)(Cluster, const char* pool, Context*) = nullptr;
  void (*ioctx_destroy)(Context) = nullptr;
  void (*ioctx_set_namespace)(Context, const char* space) = nullptr;
  void (*ioctx_locator_set_key)(Context, const char* key) = nullptr;
  void (*set_pool_full_try)(Context) = nullptr;
  int (*write_full)(Context, const char* object, const char* bytes, std::size_t size) = nullptr;
  int (*read)(Context, const char* object, char* bytes, std::size_t size, std::uint64_t offset) = nullptr;
  int (*remove)(Context, const char* object) = nullptr;
  int (*stat)(Context, const char* object, std::uint64_t* size, std::time_t* modified) = nullptr;
  int (*nobjects_list_open)(Context, List*) = nullptr;
  std::uint32_t (*nobjects_list_seek)(List, std::uint32_t hash) = nullptr;
  int (*nobjects_list_get_cursor)(List, Cursor*) = nullptr;
  void (*nobjects_list_close)(List) = nullptr;
  int (*object_list)(Context, Cursor first, Cursor end, std::size_t most, const char* filter,
                     std::size_t filter_size, Item* items, Cursor* next) = nullptr;
  void (*object_list_free)(std::size_t items, Item*) = nullptr;
  Cursor (*object_list_end)(Context) = nullptr;
  void (*object_list_cursor_free)(Context, Cursor) = nullptr;

  /// Stays loaded until the process ends.
  [[nodiscard]] static Result<RadosLibrary> load(const char* file = "librados.so.2");
};

}  // namespace laggard::collect
