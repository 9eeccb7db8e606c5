# Run as `cmake -DSCRIPTS=a.js,b.js -DSTYLES=a.css -DOUT=x.cc -P EmbedReport.cmake`: writes the sources of the HTML
# report's script and style, each joined into one text, as a C++ file with their SHA-256.
function(join_files LIST OUT_VARIABLE)
  string(REPLACE "," ";" files "${LIST}")
  set(joined "")
  foreach(file IN LISTS files)
    file(READ "${file}" text)
    string(APPEND joined "${text}")
  endforeach()
  set(${OUT_VARIABLE} "${joined}" PARENT_SCOPE)
endfunction()

join_files("${SCRIPTS}" script)
set(script "(() => {\n'use strict';\n${script}})();\n")
join_files("${STYLES}" style)

set(text "// Made by cmake/EmbedReport.cmake from web/report; edit the files there.\n#include \"report/html_parts.h\"\n\nnamespace laggard::report {\n\n")
foreach(asset script style)
  string(SHA256 hash "${${asset}}")
  string(APPEND text
    "Asset page_${asset}() { return {R\"~asset~(${${asset}})~asset~\", \"${hash}\"}; }\n\n")
endforeach()
string(APPEND text "}  // namespace laggard::report\n")
file(WRITE "${OUT}" "${text}")
