#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/gallery.md's pictures and its page again, from examples.

    docs/make_gallery.py [--bin=build/release/bin] [--out=docs/pictures]

Compiles, tunes and runs examples with minic, opens the pages that it writes in a
headless Chromium, and photographs parts of them. Needs the packages of
third_party/requirements.txt, Chromium, as ./check has it, and Graphviz. Times are
those of this machine, so that pictures differ from one to the next.
"""

import argparse
import base64
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHROMIUM = "/usr/bin/chromium-headless-shell"
MOST_BYTES = {".png": 150e3, ".html": 400e3}


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{arguments}: {done.stdout}{done.stderr}")


def compile_examples():
    """The pages, in the current folder."""
    run(sys.executable, ROOT / "examples/models/models.py", "gpt2",
        "--size=tiny", "--layers=12", "-o", "gpt2.mlir")
    run("minic", "--threads=2", "gpt2.mlir", "--trace=gpt2")
    run("minic-bench", "gpt2.minic", "--trace-page=gpt2/trace.html")
    run("minic", "--mode=max-autotune", "--threads=1", "--tune-db=tuning.db",
        "--tune-budget=60s", "gpt2.mlir", "--trace=tuned")
    compile_faulty_kernel()
    shutil.copy(ROOT / "examples/sizes/mlp.mlir", ".")
    for name, *options in (("mlp",), ("aten", "--gemm-backends=aten")):
        run("minic", "--mode=max-autotune", "--threads=1", "--dim=T=128",
            "--tune-db=tuning.db", "mlp.mlir", "-o", name + ".minic",
            "--trace=" + name, *options)
    run("minic-bench", "mlp.minic", "--trace-page=mlp/trace.html")
    run("minic", "explain", "mlp.minic", "--against", "aten.minic",
        "--html=against.html")


def compile_faulty_kernel():
    """One of its configurations writes beyond the end."""
    kernels = ROOT / "examples/kernels"
    source = (kernels / "vector_add.c").read_text()
    faulty = source.replace("end * BLOCK < N ? end * BLOCK : N", "end * BLOCK")
    assert faulty != source
    pathlib.Path("vector_add.c").write_text(faulty)
    shutil.copy(kernels / "vector_add.mlir", ".")
    run("minic", "--mode=max-autotune", "--threads=1", "--tune-db=tuning.db",
        "--dim=N=12288", "--whole-model-check=off", "vector_add.mlir",
        "--trace=faulty")


# Each of these brings a page to what its picture shows.

def choose_fusion(page):
    node(page, 4).dispatch_event("click")
    scroll_to(page, page.locator("section[aria-label=Fused] > h3"))


def node(page, fusion):
    return page.locator(f"[id=f0v0-fused-{fusion}]")


def open_timeline(page):
    region = page.get_by_role("region", name="Timeline", exact=True)
    region.locator("summary").click()
    region.locator("rect.box:not(.worker)").nth(20).dispatch_event("click")
    scroll_to(page, page.get_by_role("heading", name="Timeline of a run"))


def see_arena(page):
    choose_fusion(page)
    scroll_to(page, page.get_by_role("heading", name="Roofline"))


def open_candidates(page):
    offer = page.locator("details[id*=offer]").first
    offer.locator("summary").first.click()
    offer.locator("table").first.wait_for()
    node(page, 0).dispatch_event("click")
    scroll_to(page, page.get_by_role("heading", name="Candidates"))


def scroll_to(page, target):
    """Below the list of sections, which stays at the top."""
    target.first.evaluate("node => scrollTo(0, node.getBoundingClientRect().top"
                          " + scrollY - 50)")


PICTURES = (  # name, page, what it shows, width and height, colours
    ("trace", "tuned/trace.html", choose_fusion, (1200, 760), "light"),
    ("trace-timeline", "gpt2/trace.html", open_timeline, (1200, 640), "light"),
    ("trace-arena", "tuned/trace.html", see_arena, (1200, 800), "dark"),
    ("trace-autotune", "faulty/trace.html", open_candidates, (1300, 640), "light"),
    ("against", "against.html", lambda page: None, (1200, 420), "light"),
)


def photograph(browser, out):
    for name, source, show, (width, height), scheme in PICTURES:
        page = browser.new_page(viewport={"width": width, "height": height},
                                color_scheme=scheme)
        page.on("pageerror", lambda error: (_ for _ in ()).throw(
            RuntimeError(f"{source}: {error}")))
        page.goto(pathlib.Path(source).resolve().as_uri())
        page.wait_for_function("document.body.dataset.ready === '1'")
        show(page)
        (out / (name + ".png")).write_bytes(smaller(browser, page.screenshot()))
        page.close()


DECODE = """async url => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const {data} = context.getImageData(0, 0, image.width, image.height);
  let text = '';
  for (let i = 0; i < data.length; i += 8192)
    text += String.fromCharCode(...data.subarray(i, i + 8192));
  return [image.height, image.width, btoa(text)];
}"""


def palette_of(colours):
    """At most 256, the frequent ones first; none like one before, so that a mark
    of few pixels keeps its colour beside all the greys of text."""
    kept = colours[:1]
    for colour in colours[1:]:
        if len(kept) < 256 and ((kept - colour) ** 2).sum(axis=1).min() > 200:
            kept = numpy.vstack([kept, colour])
    return kept


def smaller(browser, png):
    """With a palette: texts and boxes have few colours. The browser reads the PNG."""
    page = browser.new_page()
    height, width, data = page.evaluate(
        DECODE, "data:image/png;base64," + base64.b64encode(png).decode())
    page.close()
    pixels = numpy.frombuffer(base64.b64decode(data), numpy.uint8).reshape(
        height * width, 4)[:, :3]
    colours, index, counts = numpy.unique(
        pixels, axis=0, return_inverse=True, return_counts=True)
    colours = colours.astype(numpy.int32)
    kept = palette_of(colours[numpy.argsort(-counts)])
    nearest = numpy.array([((kept - colour) ** 2).sum(axis=1).argmin()
                           for colour in colours], numpy.uint8)
    rows = nearest[index.reshape(height, width)]
    data = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(what, content):
        return (struct.pack(">I", len(content)) + what + content +
                struct.pack(">I", zlib.crc32(what + content)))
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) +
            chunk(b"PLTE", kept.astype(numpy.uint8).tobytes()) +
            chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path,
                        default=ROOT / "build/release/bin")
    parser.add_argument("--out", type=pathlib.Path,
                        default=ROOT / "docs/pictures")
    options = parser.parse_args()
    out = options.out.resolve()
    os.environ["PATH"] = f"{options.bin.resolve()}:{os.environ['PATH']}"
    os.environ.update(MINIC_SHIPPED_DB="off")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        os.chdir(folder)
        compile_examples()
        browser = driver.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        photograph(browser, out)
        browser.close()
        (out / "mlp-trace.html").write_bytes(
            pathlib.Path("mlp/trace.html").read_bytes())
        os.chdir(out)
    for path in sorted(out.iterdir()):
        size, most = path.stat().st_size, MOST_BYTES.get(path.suffix, 0)
        print(f"{path.name}: {size / 1e3:.0f} KB")
        if size > most:
            raise SystemExit(f"{path.name}: expected at most {most / 1e3:.0f} KB")


if __name__ == "__main__":
    main()
