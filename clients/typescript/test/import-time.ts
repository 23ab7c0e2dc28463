// Prints in how many milliseconds a new process imports the package: the median of nine.

import { execFileSync } from 'node:child_process';

const program = "const from = performance.now(); await import('@terse/client'); console.log(performance.now() - from)";
const times = Array.from({ length: 9 }, () =>
  Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program])),
);
console.log(times.sort((a, b) => a - b)[4]!.toFixed(1));
