// Starts `jaxlint server`, tells it the settings, and has it mend files when they are saved.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { command, settings, DOCUMENTS, FIX_ALL } = require("./client");

let client;

const setting = (name) => vscode.workspace.getConfiguration("jaxlint").get(name);

/** The interpreter that the Python extension has chosen; empty without it. */
async function interpreter() {
  const python = vscode.extensions.getExtension("ms-python.python");
  if (!python) return "";
  const api = python.isActive ? python.exports : await python.activate();
  return api?.environments?.getActiveEnvironmentPath()?.path || "";
}

async function start(output) {
  const folders = (vscode.workspace.workspaceFolders || []).map((each) => each.uri.fsPath);
  const server = command(setting, folders, await interpreter());
  output.appendLine(`${server.command} ${server.args.join(" ")}`);
  const options = folders.length ? { cwd: folders[0] } : {};
  client = new LanguageClient("jaxlint", "jaxlint", { ...server, options }, {
    documentSelector: DOCUMENTS,
    initializationOptions: settings(setting),
    outputChannel: output,
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    vscode.window.showErrorMessage(
      `jaxlint: cannot start ${server.command}: ${error.message}. Install it with ` +
        "`pip install 'flake8-jaxlint[server]'`, or set `jaxlint.path`.");
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** The edits that mend a document, as the server gives them. */
async function fixes(document) {
  const all = new vscode.Range(0, 0, document.lineCount, 0);
  const actions = await vscode.commands.executeCommand(
    "vscode.executeCodeActionProvider", document.uri, all, FIX_ALL);
  const own = (actions || []).filter((each) => each.kind?.value === FIX_ALL && each.edit);
  return own.flatMap((each) => each.edit.get(document.uri));
}

async function activate(context) {
  const output = vscode.window.createOutputChannel("jaxlint");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("jaxlint.restart", async () => {
      await stop();
      await start(output);
    }),
    vscode.commands.registerCommand("jaxlint.fixAll", async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return;
      const edit = new vscode.WorkspaceEdit();
      edit.set(editor.document.uri, await fixes(editor.document));
      await vscode.workspace.applyEdit(edit);
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (["path", "args"].some((name) => change.affectsConfiguration(`jaxlint.${name}`))) {
        await stop();
        await start(output);
      } else if (change.affectsConfiguration("jaxlint")) {
        await client?.sendNotification("workspace/didChangeConfiguration", {
          settings: { jaxlint: settings(setting) },
        });
      }
    }),
    vscode.workspace.onWillSaveTextDocument((event) => {
      const wanted = setting("fixAllOnSave") && event.document.languageId === "python";
      if (wanted && client) event.waitUntil(fixes(event.document));
    }),
  );
  await start(output);
}

module.exports = { activate, deactivate: stop };
