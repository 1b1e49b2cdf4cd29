// SPDX-License-Identifier: Apache-2.0
//
// Loads real objects; refuses foreign, forged and damaged ones.

#include "runtime/device/cpu/ElfImage.h"
#include "runtime/device/cpu/KernelModule.h"
#include "test/unit/runtime/testing/TestArtifact.h"

#include <gmock/gmock.h>

#include <elf.h>

#include <cstring>
#include <functional>
#include <random>

namespace minic::runtime {
namespace {

using ::testing::HasSubstr;
using namespace ::minic::testing;

__attribute__((no_sanitize("function"))) int64_t
callRelocated(const ElfImage &image) {
  int64_t result = 0;
  Arg args[] = {{&result}};
  auto entry = reinterpret_cast<KernelEntry>(image.find("relocated"));
  entry(args, 0, 1, nullptr);
  return result;
}

TEST(ElfImageTest, loadsRelocatesAndRuns) {
  auto image = ElfImage::load(kernelObject());
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_NE(image->find("scale_f32"), nullptr);
  EXPECT_EQ(image->find("no_such_kernel"), nullptr);
  EXPECT_EQ(image->find(""), nullptr);
  EXPECT_EQ(callRelocated(*image), 33);
  ElfImage moved = std::move(*image);
  EXPECT_EQ(callRelocated(moved), 33);
}

TEST(ElfImageTest, loadsTheSameObjectTwice) {
  auto first = ElfImage::load(kernelObject());
  auto second = ElfImage::load(kernelObject());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->find("relocated"), second->find("relocated"));
  EXPECT_EQ(callRelocated(*second), 33);
}

TEST(ElfImageTest, refusesImports) {
  auto image = ElfImage::load(importingObject());
  EXPECT_EQ(image.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(image.status().message()),
              HasSubstr("kernel object: "));
}

/// A writable view of the object's headers.
struct Forgery {
  std::vector<std::byte> bytes = kernelObject();
  Elf64_Ehdr &elf() { return *reinterpret_cast<Elf64_Ehdr *>(bytes.data()); }
  Elf64_Phdr &header(int i) {
    return reinterpret_cast<Elf64_Phdr *>(bytes.data() + elf().e_phoff)[i];
  }
  Elf64_Phdr &first(uint32_t type) {
    for (int i = 0; i < elf().e_phnum; ++i) {
      if (header(i).p_type == type) {
        return header(i);
      }
    }
    std::abort();
  }
  Elf64_Dyn &dynamic(int64_t tag) {
    auto *entry = reinterpret_cast<Elf64_Dyn *>(bytes.data() +
                                                first(PT_DYNAMIC).p_offset);
    while (entry->d_tag != tag) {
      ++entry;
    }
    return *entry;
  }
};

TEST(ElfImageTest, refusesForgeries) {
  struct Case {
    const char *message;
    std::function<void(Forgery &)> change;
  } cases[] = {
      {"not an x86-64 shared object",
       [](Forgery &f) { f.elf().e_machine = EM_AARCH64; }},
      {"not an x86-64 shared object",
       [](Forgery &f) { f.elf().e_type = ET_EXEC; }},
      {"program headers lie outside",
       [](Forgery &f) { f.elf().e_phoff = ~uint64_t(0) - 8; }},
      {"program headers lie outside",
       [](Forgery &f) { f.elf().e_phnum = 0xffff; }},
      {"segment lies outside the file",
       [](Forgery &f) { f.first(PT_LOAD).p_offset = ~uint64_t(0); }},
      {"segment size is out of range",
       [](Forgery &f) { f.first(PT_LOAD).p_memsz = uint64_t(1) << 40; }},
      {"segment size is out of range",
       [](Forgery &f) { f.first(PT_LOAD).p_memsz = 8; }},
      {"share a page", [](Forgery &f) { f.first(PT_LOAD).p_memsz = 1 << 20; }},
      {"writable and executable",
       [](Forgery &f) { f.first(PT_LOAD).p_flags = PF_W | PF_X; }},
      {"thread-local",
       [](Forgery &f) { f.first(PT_GNU_STACK).p_type = PT_TLS; }},
      {"no dynamic section",
       [](Forgery &f) { f.first(PT_DYNAMIC).p_type = PT_NULL; }},
      {"dynamic section has no end",
       [](Forgery &f) { f.first(PT_DYNAMIC).p_vaddr = 1 << 29; }},
      {"dynamic section has no end",
       [](Forgery &f) { f.first(PT_DYNAMIC).p_memsz = 40; }},
      {"needs another library",
       [](Forgery &f) { f.dynamic(DT_SYMENT).d_tag = DT_NEEDED; }},
      {"has constructors",
       [](Forgery &f) { f.dynamic(DT_SYMENT).d_tag = DT_INIT_ARRAY; }},
      {"other than RELATIVE",
       [](Forgery &f) { f.dynamic(DT_SYMENT).d_tag = DT_JMPREL; }},
      {"symbol size", [](Forgery &f) { f.dynamic(DT_SYMENT).d_un.d_val = 8; }},
      {"relocations lie outside",
       [](Forgery &f) { f.dynamic(DT_RELA).d_un.d_val = 1 << 29; }},
      {"is not RELATIVE",
       [](Forgery &f) {
         // The image's first bytes are no relocations.
         f.dynamic(DT_RELA).d_un.d_val = f.dynamic(DT_SYMTAB).d_un.d_val;
       }},
      {"hash table", [](Forgery &f) { f.dynamic(DT_GNU_HASH).d_tag = 0x6fff; }},
      {"hash table lies outside",
       [](Forgery &f) { f.dynamic(DT_GNU_HASH).d_un.d_val = 1 << 29; }},
      {"names", [](Forgery &f) { f.dynamic(DT_STRTAB).d_un.d_val = 1 << 29; }},
      {"lies outside the image",
       [](Forgery &f) { f.dynamic(DT_SYMTAB).d_un.d_val = 1 << 29; }},
  };
  for (const Case &each : cases) {
    Forgery forgery;
    each.change(forgery);
    auto image = ElfImage::load(forgery.bytes);
    EXPECT_EQ(image.status().code(), absl::StatusCode::kDataLoss)
        << each.message;
    EXPECT_THAT(std::string(image.status().message()), HasSubstr(each.message));
  }
}

TEST(ElfImageTest, refusesEveryTruncationOfItsSegments) {
  std::vector<std::byte> bytes = kernelObject();
  for (size_t length = 0; length < 4096; length += 7) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + length);
    EXPECT_FALSE(ElfImage::load(cut).ok()) << length;
  }
}

TEST(ElfImageTest, survivesNoise) {
  std::vector<std::byte> whole = kernelObject();
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::byte> bytes = whole;
    for (int changes = 0; changes < 3; ++changes) {
      bytes[random() % bytes.size()] = std::byte(random());
    }
    for (int changes = 0; changes < 2; ++changes) {
      bytes[random() % 1024] = std::byte(random()); // headers and tables
    }
    auto image = ElfImage::load(bytes);
    if (image.ok()) {
      image->find("scale_f32");
    }
  }
}

} // namespace
} // namespace minic::runtime
