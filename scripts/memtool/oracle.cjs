// Answers each line on standard input, a command of the memory tool, with a line {"text"} or {"error"}.
// "reset" begins with an empty directory, "dump" returns all files. A directory without a file in it is removed.
const fs = require('fs'), path = require('path'), readline = require('readline');
const { BetaLocalFilesystemMemoryTool } = require(path.join(process.argv[2], 'node_modules/@anthropic-ai/sdk/tools/memory/node'));
const base = process.argv[3], root = path.join(base, 'memories');

function prune(dir) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) prune(path.join(dir, entry.name));
  }
  if (dir !== root && fs.readdirSync(dir).length === 0) fs.rmdirSync(dir);
}

function dump(dir, key, files) {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const at = path.join(dir, entry.name), name = key + '/' + entry.name;
    if (entry.isDirectory()) dump(at, name, files);
    else files[name] = fs.readFileSync(at, 'utf-8');
  }
  return files;
}

(async () => {
  let tool;
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const command = JSON.parse(line);
    let answer;
    try {
      if (command.command === 'reset') {
        fs.rmSync(root, { recursive: true, force: true });
        tool = await BetaLocalFilesystemMemoryTool.init(base);
        answer = { text: '' };
      } else if (command.command === 'dump') {
        answer = { files: dump(root, '/memories', {}) };
      } else {
        answer = { text: await tool[command.command](command) };
      }
    } catch (err) {
      answer = { error: err.message };
    }
    prune(root);
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
})();
