# laggard_proto(TARGET NAME): a library of what protoc makes of NAME.proto in this folder; its header is NAME.pb.h.
#
# protoc runs when CMake does, so that clang-tidy finds the header in a tree that was only configured.
function(laggard_proto TARGET NAME)
  set(made "${CMAKE_CURRENT_BINARY_DIR}/${NAME}.pb")
  set(proto "${CMAKE_CURRENT_SOURCE_DIR}/${NAME}.proto")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${proto}")
  if(NOT EXISTS "${made}.h" OR "${proto}" IS_NEWER_THAN "${made}.h")
    execute_process(COMMAND "${Protobuf_PROTOC_EXECUTABLE}" "--proto_path=${CMAKE_CURRENT_SOURCE_DIR}" "--cpp_out=${CMAKE_CURRENT_BINARY_DIR}"
                            ${NAME}.proto COMMAND_ERROR_IS_FATAL ANY)
  endif()
  # A library of its own: what protoc writes does not keep our warnings.
  add_library(${TARGET} STATIC "${made}.cc")
  target_include_directories(${TARGET} SYSTEM PUBLIC "${CMAKE_CURRENT_BINARY_DIR}")
  target_link_libraries(${TARGET} PUBLIC protobuf::libprotobuf-lite)
endfunction()
