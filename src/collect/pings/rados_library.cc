#include "collect/pings/rados_library.h"

#include <dlfcn.h>

#include <string>

namespace laggard::collect {

namespace {

/// Looks functions up, and remembers which one is missing.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(library_, name));
    if (function == nullptr && missing_ == nullptr) missing_ = name;
  }
  [[nodiscard]] const char* missing() const { return missing_; }

 private:
  void* library_;
  const char* missing_ = nullptr;
};

void find_cluster_functions(Symbols& symbols, RadosLibrary& rados) {
  symbols.find(rados.create2, "rados_create2");
  symbols.find(rados.conf_read_file, "rados_conf_read_file");
  symbols.find(rados.conf_parse_env, "rados_conf_parse_env");
  symbols.find(rados.conf_set, "rados_conf_set");
  symbols.find(rados.conf_get, "rados_conf_get");
  symbols.find(rados.connect, "rados_connect");
  symbols.find(rados.shutdown, "rados_shutdown");
  symbols.find(rados.mon_command, "rados_mon_command");
  symbols.find(rados.buffer_free, "rados_buffer_free");
}

void find_object_functions(Symbols& symbols, RadosLibrary& rados) {
  symbols.find(rados.ioctx_create, "rados_ioctx_create");
  symbols.find(rados.ioctx_destroy, "rados_ioctx_destroy");
  symbols.find(rados.ioctx_set_namespace, "rados_ioctx_set_namespace");
  symbols.find(rados.ioctx_locator_set_key, "rados_ioctx_locator_set_key");
  symbols.find(rados.set_pool_full_try, "rados_set_pool_full_try");
  symbols.find(rados.write_full, "rados_write_full");
  symbols.find(rados.read, "rados_read");
  symbols.find(rados.remove, "rados_remove");
  symbols.find(rados.stat, "rados_stat");
}

void find_list_functions(Symbols& symbols, RadosLibrary& rados) {
  symbols.find(rados.nobjects_list_open, "rados_nobjects_list_open");
  symbols.find(rados.nobjects_list_seek, "rados_nobjects_list_seek");
  symbols.find(rados.nobjects_list_get_cursor, "rados_nobjects_list_get_cursor");
  symbols.find(rados.nobjects_list_close, "rados_nobjects_list_close");
  symbols.find(rados.object_list, "rados_object_list");
  symbols.find(rados.object_list_free, "rados_object_list_free");
  symbols.find(rados.object_list_end, "rados_object_list_end");
  symbols.find(rados.object_list_cursor_free, "rados_object_list_cursor_free");
}

}  // namespace

Result<RadosLibrary> RadosLibrary::load(const char* file) {
  // Global, because librados loads its plugins by itself, and these look for its symbols.
  void* library = ::dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    return fail(ErrorCode::kUnavailable, file,
                "is not on this machine: install Ceph's client library, on Debian the package librados2");
  }
  RadosLibrary rados;
  Symbols symbols(library);
  find_cluster_functions(symbols, rados);
  find_object_functions(symbols, rados);
  find_list_functions(symbols, rados);
  if (symbols.missing() == nullptr) return rados;
  return fail(ErrorCode::kUnavailable, file,
              std::string("is of a Ceph before Nautilus (14): it has no ") + symbols.missing());
}

}  // namespace laggard::collect
