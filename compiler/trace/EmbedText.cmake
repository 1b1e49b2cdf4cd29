# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=FILE.cpp -DPAGE=DIR -P EmbedText.cmake: PageParts.cpp, from the
# files of DIR. All *.js are one script, in the order of their names.
set(text "// SPDX-License-Identifier: Apache-2.0\n#include \"compiler/trace/PageParts.h\"\nnamespace minic::trace {\n")
file(GLOB scripts ${PAGE}/*.js)
list(SORT scripts)
file(READ ${PAGE}/page.html html)
file(READ ${PAGE}/page.css css)
set(js "")
foreach(script IN LISTS scripts)
  file(READ ${script} part)
  string(APPEND js "${part}")
endforeach()
string(APPEND text "const std::string_view pageHtml = R\"minic(${html})minic\";\n")
string(APPEND text "const std::string_view pageCss = R\"minic(${css})minic\";\n")
string(APPEND text "const std::string_view pageJs = R\"minic(${js})minic\";\n")
string(APPEND text "} // namespace minic::trace\n")
file(WRITE ${OUTPUT} "${text}")
