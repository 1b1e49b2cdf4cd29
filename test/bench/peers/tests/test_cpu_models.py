# SPDX-License-Identifier: Apache-2.0
"""The benchmark of models on a CPU, with workers that compute nothing."""

import unittest

import processes  # adds the paths of what follows
import cpu_models


class CpuModels(processes.Processes):
    def setUp(self):
        super().setUp()
        self.replace(cpu_models, "TRIES", 2)

    def cpu_peer(self, name, us, fault=""):
        return cpu_models.Peer(name, self.worker(name, us, fault))

    def measured(self, *peers, rounds=9):
        cpu_models.load(peers)
        self.assertEqual(cpu_models.measure(peers, rounds, 3, 60), rounds)
        return peers

    def test_a_failure_is_a_row_of_its_own(self):
        peers = self.measured(self.cpu_peer("minic default", 1000),
                              self.cpu_peer("ONNX Runtime", 10, "load:error"),
                              self.cpu_peer("OpenVINO", 2000),
                              self.cpu_peer("torch eager", 10, "load:crash"),
                              rounds=3)
        rows = cpu_models.table(peers)
        self.assertIn("| minic default 1.2 | 1.00 |  | 2.0 | 1.0e-03", rows[2])
        self.assertIn("not run: ValueError: wrong", rows[3])
        self.assertIn("| OpenVINO 1.2 | 2.00 | 0.500 | 4.0", rows[4])
        self.assertIn("died of SIGSEGV", rows[5])

    def test_minic_is_judged_by_the_fastest_rival_alone(self):
        peers = self.measured(self.cpu_peer("minic default", 1000),
                              self.cpu_peer("minic max-autotune", 1500),
                              self.cpu_peer("ONNX Runtime", 1800),
                              self.cpu_peer("OpenVINO", 1200),
                              self.cpu_peer("torch eager", 10))
        default, tuned = cpu_models.verdict(peers)
        self.assertIn("minic default / OpenVINO: 0.833 [0.833", default)
        self.assertTrue(default.endswith(" met"), default)
        self.assertIn("minic max-autotune / OpenVINO: 1.250 [1.250", tuned)
        self.assertTrue(tuned.endswith(" MISSED"), tuned)

    def test_nothing_is_judged_where_no_rival_runs(self):
        peers = self.measured(self.cpu_peer("minic default", 1000),
                              self.cpu_peer("OpenVINO", 10, "load:exit"),
                              rounds=1)
        self.assertEqual(cpu_models.verdict(peers), [])


if __name__ == "__main__":
    unittest.main()
