#!/usr/bin/env python3
"""Makes docs/*.svg: what terminals show of profiles in this repository. A page that is longer is cut at the last line.
The explorer is recorded in tmux, in which it gets keys: one screen after the other, in a picture that moves.
Neovim is recorded in the same way, with a new profile.

    cargo build && docs/pictures.py
"""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios
import time
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The name of the picture, the folder below fixtures/, what is typed there, columns and rows.
PICTURES = [
    ("first-screen", "shapes", "cgannotate shapes.plain.out", 80, 24),
    ("many-events", "cache", "cgannotate matrix.cachebranch.toggle.out", 80, 24),
    ("first-screen-narrow", "threads", "cgannotate workers.out-0*", 40, 20),
]
# The same for the explorer, with the keys that are pressed; each piece is a screen of the recording.
EXPLORED = [
    ("explore", "rust", "cgannotate explore balls.out", [["j"], ["j"], ["Enter"], ["v"], ["[", "["], ["/", *"ball"]], 130, 26),
]
# The same for Neovim with the plugin: the source is compiled and its program recorded.
EDITED = [
    ("editor", "own/orders.cpp", [[":CgHottest", "Enter"], ["K"]], 100, 30),
]
SECONDS = 2.5
CELL, LINE = 8.4, 19
BACKGROUND = "#0d1117"
COLOURS = {32: "#7ee787", 31: "#ff7b72", 33: "#e3b341", 35: "#d2a8ff", 36: "#56d4dd"}


def expanded(folder, word):
    """What a shell makes of a word."""
    return sorted(path.name for path in folder.glob(word)) if "*" in word else [word]


def shown(folder, command, columns, rows):
    """The bytes that a terminal gets."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "PATH": "/usr/bin:/bin",
                   "CGANNOTATE_PAGER": ""}
    program = ROOT / "target/debug/cgannotate"
    words = [name for word in command.split()[1:] for name in expanded(ROOT / "fixtures" / folder, word)]
    child = subprocess.Popen(
        [program, *words], cwd=ROOT / "fixtures" / folder, env=environment,
        stdin=subprocess.DEVNULL, stdout=other, stderr=subprocess.DEVNULL,
    )
    os.close(other)
    text = b""
    while True:
        try:
            piece = os.read(main, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    if child.wait() != 0:
        raise SystemExit("the program failed")
    return text.decode().replace("\r\n", "\n")


def explored(folder, command, pieces, columns, rows):
    """The screens of a program, at first and after each piece of keys, as tmux gives them."""
    with tempfile.TemporaryDirectory() as place:
        def tmux(*words):
            environment = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
                           "PATH": f"{ROOT}/target/debug:/usr/bin:/bin", "SHELL": "/bin/sh"}
            done = subprocess.run(["tmux", "-f", "/dev/null", "-S", f"{place}/socket", *words], env=environment,
                                  cwd=ROOT / "fixtures" / folder, check=True, capture_output=True, text=True)
            return done.stdout

        def screen():
            text = tmux("capture-pane", "-e", "-p").replace("38;5;121m", "32m").replace("38;5;81m", "36m")
            # The eight colours by their places among 256, as the explorer names them, and Neovim's bright ones.
            return re.sub(r"38;5;([0-7])m|\b9([0-7])m", lambda found: f"3{found[1] or found[2]}m", text)

        tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), command)
        try:
            while "%" not in tmux("capture-pane", "-p"):
                time.sleep(0.1)
            time.sleep(1)
            screens = [screen()]
            for keys in pieces:
                for key in keys:
                    tmux("send-keys", key)
                    time.sleep(0.3)
                time.sleep(1)
                screens.append(screen())
            return screens
        finally:
            tmux("kill-server")


def edited(source, pieces, columns, rows):
    """The screens of Neovim with a source, whose program is compiled and recorded in a temporary folder."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "orders"
        (folder / ".git").mkdir(parents=True)
        name = shutil.copy(ROOT / "fixtures" / source, folder)
        program = ROOT / "target/debug/cgannotate"
        options = ["-g", "-O1", "-fno-inline-functions-called-once"]
        subprocess.run(["g++", *options, "-o", "program", name], cwd=folder, check=True)
        subprocess.run([program, "record", "--", "./program"], cwd=folder, check=True, capture_output=True)
        (folder / "init.vim").write_text(f"""
            set background=dark noswapfile noundofile laststatus=0 noruler
            syntax on
            nnoremap K <cmd>lua vim.lsp.buf.hover()<cr>
            highlight! link NormalFloat Normal
            highlight! link FloatBorder Comment
            lua vim.opt.runtimepath:append('{ROOT}/editors/nvim')
            lua require('cgannotate').setup({{}})
            lua vim.lsp.handlers['textDocument/hover'] = vim.lsp.with(vim.lsp.handlers.hover, {{ border = 'single' }})
            edit {Path(name).name}
            normal 18Gzt
        """)
        return explored(folder, f"env XDG_STATE_HOME={place} nvim --clean -S init.vim", pieces, columns, rows)


def spans(line, style):
    """Pieces of a line with their styles, and the style the next line begins with."""
    out = []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not codes:
            if piece:
                out.append((piece, style))
            continue
        for code in (int(c or 0) for c in codes[1].split(";")):
            if code == 0:
                style = ()
            elif code == 22:
                style = tuple(c for c in style if c not in (1, 2))
            elif code == 27:
                style = tuple(c for c in style if c != 7)
            elif code == 39:
                style = tuple(c for c in style if c not in COLOURS)
            elif code in COLOURS:
                style = (*(c for c in style if c not in COLOURS), code)
            elif code in (1, 2, 7):
                style = (*style, code)
    return out, style


def attributes(style):
    colour = next((COLOURS[c] for c in style if c in COLOURS), "#e6edf3")
    if 7 in style:
        colour = BACKGROUND
    text = f' fill="{colour}"'
    if 1 in style:
        text += ' font-weight="bold"'
    if 2 in style:
        text += ' opacity="0.6"'
    return text


def styled(screen):
    """The lines of a screen, each as pieces with their styles."""
    lines, style = [], ()
    for line in screen.rstrip("\n").split("\n"):
        pieces, style = spans(line, style)
        lines.append(pieces)
    return lines


def drawn(number, pieces):
    """A line as elements of a picture."""
    svg, column = [], 0
    for text, look in pieces:
        if 7 in look:
            x, y = 12 + column * CELL, 12 + number * LINE
            fill = next((COLOURS[c] for c in look if c in COLOURS), "#e6edf3")
            svg.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{len(text) * CELL:.1f}" height="{LINE}" fill="{fill}"/>')
        # The place of every piece is said, so that columns meet whatever the font.
        if text.strip():
            lead = len(text) - len(text.lstrip(" "))
            body = text.strip(" ")
            x, y = 12 + (column + lead) * CELL, 12 + (number + 0.75) * LINE
            svg.append(
                f'<text x="{x:.1f}" y="{y:.1f}" textLength="{len(body) * CELL:.1f}" '
                f'xml:space="preserve"{attributes(look)}>{escape(body)}</text>'
            )
        column += len(text)
    return svg


def written(name, columns, lines, body):
    width, height = columns * CELL + 24, lines * LINE + 24
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-size="14" '
        'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace">',
        f'<rect width="{width:.0f}" height="{height}" rx="6" fill="{BACKGROUND}"/>',
        *body,
        "</svg>",
    ]
    (ROOT / f"docs/{name}.svg").write_text("\n".join(svg) + "\n")


def picture(name, folder, command, columns, rows):
    typed = ["$ " + command[:columns - 2], *filter(None, [command[columns - 2:]])]
    # The prompt that follows takes a line.
    lines = styled("\n".join([*typed, *shown(folder, command, columns, rows).rstrip("\n").split("\n")[:rows - 1]]))
    written(name, columns, len(lines), [part for at, line in enumerate(lines) for part in drawn(at, line)])


def recording(name, command, keys, columns, rows, screens):
    """The screens one after the other. A line that several of them have is there once, and shows while it should."""
    screens = [styled(screen) for screen in screens]
    for pressed, screen in zip([command, *(" ".join(piece) for piece in keys)], screens):
        screen += [[]] * (rows - len(screen)) + [[("typed: " + pressed, (35,))]]
    shows = {}
    for at, screen in enumerate(screens):
        for number, line in enumerate(screen):
            shows.setdefault((number, tuple(line)), []).append(at)
    body, styles = [], {}
    for (number, line), times in shows.items():
        parts = drawn(number, line)
        if parts and len(times) < len(screens):
            show = lambda at: "visible" if at in times else "hidden"
            moments = "".join(f"{100 * at / len(screens):.3f}%{{visibility:{show(at)}}}" for at in range(len(screens)))
            shape = "s" + "".join("1" if at in times else "0" for at in range(len(screens)))
            styles[shape] = f"@keyframes {shape}{{{moments}}}.{shape}{{visibility:{show(0)};animation:{shape} {SECONDS * len(screens):g}s step-end infinite}}"
            parts = [f'<g class="{shape}">', *parts, "</g>"]
        body += parts
    # Whoever wants nothing to move sees the first screen.
    still = "@media(prefers-reduced-motion:reduce){g{animation:none!important}}"
    written(name, columns, rows + 1, ["<style>" + "".join(styles.values()) + still + "</style>", *body])


for one in PICTURES:
    picture(*one)
for name, folder, command, *rest in EXPLORED:
    recording(name, command, *rest, explored(folder, command, *rest))
for name, source, *rest in EDITED:
    recording(name, f"nvim {Path(source).name}", *rest, edited(source, *rest))
