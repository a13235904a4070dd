#!/usr/bin/env python3
"""Writes a program with debug information that is large in one dimension, and a profile of all its instructions.

    benches/debug.py SHAPE NUMBER BINARY PROFILE COST

SHAPE is what there is a number of: units, entries (functions with one inlined into each), attributes (of one entry), files,
rows (of the line table), symbols, or depth (functions that are inlined into each other). COST is what each instruction
costs. Used by proportion.sh.
"""
import os
import struct
import sys

START = 0x401000

# What abbreviations say: code, tag, whether there are children, attributes with their forms.
NAME, DIRECTORY, LINES, LOW, HIGH, INLINE = (0x03, 0x08), (0x1B, 0x08), (0x10, 0x17), (0x11, 0x01), (0x12, 0x06), (0x20, 0x0B)
ORIGIN, CALL_FILE, CALL_LINE, MARK = (0x31, 0x13), (0x58, 0x0B), (0x59, 0x06), (0x3A, 0x0B)
UNIT, TEMPLATE, FUNCTION, INLINED, WIDE = range(1, 6)


def uleb(number):
    out = bytearray()
    while True:
        byte, number = number & 0x7F, number >> 7
        out.append(byte | (0x80 if number else 0))
        if not number:
            return bytes(out)


def abbreviations(wide):
    kinds = [
        (UNIT, 0x11, 1, [NAME, DIRECTORY, LINES, LOW, HIGH]),
        (TEMPLATE, 0x2E, 0, [NAME, INLINE]),
        (FUNCTION, 0x2E, 1, [NAME, LOW, HIGH]),
        (INLINED, 0x1D, 1, [ORIGIN, LOW, HIGH, CALL_FILE, CALL_LINE]),
        (WIDE, 0x2E, 0, [NAME, LOW, HIGH] + [MARK] * wide),
    ]
    out = b""
    for code, tag, children, attributes in kinds:
        out += uleb(code) + uleb(tag) + bytes([children])
        out += b"".join(uleb(attribute) + uleb(form) for attribute, form in attributes) + b"\0\0"
    return out + b"\0"


def span(first, count):
    return struct.pack("<QI", START + first, count)


def text(name):
    return name.encode() + b"\0"


def unit(name, line_offset, first, count, entries):
    """A unit; `entries` makes its entries of the offset at which they begin."""
    begin = uleb(UNIT) + text(name) + text("/src") + struct.pack("<I", line_offset) + span(first, count)
    body = begin + entries(11 + len(begin)) + b"\0"
    head = struct.pack("<HIB", 4, 0, 8)
    return struct.pack("<I", len(head) + len(body)) + head + body


def inlining(offset, functions, depth):
    """Functions, each of one instruction, into which a template is inlined, and into that another, so deep."""
    out, templates = b"", []
    for level in range(depth):
        templates.append(offset + len(out))
        out += uleb(TEMPLATE) + text(f"inlined_{level}") + b"\1"
    parts = []
    for at in functions:
        parts.append(uleb(FUNCTION) + text(f"function_{at}") + span(at, 1))
        for level in range(depth):
            parts.append(uleb(INLINED) + struct.pack("<I", templates[level]) + span(at, 1) + b"\1" + struct.pack("<I", level + 1))
        parts.append(b"\0" * (depth + 1))
    return out + b"".join(parts)


def line_table(files, rows):
    """Of rows: the address, the file from 1, and the line."""
    head = bytes([1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + b"\0"
    head += b"".join(text(name) + b"\0\0\0" for name in files) + b"\0"
    program = [b"\0\x09\x02" + struct.pack("<Q", START + rows[0][0])]
    before, line = rows[0][0], 1
    for address, file, number in rows:
        program.append(b"\x02" + uleb(address - before) + b"\x04" + uleb(file))
        step = number - line
        program.append(b"\x03" + bytes([step & 0x7F | 0x80, step >> 7 & 0x7F | 0x80, step >> 14 & 0x7F]) + b"\x01")
        before, line = address, number
    program.append(b"\x02\x01\0\x01\x01")
    body = struct.pack("<H", 4) + struct.pack("<I", len(head)) + head + b"".join(program)
    return struct.pack("<I", len(body)) + body


def elf(sections):
    sections = [("", 0, 0, 0, b"", 0)] + sections + [(".shstrtab", 3, 0, 0, None, 0)]
    names, offsets = b"", []
    for section in sections:
        offsets.append(len(names))
        names += text(section[0])
    body, heads = bytearray(), b""
    for (_, kind, flags, address, data, link), name in zip(sections, offsets):
        data = names if data is None else data
        body += b"\0" * (-(64 + len(body)) % 8)
        entry = 24 if kind == 2 else 0
        heads += struct.pack("<IIQQQQIIQQ", name, kind, flags, address, 64 + len(body), len(data), link, 0, 1, entry)
        body += data
    body += b"\0" * (-(64 + len(body)) % 8)
    head = b"\x7fELF" + bytes([2, 1, 1, 0]) + b"\0" * 8
    count = len(sections)
    head += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, START, 0, 64 + len(body), 0, 64, 0, 0, 64, count, count - 1)
    return head + bytes(body) + heads


def main():
    shape, number, binary, profile, cost = sys.argv[1], int(sys.argv[2]), *sys.argv[3:5], int(sys.argv[5])
    few = 20
    code = few if shape in ("attributes", "depth") else number
    wide = number if shape == "attributes" else 1
    files = [f"a{at}.c" for at in range(number if shape == "files" else 1)]
    line = lambda at: at * 7 % 1000 + 1
    if shape == "units":
        info, lines = [], b""
        for at in range(number):
            table = line_table(files, [(at, 1, line(at))])
            info.append(unit(f"unit{at}.c", len(lines), at, 1, lambda offset, at=at: inlining(offset, [at], 1)))
            lines += table
        info = b"".join(info)
    else:
        rows = [(at, at % len(files) + 1, line(at)) for at in range(code)]
        lines = line_table(files, rows)
        marks = uleb(WIDE) + text("wide") + span(code, 1) + b"\1" * wide
        depth = {"entries": 1, "depth": number, "files": 1, "rows": 1}.get(shape, 0)
        functions = range(code) if shape in ("entries", "attributes") else range(few)
        entries = lambda offset: inlining(offset, functions, depth) + marks
        info = unit("a.c", 0, 0, code + 1, entries)
    names = b"\0" + b"".join(text(f"function_{at}") for at in range(code))
    symbols, place = [b"\0" * 24], 1
    for at in range(code):
        symbols.append(struct.pack("<IBBHQQ", place, 2, 0, 1, START + at, 1))
        place += len(f"function_{at}") + 1
    sections = [
        (".text", 1, 6, START, b"\x90" * (code + 1), 0),
        (".debug_abbrev", 1, 0, 0, abbreviations(wide), 0),
        (".debug_info", 1, 0, 0, info, 0),
        (".debug_line", 1, 0, 0, lines, 0),
        (".symtab", 2, 0, 0, b"".join(symbols), 6),
        (".strtab", 3, 0, 0, names, 0),
    ]
    with open(binary, "wb") as out:
        out.write(elf(sections))
    with open(profile, "w") as out:
        out.write("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\ncmd: x\npositions: instr line\nevents: Ir\n")
        out.write(f"\nob={os.path.abspath(binary)}\n")
        for at in range(code):
            out.write(f"fl=/src/{files[at % len(files)]}\nfn=function_{at}\n{START + at:#x} {line(at)} {cost + at % 5}\n")
        out.write(f"totals: {sum(cost + at % 5 for at in range(code))}\n")


main()
