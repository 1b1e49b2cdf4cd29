// SPDX-License-Identifier: Apache-2.0
//
// The file that ships: what is written is read again, and what is wrong is
// said.

#include "compiler/tune/database/ShippedRecords.h"
#include "test/unit/compiler/tune/TempFolder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace minic::tune {
namespace {

using ::testing::HasSubstr;

constexpr const char *h200 = "cuda cc 9.0 sms 132 clock 1980 MHz l2 61440 KiB "
                             "memory 4814 GB/s mig no";

Row rowOf(const std::string &name, double us) {
  Row row;
  row.candidate.name = name;
  row.candidate.choice = "#kernel.choice<\"" + name + "\">";
  row.candidate.sources = "gemm";
  row.status = RowStatus::Verified;
  row.timeUs = us;
  row.worstError = 0.123456;
  row.maxAbsoluteError = 1.23456e-7;
  row.deterministic = true;
  row.samplesUs = {1, 2, 3};
  return row;
}

Record recordOf(const std::string &key, const std::string &gemm = "7") {
  Record record;
  record.problem.key = key;
  record.problem.description = "linear(3x4, 5x4) bf16";
  record.problem.text = "func.func @problem";
  record.problem.device = h200;
  record.problem.deviceName = "NVIDIA Test";
  record.problem.backends = "generated";
  record.problem.versions = {{{"gemm", gemm}, {"minic", "1"}}, "driver 13.0"};
  record.state = RecordState::Complete;
  record.created = "2026-01-02T03:04:05Z";
  record.rows = {rowOf("first", 4.93456), rowOf("second", 5)};
  return record;
}

ShippedRecords some() {
  return {"NVIDIA Test",
          "580.1",
          {recordOf("b"), recordOf("a"), recordOf("c", "6")}};
}

TEST(ShippedRecords, WhatChoosingNeedsIsKept) {
  ShippedRecords shipped = some();
  shipped.records[0].rows[1].candidate.needsLibrary = true;
  shipped.records[0].rows[1].deterministic = false;
  absl::StatusOr<ShippedRecords> read = parseShipped(formatShipped(shipped));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->device, "NVIDIA Test");
  EXPECT_EQ(read->driver, "580.1");
  ASSERT_EQ(read->records.size(), 3u);
  auto b = std::find_if(
      read->records.begin(), read->records.end(),
      [](const Record &record) { return record.problem.key == "b"; });
  ASSERT_NE(b, read->records.end());
  const ProblemSpec &problem = b->problem;
  EXPECT_EQ(problem.description, "linear(3x4, 5x4) bf16");
  EXPECT_EQ(problem.device, h200);
  EXPECT_EQ(problem.deviceName, "NVIDIA Test");
  EXPECT_EQ(problem.backends, "generated");
  EXPECT_EQ(problem.versions, shipped.records[0].problem.versions);
  EXPECT_EQ(b->created, "2026-01-02T03:04:05Z");
  EXPECT_EQ(b->state, RecordState::Complete);
  ASSERT_EQ(b->rows.size(), 2u);
  EXPECT_EQ(b->rows[0].candidate.name, "first");
  EXPECT_EQ(b->rows[0].candidate.choice, "#kernel.choice<\"first\">");
  EXPECT_EQ(b->rows[0].candidate.sources, "gemm");
  EXPECT_EQ(b->rows[0].status, RowStatus::Verified);
  EXPECT_DOUBLE_EQ(b->rows[0].bestKnownUs(), 4.935);
  EXPECT_DOUBLE_EQ(b->rows[0].worstError, 0.123);
  EXPECT_TRUE(b->rows[0].deterministic);
  EXPECT_TRUE(b->rows[1].candidate.needsLibrary);
  EXPECT_FALSE(b->rows[1].deterministic);
  // Evidence stays at home.
  EXPECT_EQ(problem.text, "");
  EXPECT_TRUE(b->rows[0].samplesUs.empty());
}

TEST(ShippedRecords, TheOrderOfRecordsChangesNoByte) {
  ShippedRecords one = some(), other = some();
  std::reverse(other.records.begin(), other.records.end());
  std::string text = formatShipped(one);
  EXPECT_EQ(text, formatShipped(other));
  // A line for each, and versions once for those that share them.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3 + 2 * 5 + 3);
  EXPECT_EQ(formatShipped(*parseShipped(text)), text);
  EXPECT_TRUE(parseShipped(formatShipped({"NVIDIA Test", "", {}})).ok());
}

TEST(ShippedRecords, TheLabelNamesDeviceDriverAndDay) {
  ShippedRecords shipped = some();
  EXPECT_EQ(describeShipped(shipped, shipped.records[0]),
            "measured on NVIDIA Test, driver 580.1, 2026-01-02");
  shipped.driver = "";
  shipped.records[0].state = RecordState::Provisional;
  EXPECT_EQ(describeShipped(shipped, shipped.records[0]),
            "measured on NVIDIA Test, 2026-01-02 (provisional: undecided when "
            "time ended)");
}

TEST(ShippedRecords, FilesAreNamedByTheDevice) {
  EXPECT_EQ(shippedFileName("NVIDIA H200"), "nvidia-h200.json");
  EXPECT_EQ(shippedFileName("AMD EPYC (family 25 model 17)"),
            "amd-epyc-family-25-model-17.json");
  EXPECT_EQ(shippedFileName("../../etc/passwd"), "etc-passwd.json");
}

TEST(ShippedRecords, DevicesOfAKindMayDifferInClocksAndCaches) {
  EXPECT_EQ(deviceKind(h200), "cc 9.0 sms 132 mig no");
  EXPECT_EQ(deviceKind("cuda cc 9.0 sms 132 clock 1755 MHz l2 51200 KiB memory "
                       "4500 GB/s mig no"),
            deviceKind(h200));
  EXPECT_NE(deviceKind("cuda cc 9.0 sms 16 clock 1980 MHz l2 61440 KiB memory "
                       "4814 GB/s mig yes"),
            deviceKind(h200));
  const char *zen4 = "amd 25.17.1 x86-64-v4 +avx2+fma l1=32768 l2=1048576 "
                     "l3=33554432 threads=2";
  EXPECT_EQ(deviceKind(zen4), "x86-64-v4 +avx2+fma threads=2");
  EXPECT_EQ(deviceKind("amd 25.17.2 x86-64-v4 +avx2+fma l1=32768 l2=1048576 "
                       "l3=16777216 threads=2"),
            deviceKind(zen4));
  EXPECT_NE(deviceKind("amd 25.17.1 x86-64-v4 +avx2+fma l1=32768 l2=1048576 "
                       "l3=33554432 threads=1"),
            deviceKind(zen4));
  EXPECT_NE(deviceKind("amd 25.17.1 x86-64-v3 +avx2+fma l1=32768 l2=1048576 "
                       "l3=33554432 threads=2"),
            deviceKind(zen4));
  EXPECT_EQ(deviceKind("profile h200"), "");
  EXPECT_EQ(deviceKind(""), "");
}

/// `text` with one part replaced.
std::string with(std::string text, const std::string &part,
                 const std::string &by) {
  size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), by);
}

TEST(ShippedRecords, WhatIsWrongIsNamed) {
  std::string good = formatShipped(some());
  auto error = [](const std::string &text) {
    return std::string(parseShipped(text).status().message());
  };
  EXPECT_EQ(error(""), "is damaged, or no file of 'minic-tune ship'");
  EXPECT_EQ(error(good.substr(0, good.size() / 2)),
            "is damaged, or no file of 'minic-tune ship'");
  EXPECT_EQ(error("{\"format\": \"minic-tuning\", \"version\": 1}"),
            "is damaged, or no file of 'minic-tune ship'");
  EXPECT_EQ(error(with(good, "\"version\": 1", "\"version\": 9")),
            "has version 9, this minic reads version 1");
  EXPECT_EQ(error(with(good, "\"version\": 1", "\"versions\": 1")),
            "has version none, this minic reads version 1");
  EXPECT_THAT(error(with(good, "\"device\"", "\"devise\"")),
              HasSubstr("field 'device' is missing"));
  EXPECT_THAT(
      error(with(good, "\"backends\": \"generated\"", "\"backends\": 7")),
      HasSubstr("field 'backends' must be a string"));
  EXPECT_THAT(error(with(good, "\"time_us\":4.935", "\"time_us\":-1")),
              HasSubstr("time_us must be finite and not negative"));
  EXPECT_THAT(error(with(good, "\"complete\"", "\"running\"")),
              HasSubstr("expected a finished one with rows"));
  EXPECT_THAT(error(with(good, "\"complete\"", "\"late\"")),
              HasSubstr("unknown state 'late'"));
  EXPECT_THAT(
      error(with(good, "{\"name\":\"first\"", "7, {\"name\":\"first\"")),
      HasSubstr("row 0: expected an object"));
}

TEST(ShippedRecords, FilesOfThisTreeAreAsTheToolWritesThem) {
  namespace fs = std::filesystem;
  int files = 0;
  for (const auto &entry : fs::directory_iterator(MINIC_SHIPPED_RECORDS)) {
    ++files;
    absl::StatusOr<ShippedRecords> shipped = readShipped(entry.path().string());
    ASSERT_TRUE(shipped.ok()) << shipped.status();
    EXPECT_EQ(entry.path().filename(), shippedFileName(shipped->device));
    std::ifstream file(entry.path());
    std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(formatShipped(*shipped), text) << entry.path();
    for (const Record &record : shipped->records) {
      EXPECT_NE(deviceKind(record.problem.device), "") << entry.path();
    }
  }
  EXPECT_GT(files, 0);
}

TEST(ShippedRecords, AFileThatCannotBeReadIsNamed) {
  TempFolder folder;
  std::string path = folder / "records.json";
  auto error = [&] { return readShipped(path).status(); };
  EXPECT_TRUE(absl::IsNotFound(error()));
  EXPECT_EQ(error().message(),
            "shipped database '" + path + "': there is no such file");
  std::ofstream(path) << formatShipped(some());
  EXPECT_TRUE(readShipped(path).ok());
  std::ofstream(path) << "{";
  EXPECT_EQ(error().message(), "shipped database '" + path +
                                   "': is damaged, or no file of 'minic-tune "
                                   "ship'");
  path = folder.path;
  EXPECT_EQ(error().message(),
            "shipped database '" + path + "': is not a regular file");
  path = "/dev/zero";
  EXPECT_EQ(error().message(),
            "shipped database '/dev/zero': is not a regular file");
}

} // namespace
} // namespace minic::tune
