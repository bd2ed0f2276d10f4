// Drives the real server with what the extension tells it: node alone, no VS Code.
// usage: node test/drive.js JAXLINT FOLDER (with bad.py in it); prints what arrived, as JSON
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { command, settings, FIX_ALL } = require("../src/client");

const [jaxlint, folder] = process.argv.slice(2);
const chosen = { path: jaxlint, inlayHints: true, codeLens: true, settings: { ignore: ["JXL3"] } };
const setting = (name) => chosen[name];

const server = command(setting, [folder], "");
const child = spawn(server.command, server.args, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
let number = 0;
let held = Buffer.alloc(0);

child.stdout.on("data", (data) => {
  held = Buffer.concat([held, data]);
  for (;;) {
    const head = held.indexOf("\r\n\r\n");
    if (head < 0) return;
    const size = Number(/Content-Length: (\d+)/.exec(held.subarray(0, head))[1]);
    if (held.length < head + 4 + size) return;
    const message = JSON.parse(held.subarray(head + 4, head + 4 + size));
    held = held.subarray(head + 4 + size);
    if (message.method && message.id !== undefined) send({ id: message.id, result: null });
    waiting.get(message.id)?.(message);
  }
});

function send(message) {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function ask(method, params) {
  const id = `drive-${++number}`;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, (message) =>
    message.error ? reject(new Error(JSON.stringify(message.error))) : resolve(message.result)));
}

async function main() {
  const uri = pathToFileURL(path.join(folder, "bad.py")).href;
  const text = fs.readFileSync(path.join(folder, "bad.py"), "utf-8");
  const document = { uri };
  const all = { start: { line: 0, character: 0 }, end: { line: 999, character: 0 } };
  await ask("initialize", {
    processId: process.pid, rootUri: pathToFileURL(folder).href,
    initializationOptions: settings(setting),
    capabilities: { textDocument: { diagnostic: {} }, workspace: { diagnostics: {} } },
  });
  send({ method: "initialized", params: {} });
  send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "python", version: 1, text } },
  });
  const codes = async () =>
    (await ask("textDocument/diagnostic", { textDocument: document })).items.map((d) => d.code);
  const found = { codes: await codes() };
  const actions = await ask("textDocument/codeAction", {
    textDocument: document, range: all, context: { diagnostics: [], only: [FIX_ALL] },
  });
  found.fixes = actions.map((each) => each.kind);
  found.hints = (await ask("textDocument/inlayHint", { textDocument: document, range: all }))
    .map((each) => each.label);
  found.lenses = (await ask("textDocument/codeLens", { textDocument: document }))
    .map((each) => each.command.title);
  chosen.settings = {};
  send({
    method: "workspace/didChangeConfiguration", params: { settings: { jaxlint: settings(setting) } },
  });
  found.afterwards = await codes();
  await ask("shutdown");
  send({ method: "exit" });
  console.log(JSON.stringify(found));
}

setTimeout(() => process.exit(3), 60000).unref();
main().catch((error) => {
  console.error(error);
  child.kill();
  process.exit(1);
});
