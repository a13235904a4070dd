#!/usr/bin/env python3
"""Makes docs/page.png: the page of a profile in this repository as a browser shows it.

    cargo build && docs/page.py
"""
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "fixtures/shapes"


def main():
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        command = [ROOT / "target/debug/cgannotate", "--format=html", "shapes.plain.out", "-o", page]
        subprocess.run(command, cwd=FOLDER, check=True)
        subprocess.run(
            [
                "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1100,700",
                "--virtual-time-budget=3000", f"--user-data-dir={folder}/user",
                f"--screenshot={ROOT / 'docs/page.png'}", f"file://{page}#f=main",
            ],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )


main()
