// Shows the costs of a profile in sources. The language client does the drawing, with the answers of
// `cgannotate lsp`; this file starts the server and adds commands. See docs/editor.md.

import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient } from "vscode-languageclient/node";

const LANGUAGES = [
  "c",
  "cpp",
  "d",
  "fortran-modern",
  "FortranFreeForm",
  "go",
  "nim",
  "objective-c",
  "objective-cpp",
  "ocaml",
  "pascal",
  "php",
  "rust",
  "swift",
  "zig",
];

let client: LanguageClient | undefined;

/** An empty setting means the default of the server. */
function initializationOptions(): object {
  const settings = vscode.workspace.getConfiguration("cgannotate");
  return {
    profile: settings.get<string>("profile") || undefined,
    baseline: settings.get<string>("baseline") || undefined,
    lenses: settings.get<boolean>("lenses"),
    hints: settings.get<boolean>("hints"),
  };
}

/**
 * Starts the server for the first folder. The server runs in the folder of the extension, because
 * Windows looks for a program in the current folder before PATH, and that folder is not trusted.
 */
async function start(context: vscode.ExtensionContext): Promise<void> {
  const workspaceFolder = vscode.workspace.workspaceFolders?.[0];
  if (!workspaceFolder) {
    return;
  }
  const command = vscode.workspace.getConfiguration("cgannotate").get<string>("path", "cgannotate");
  client = new LanguageClient(
    "cgannotate",
    "cgannotate",
    { command, args: ["lsp"], options: { cwd: context.extensionPath } },
    {
      documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
      workspaceFolder,
      initializationOptions,
    },
  );
  await client.start();
}

async function stop(): Promise<void> {
  const stopped = client;
  client = undefined;
  await stopped?.dispose();
}

/** Runs a command of the server, which then asks the editor to show the place that it found. */
async function execute(command: string, ...args: unknown[]): Promise<void> {
  if (client) {
    await client.sendRequest(ExecuteCommandRequest.type, { command: `cgannotate.${command}`, arguments: args });
  } else {
    void vscode.window.showWarningMessage("cgannotate: open a folder that has a profile");
  }
}

async function showNextHotLine(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor) {
    await execute("nextHotLine", editor.document.uri.toString(), editor.selection.active.line);
  }
}

async function compareWith(): Promise<void> {
  const files = await vscode.window.showOpenDialog({
    title: "The profile to compare with",
    defaultUri: vscode.workspace.workspaceFolders?.[0].uri,
  });
  if (files) {
    await execute("compare", files[0].fsPath);
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const { registerCommand } = vscode.commands;
  context.subscriptions.push(
    // Their names differ from those of the server, which the client registers itself.
    registerCommand("cgannotate.showHottestLine", () => execute("hottestLine")),
    registerCommand("cgannotate.showNextHotLine", showNextHotLine),
    registerCommand("cgannotate.compareWith", compareWith),
    registerCommand("cgannotate.compareWithNone", () => execute("compare", null)),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("cgannotate")) {
        await stop();
        await start(context);
      }
    }),
  );
  await start(context);
}

export const deactivate = stop;
