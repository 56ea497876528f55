#!/usr/bin/env node
// Runs the program of this machine's package with the same arguments, streams, signals and exit code.
// Hooks do not pass here: mem setup copies the program to a place that stays.
const { spawn } = require("node:child_process");
const path = require("node:path");

const name = path.basename(__filename, ".js");
const own = `@set-memory/mem-${process.platform}-${process.arch}`;
let program;
try {
  const ending = process.platform === "win32" ? ".exe" : "";
  program = path.join(path.dirname(require.resolve(`${own}/package.json`)), "bin", name + ending);
} catch {
  console.error(`${name}: ${own}: the package is not installed`);
  console.error(`${name}: hint: npm install -g @set-memory/mem, without --omit=optional; there are packages for Linux, macOS and Windows on x64 and arm64`);
  process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT"]) {
  // A terminal sends SIGINT and SIGQUIT to both itself.
  const both = process.stdin.isTTY && (signal === "SIGINT" || signal === "SIGQUIT");
  process.on(signal, () => both || child.kill(signal));
}
child.on("error", (err) => {
  console.error(`${name}: ${program}: ${err.message}`);
  process.exit(3);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.exitCode = 128 + (require("node:os").constants.signals[signal] ?? 0); // node ignores some
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
