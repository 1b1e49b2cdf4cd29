// SPDX-License-Identifier: Apache-2.0
//
// Symbols of the object, lines of the text.

#include "compiler/target/CountCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"

#include <set>

namespace minic {

using llvm::StringRef;

int64_t countCodeBytes(StringRef object, StringRef entry) {
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  int64_t bytes = -1;
  auto search = [&]() -> llvm::Error {
    llvm::Expected<File> file = File::create(object);
    if (!file) {
      return file.takeError();
    }
    auto sections = file->sections();
    if (!sections) {
      return sections.takeError();
    }
    for (const auto &section : *sections) {
      llvm::Expected<StringRef> name = file->getSectionName(section);
      if (!name) {
        return name.takeError();
      }
      if (*name == ".text" || *name == (".text." + entry).str()) {
        bytes = std::max<int64_t>(bytes, 0) + int64_t(section.sh_size);
      }
    }
    return llvm::Error::success();
  };
  llvm::consumeError(search());
  return bytes;
}

/// The number before `unit` in `line`; 0 where there is none.
static int64_t numberBefore(StringRef line, StringRef unit) {
  int64_t value = 0;
  StringRef before = line.take_front(line.find(unit));
  before.drop_front(before.find_last_not_of("0123456789") + 1)
      .getAsInteger(10, value);
  return value;
}

/// Adds the numbers of the registers %xmmN, %ymmN and %zmmN in `line`.
static void addRegisters(StringRef line, std::set<int> &registers) {
  for (size_t at = line.find("mm"); at != StringRef::npos;
       at = line.find("mm", at + 2)) {
    StringRef digits = line.drop_front(at + 2);
    digits = digits.take_while(llvm::isDigit);
    int number = 0;
    if (at >= 2 && line[at - 2] == '%' && !digits.getAsInteger(10, number)) {
      registers.insert(number);
    }
  }
}

void countAssembly(KernelCode &code) {
  std::set<int> registers;
  code.instructions = code.spillBytes = 0;
  StringRef rest = code.assembly;
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.size() < 2 || line[0] != '\t' || !llvm::isAlpha(line[1])) {
      continue; // labels, directives, comments
    }
    ++code.instructions;
    auto [instruction, comment] = line.split('#');
    addRegisters(instruction, registers);
    if (comment.contains("Spill") || comment.contains("Reload")) {
      code.spillBytes += numberBefore(comment, "-byte");
    }
  }
  code.registers = int64_t(registers.size());
}

} // namespace minic
