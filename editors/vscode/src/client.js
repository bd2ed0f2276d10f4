// What does not need VS Code: where the server is, and what it is told. Node alone can run it.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

const SCRIPT = process.platform === "win32" ? "jaxlint.exe" : "jaxlint";
const BIN = process.platform === "win32" ? "Scripts" : "bin";

/**
 * The command that starts the server.
 *
 * @param {(name: string) => any} setting a setting of `jaxlint.*`
 * @param {string[]} folders of the workspace
 * @param {string} interpreter the Python of the workspace; empty when nobody knows
 */
function command(setting, folders, interpreter) {
  const args = ["server", ...(setting("args") || [])];
  const given = setting("path");
  if (given) {
    const folder = folders[0] || "";
    return { command: given.replaceAll("${workspaceFolder}", folder), args };
  }
  const beside = interpreter ? [path.join(path.dirname(interpreter), SCRIPT)] : [];
  const own = folders.flatMap((folder) =>
    [".venv", "venv"].map((name) => path.join(folder, name, BIN, SCRIPT)));
  return { command: [...beside, ...own].find((file) => fs.existsSync(file)) || "jaxlint", args };
}

/** What the server is told: keys of `[tool.jaxlint]`, and what is shown besides. */
function settings(setting) {
  return {
    ...(setting("settings") || {}),
    "inlay-hints": Boolean(setting("inlayHints")),
    "code-lens": Boolean(setting("codeLens")),
  };
}

/** What is looked at: files of Python, saved or not, and the cells of notebooks. */
const DOCUMENTS = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { notebook: "*", language: "python" },
];

const FIX_ALL = "source.fixAll.jaxlint";

module.exports = { command, settings, DOCUMENTS, FIX_ALL };
