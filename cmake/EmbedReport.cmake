# Run as `cmake -DSCRIPTS=a.js,b.js -DSTYLES=a.css -DOUT=x.cc -P EmbedReport.cmake`: writes the script and the style of
# the HTML report, each joined into one text, as a C++ file.
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
  string(APPEND text "std::string_view page_${asset}() { return R\"~asset~(${${asset}})~asset~\"; }\n\n")
endforeach()
string(APPEND text "}  // namespace laggard::report\n")
file(WRITE "${OUT}" "${text}")
