// SPDX-License-Identifier: Apache-2.0
//
// Background: names of one object may be those of another, and the runtime
// loads kernels that need no relocation. Approach: the object is linked alone.
// Its image, which refers to itself by distances only, becomes bytes in the
// section of code, under one name that is unique.

#include "compiler/target/cpu/user/ObjectModule.h"

#include "compiler/target/cpu/LinkSharedObject.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/xxhash.h"

namespace minic::cpu {

using llvm::StringRef;
using llvm::Twine;
using ElfFile = llvm::object::ELF64LEFile;
using ElfObject = llvm::object::ELF64LEObjectFile;

static constexpr StringRef notAnObject =
    "is no ELF object (a .o file) for x86-64";

static llvm::Expected<ElfObject> readObject(StringRef bytes) {
  llvm::Expected<ElfObject> object =
      ElfObject::create(llvm::MemoryBufferRef(bytes, "object"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return llvm::createStringError(notAnObject);
  }
  if (!object->isRelocatableObject() ||
      object->getELFFile().getHeader().e_machine != llvm::ELF::EM_X86_64) {
    return llvm::createStringError(notAnObject);
  }
  return object;
}

static llvm::Error checkSymbols(const ElfObject &object, StringRef entry) {
  std::string defined;
  bool hasEntry = false;
  for (const llvm::object::ELFSymbolRef &symbol : object.symbols()) {
    llvm::Expected<StringRef> name = symbol.getName();
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!name || !flags) {
      llvm::consumeError(name.takeError());
      llvm::consumeError(flags.takeError());
      return llvm::createStringError(notAnObject);
    }
    if (name->empty() || *name == "_GLOBAL_OFFSET_TABLE_") {
      continue;
    }
    if (*flags & llvm::object::SymbolRef::SF_Undefined) {
      return llvm::createStringError(
          "imports '" + *name + "': a kernel has to bring all that it calls");
    }
    if (symbol.getELFType() == llvm::ELF::STT_FUNC &&
        (*flags & llvm::object::SymbolRef::SF_Global)) {
      hasEntry |= *name == entry;
      defined += (defined.empty() ? "" : ", ") + name->str();
    }
  }
  if (hasEntry) {
    return llvm::Error::success();
  }
  return llvm::createStringError("has no function '" + entry + "'; there is " +
                                 (defined.empty() ? "none" : defined));
}

static llvm::Error checkSections(const ElfObject &object) {
  for (llvm::object::ELFSectionRef section : object.sections()) {
    if ((section.getFlags() & llvm::ELF::SHF_ALLOC) &&
        (section.getFlags() & llvm::ELF::SHF_WRITE) && section.getSize() > 0) {
      llvm::Expected<StringRef> name = section.getName();
      std::string text = name ? name->str() : std::string("?");
      llvm::consumeError(name.takeError());
      return llvm::createStringError(
          "has variables or pointers in its section '" + text +
          "': a kernel keeps nothing between calls");
    }
  }
  return llvm::Error::success();
}

/// All that is read or run of a linked object, as it lies in memory.
static llvm::Expected<std::string> imageOf(const ElfFile &file) {
  auto segments = file.program_headers();
  if (!segments) {
    return segments.takeError();
  }
  std::string image;
  for (const auto &segment : *segments) {
    if (segment.p_type != llvm::ELF::PT_LOAD ||
        (segment.p_flags & llvm::ELF::PF_W)) {
      continue;
    }
    auto bytes = file.getSegmentContents(segment);
    if (!bytes) {
      return bytes.takeError();
    }
    image.resize(
        std::max<size_t>(image.size(), segment.p_vaddr + segment.p_memsz));
    std::copy(bytes->begin(), bytes->end(), image.begin() + segment.p_vaddr);
  }
  return image;
}

static llvm::Expected<uint64_t> addressOf(const ElfFile &file,
                                          StringRef entry) {
  auto sections = file.sections();
  if (!sections) {
    return sections.takeError();
  }
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM) {
      continue;
    }
    auto symbols = file.symbols(&section);
    auto names = file.getStringTableForSymtab(section, *sections);
    if (!symbols || !names) {
      llvm::consumeError(names.takeError());
      return symbols ? llvm::createStringError("has no names")
                     : symbols.takeError();
    }
    for (const auto &symbol : *symbols) {
      if (StringRef(names->data() + symbol.st_name) == entry) {
        return uint64_t(symbol.st_value);
      }
    }
  }
  return llvm::createStringError("hides its function '" + entry + "'");
}

llvm::Expected<UserModule> makeObjectModule(StringRef bytes, StringRef entry) {
  llvm::Expected<ElfObject> object = readObject(bytes);
  if (!object) {
    return object.takeError();
  }
  if (llvm::Error error = checkSymbols(*object, entry)) {
    return error;
  }
  if (llvm::Error error = checkSections(*object)) {
    return error;
  }
  llvm::Expected<std::string> linked = linkSharedObject(bytes);
  if (!linked) {
    llvm::consumeError(linked.takeError());
    return llvm::createStringError(
        "cannot be linked alone: expected position-independent code (-fPIC)");
  }
  llvm::Expected<ElfFile> file = ElfFile::create(*linked);
  if (!file) {
    return file.takeError();
  }
  llvm::Expected<std::string> image = imageOf(*file);
  if (!image) {
    return image.takeError();
  }
  llvm::Expected<uint64_t> address = addressOf(*file, entry);
  if (!address) {
    return address.takeError();
  }
  UserModule result;
  result.symbol =
      "user_" + llvm::utohexstr(llvm::xxh3_64bits((entry + "\n" + bytes).str()),
                                true, 16);
  llvm::raw_string_ostream text(result.text);
  // Distances between segments are of whole pages.
  text << "module asm \".text\"\nmodule asm \".balign 4096, 0xcc\"\n"
       << "module asm \"" << result.symbol << "_image:\"\n";
  for (size_t at = 0; at < image->size(); at += 32) {
    text << "module asm \".byte ";
    for (size_t i = at; i < std::min(at + 32, image->size()); ++i) {
      text << (i > at ? "," : "") << unsigned((unsigned char)(*image)[i]);
    }
    text << "\"\n";
  }
  text << "module asm \".globl " << result.symbol << "\"\nmodule asm \".hidden "
       << result.symbol << "\"\nmodule asm \".type " << result.symbol
       << ",@function\"\nmodule asm \".set " << result.symbol << ", "
       << result.symbol << "_image + " << *address << "\"\n";
  return result;
}

} // namespace minic::cpu
