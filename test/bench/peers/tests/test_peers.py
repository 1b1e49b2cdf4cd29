# SPDX-License-Identifier: Apache-2.0
"""The peers benchmark without a GPU: what one worker does to the others."""

import argparse
import json
import time
import unittest

import processes  # adds the paths of what follows
import paired
import peers
import report


class Peers(processes.Processes):
    def test_each_failure_is_a_row_of_its_own(self):
        made = [
            self.peer("minic max-autotune", "minic", 10, compiles=True),
            self.peer("good", us=30, compiles=True),
            self.peer("crashes", fault="compile:crash", compiles=True),
            self.peer("hangs", fault="compile:hang", compiles=True,
                      tunes=True),
            self.peer("waits", compiles=True, tunes=True),  # for that one
            self.peer("is wrong", fault="load:error"),
            self.peer("leaves", fault="import:exit"),
            self.peer("babbles", fault="load:garbage"),
            self.peer("dies later", us=5, fault="sample:crash"),
            self.peer("eager", us=200)]
        self.share(0.3)  # 6 s: others start within it on a busy machine, too
        self.set_up(made, limit=20)
        done = peers.measure(made, 8, time.monotonic() + 60)
        self.assertEqual(done, 8)
        why = {p.name: p.missing for p in made if p.missing}
        self.assertEqual(set(why), {
            "crashes", "hangs", "is wrong", "leaves", "babbles", "dies later"})
        self.assertIn("died of SIGSEGV", why["crashes"])
        self.assertIn("an illegal address", why["crashes"])
        self.assertEqual(why["hangs"], "over 6 s to compile")
        self.assertIn("wrong: error", why["is wrong"])
        self.assertIn("status 3", why["leaves"])
        self.assertIn("answered", why["babbles"])
        self.assertIn("SIGSEGV", why["dies later"])
        left = {p.name: p for p in made if not p.missing}
        self.assertEqual(set(left), {"minic max-autotune", "good", "waits",
                                     "eager"})
        for name, kinds in (("good", 4), ("eager", 3)):  # eager: no device
            self.assertEqual(len(left[name].samples), kinds)
            self.assertTrue(all(len(s) == 8
                                for s in left[name].samples.values()))

    def test_the_deadline_ends_who_waits_for_a_tuner_that_hangs(self):
        made = [self.peer("hangs", fault="compile:hang", compiles=True,
                          tunes=True),
                self.peer("waits", compiles=True, after=("hangs",)),
                self.peer("plain")]
        self.share(1)
        self.set_up(made, limit=6)
        self.assertEqual([p.missing for p in made],
                         ["over 6 s", "over 6 s", ""])

    def test_a_hanging_sample_is_cut_off(self):
        made = [self.peer("hangs", fault="sample:hang"), self.peer("good")]
        self.set_up(made)
        self.replace(peers, "SAMPLE_S", 2)
        self.assertEqual(peers.measure(made, 9, time.monotonic() + 60), 9)
        self.assertIn("over 2 s to sample", made[0].missing)
        self.assertEqual(len(made[1].samples["host"]), 9)

    def test_tuning_is_alone_and_loading_waits_for_it(self):
        made = [self.peer(f"t{i}", compiles=True, tunes=True)
                for i in range(4)]
        made += [self.peer("late", compiles=True, after=("t2", "t0")),
                 self.peer("plain")]
        self.set_up(made)
        self.assertEqual([p.missing for p in made], [""] * 6)
        compiled = self.intervals("compile")
        self.assertAlone([i for i in compiled if i[2] != "late"])
        ends = {name: end for _, end, name in compiled}
        begins = {name: begin for begin, _, name in compiled}
        self.assertGreater(begins["late"], max(ends["t0"], ends["t2"]))
        loads = self.intervals("load")
        self.assertEqual(len(loads), 6)
        self.assertGreater(loads[0][0], max(ends.values()))

    def test_one_samples_at_a_time_in_random_order(self):
        made = [self.peer(f"p{i}") for i in range(4)]
        self.set_up(made)
        peers.measure(made, 12, time.monotonic() + 60)
        samples = self.intervals("sample")
        self.assertEqual(len(samples), 4 + 12 * 4 * 4)
        self.assertAlone(samples)
        firsts = [name for _, _, name in samples[4::16]]
        self.assertGreater(len(set(firsts)), 1)

    def test_time_is_up(self):
        made = [self.peer("p")]
        self.set_up(made)
        self.assertEqual(peers.measure(made, 50, time.monotonic()),
                         peers.FEWEST_ROUNDS)

    def test_result_of_a_workload(self):
        def start_workers(arguments, workload, made):
            left_out = peers.Peer("XLA (JAX)", "XLA", missing="left out")
            return [self.peer("minic max-autotune", "minic", 10,
                              compiles=True, tunes=True),
                    self.peer("torch eager", us=40), left_out]
        self.replace(peers, "start_workers", start_workers)
        self.replace(peers.ahead, "read", lambda work: {})
        workload = peers.workloads.WORKLOADS["mlp_256x1024x1024x1024_bf16"]
        arguments = argparse.Namespace(work=self.folder, limit_s=30, rounds=8)
        result = json.loads(json.dumps(peers.bench(arguments, workload)))
        self.assertEqual(result["rounds"], 8)
        self.assertEqual(result["not_run"], {"XLA (JAX)": "left out"})
        text = report.table(result)
        self.assertRegex(text, r"torch eager +\d+\.\d\d .* 1.0e-03")
        self.assertRegex(text, r"minic against torch +back to back +[34]\.\d+ "
                         r"\[.*\]  torch eager   required 3.00: met")
        self.assertIn("XLA             back to back not run   required 3.00: "
                      "not run", text)


class Report(unittest.TestCase):
    def test_interval_ranks(self):
        # Of tables of the sign test.
        self.assertEqual([paired.interval_ranks(n)
                          for n in (5, 6, 10, 15, 20)],
                         [None, (0, 5), (1, 8), (3, 11), (5, 14)])

    def test_verdicts(self):
        self.assertEqual(report.verdict(3.0, 3.1, 2.9, 3.2), "met")
        self.assertEqual(report.verdict(3.0, 2.9, 2.8, 2.95), "MISSED")
        self.assertEqual(report.verdict(3.0, 2.99, 2.9, 3.1),
                         "met in the noise")
        self.assertEqual(report.verdict(3.0, 2.99, None, None), "MISSED")
        self.assertEqual(report.verdict(None, 1.0, 0.9, 1.1), "")

    def test_libraries(self):
        result = {"versions": {"torch": "2.11.0", "cuda": "13.0",
                               "cudnn": 91904},
                  "shared": ["libcublas.so.13", "libcudnn.so.9"]}
        self.assertEqual(report.libraries(result), [
            "PyTorch 2.11.0, CUDA 13.0, cuDNN 9.19.4; minic with the same "
            "files of libcublas.so.13, libcudnn.so.9"])
        self.assertEqual(report.libraries({"versions": {"torch": None}}), [])

    def test_time_that_is_wanted_of_a_workload(self):
        rows = [{"name": "minic default", "back_to_back": 2},
                {"name": "minic max-autotune", "back_to_back": 300}]
        for wanted, verdict in ((299, "MISSED"), (300, "met")):
            line, = report.wanted_lines({"rows": rows, "wanted_us": wanted})
            self.assertEqual(line, "minic max-autotune 300.0 us back to back, "
                             f"wanted at most {wanted}: {verdict}")
        self.assertEqual(report.wanted_lines({"rows": rows}), [])
        self.assertEqual(report.wanted_lines({"rows": rows[:1],
                                              "wanted_us": 5}), [])

    def test_comparison_with_the_best_of_a_group(self):
        def row(name, group, us):
            return report.Row(name, group, {
                "back_to_back": [us * (1 + i / 100) for i in range(8)]})
        rows = [row("minic max-autotune", "minic", 10),
                row("slow", "torch", 60), row("quick", "torch", 30)]
        factors = {("torch", "back_to_back"): 3.0, ("XLA", "one_call"): 1.0}
        torch, xla = report.comparisons(rows, factors)
        self.assertEqual(torch["peer"], "quick")
        self.assertAlmostEqual(torch["ratio"], 3.0)
        self.assertEqual(torch["verdict"], "met")
        self.assertEqual(xla["verdict"], "not run")
        self.assertIn("XLA", report.comparison_line(xla))
        result = {"workload": "w", "device": "d", "rounds": 8, "seconds": 1,
                  "rows": [r.json() for r in rows], "not_run": {"x": "why"},
                  "comparisons": [torch, xla]}
        text = report.table(result)
        self.assertRegex(text, r"\nx +not run: why\n")
        self.assertIn("required 3.00: met", text)


if __name__ == "__main__":
    unittest.main()
