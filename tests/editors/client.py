#!/usr/bin/env python3
"""Tests `cgannotate lsp` with the client of pygls, which checks answers against the protocol's types.

    tests/editors/client.py PROGRAM

It needs the package `pygls`.
"""
import asyncio
import os
import shutil
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

PROGRAM = str(Path(sys.argv[1]).resolve())
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
LONG_AGO = 1_000_000_000
# The position after 'ä𝄞' differs between the encodings. As Markdown, the name would be formatted.
ODD_SOURCE = "int odd(void) {\n    return 7; // ä𝄞\n}\n"
ODD_PROFILE = """\
version: 1
creator: callgrind-3.19.0
events: Ir
fl=odd.c
fn=odd`[a](http://b)`<b>
1 10
2 90
summary: 100
"""


class Editor(LanguageClient):
    """Collects what the server sends without a request."""

    def __init__(self):
        super().__init__("tests", "1")
        self.shown, self.messages, self.refreshed, self.faults = [], [], [], []

        @self.feature(lsp.WINDOW_SHOW_DOCUMENT)
        def show(params: lsp.ShowDocumentParams):
            self.shown.append(params)
            return lsp.ShowDocumentResult(success=True)

        @self.feature(lsp.WINDOW_SHOW_MESSAGE)
        def message(params: lsp.ShowMessageParams):
            self.messages.append(params.message)

        @self.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)
        def lenses(*_):
            self.refreshed.append("lenses")

        @self.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
        def hints(*_):
            self.refreshed.append("hints")

    def report_server_error(self, error, source):
        self.faults.append((error, source))

    def open(self, path, text=None):
        text = path.read_text() if text is None else text
        item = lsp.TextDocumentItem(path.as_uri(), "c", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def edit(self, path, text):
        document = lsp.VersionedTextDocumentIdentifier(version=2, uri=path.as_uri())
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def hints(self, path, first=0, last=1000):
        """The hints by line, from 0."""
        span = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
        params = lsp.InlayHintParams(lsp.TextDocumentIdentifier(path.as_uri()), span)
        found = await self.text_document_inlay_hint_async(params)
        return {hint.position.line: hint for hint in found or []}

    async def lenses(self, path):
        params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(path.as_uri()))
        found = await self.text_document_code_lens_async(params)
        return {lens.range.start.line: lens.command.title for lens in found or []}

    async def hover(self, path, line):
        document = lsp.TextDocumentIdentifier(path.as_uri())
        return await self.text_document_hover_async(lsp.HoverParams(document, lsp.Position(line, 0)))

    async def run(self, command, *arguments):
        params = lsp.ExecuteCommandParams(f"cgannotate.{command}", list(arguments))
        return await self.workspace_execute_command_async(params)

    async def until(self, holds):
        for _ in range(100):
            if holds():
                return
            await asyncio.sleep(0.1)
        raise AssertionError("the server does not send it")


@asynccontextmanager
async def server(folder, encodings=(lsp.PositionEncodingKind.Utf16,), shows=True, **options):
    editor = Editor()
    await editor.start_io(PROGRAM, "lsp", cwd="/")
    refresh = {"refresh_support": True}
    result = await editor.initialize_async(
        lsp.InitializeParams(
            process_id=os.getpid(),
            root_uri=folder.as_uri(),
            initialization_options=options,
            capabilities=lsp.ClientCapabilities(
                general=lsp.GeneralClientCapabilities(position_encodings=list(encodings)),
                window=lsp.WindowClientCapabilities(show_document=lsp.ShowDocumentClientCapabilities(support=shows)),
                workspace=lsp.WorkspaceClientCapabilities(
                    code_lens=lsp.CodeLensWorkspaceClientCapabilities(**refresh),
                    inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(**refresh),
                ),
            ),
        )
    )
    editor.capabilities = result.capabilities
    editor.initialized(lsp.InitializedParams())
    yield editor
    await editor.shutdown_async(None)
    editor.exit(None)
    await asyncio.wait_for(editor.stop(), 10)
    assert editor._server.returncode == 0, editor._server.returncode
    assert not editor.faults, editor.faults


async def refused(answer, code):
    try:
        result = await answer
    except JsonRpcException as error:
        assert error.code == code, error
    else:
        raise AssertionError(f"not refused: {result}")


async def answers(folder):
    source = folder / "http.c"
    text = source.read_text()
    async with server(folder, profile="server.new.out") as editor:
        editor.open(source)
        hints = await editor.hints(source)
        assert hints[63].label.startswith("5,040 Ir"), hints
        ends = {line: len(text) for line, text in enumerate(text.splitlines())}
        assert all(hint.position.character == ends[line] for line, hint in hints.items()), hints
        some = await editor.hints(source, 60, 64)
        assert some == {line: hint for line, hint in hints.items() if 60 <= line <= 64}, some
        lenses = await editor.lenses(source)
        assert any("inclusive 9,600" in title and "300 calls" in title for title in lenses.values()), lenses
        hover = await editor.hover(source, 12)
        assert hover.contents.kind == lsp.MarkupKind.Markdown
        assert "1,200" in hover.contents.value and "retry_loop" in hover.contents.value, hover
        assert await editor.hover(source, 3) is None
        other = folder / "other.c"
        editor.open(other, "int main;\n")
        assert (await editor.hints(other), await editor.lenses(other)) == ({}, {})

        # The profile has no hashes of the lines, so an edited file has no costs.
        editor.edit(source, "\n" + text)
        assert (await editor.hints(source), await editor.lenses(source)) == ({}, {})
        editor.edit(source, text)
        assert await editor.hints(source) == hints

        await refused(editor.protocol.send_request_async("workspace/none", {}), -32601)
        await refused(editor.run("none"), -32602)


async def commands(folder):
    source = folder / "http.c"
    async with server(folder, profile="server.new.out") as editor:
        editor.open(source)
        place = await editor.run("hottestLine")
        assert Path(place["uri"]).name == "http.c" and place["range"]["start"]["line"] == 63, place
        await editor.until(lambda: editor.shown)
        assert editor.shown[0].selection.start.line == 63, editor.shown
        lines = {63}
        for _ in range(5):
            place = await editor.run("nextHotLine", source.as_uri(), place["range"]["start"]["line"])
            lines.add(place["range"]["start"]["line"])
        assert len(lines) > 3 and lines <= (await editor.hints(source)).keys(), lines

        plain = await editor.hints(source)
        await editor.run("compare", "server.old.out")
        await editor.until(lambda: {"lenses", "hints"} <= set(editor.refreshed))
        compared = await editor.hints(source)
        assert any("+" in hint.label for hint in compared.values()), compared
        await editor.run("compare", None)
        assert await editor.hints(source) == plain
    async with server(folder, shows=False, profile="server.new.out", lenses=False, hints=False) as editor:
        assert not editor.capabilities.code_lens_provider and not editor.capabilities.inlay_hint_provider
        editor.open(source)
        assert await editor.run("hottestLine")
        assert not editor.shown


async def encodings(folder):
    source = folder / "odd.c"
    source.write_text(ODD_SOURCE)
    os.utime(source, (LONG_AGO, LONG_AGO))
    (folder / "callgrind.out.1").write_text(ODD_PROFILE)
    kinds = lsp.PositionEncodingKind
    for offered, character in [([kinds.Utf16], 20), ([kinds.Utf16, kinds.Utf8], 23)]:
        async with server(folder, offered) as editor:
            assert editor.capabilities.position_encoding == offered[-1], editor.capabilities
            editor.open(source)
            hints = await editor.hints(source)
            assert hints[1].position.character == character, hints
            hover = (await editor.hover(source, 1)).contents.value
            assert "`odd'[a](http://b)'<b>`" in hover, hover


async def new_recording(folder):
    """The server shows a profile that is written while it runs."""
    source = folder / "odd.c"
    async with server(folder) as editor:
        editor.open(source)
        assert "90.0" in (await editor.hints(source))[1].label
        (folder / "callgrind.out.2").write_text(ODD_PROFILE.replace("2 90", "2 30").replace("100", "40"))
        await editor.until(lambda: {"lenses", "hints"} <= set(editor.refreshed))
        assert "75.0" in (await editor.hints(source))[1].label
    async with server(folder, profile="missing.out") as editor:
        editor.open(source)
        assert await editor.hints(source) == {}
        await editor.until(lambda: any("missing.out" in message for message in editor.messages))


async def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copytree(FIXTURES / "diff/server", folder / "server")
        for path in (folder / "server").glob("*.[ch]"):
            os.utime(path, (LONG_AGO, LONG_AGO))
        await answers(folder / "server")
        await commands(folder / "server")
        (folder / "odd").mkdir()
        await encodings(folder / "odd")
        await new_recording(folder / "odd")
    print("tests/editors/client.py: passed")


asyncio.run(main())
