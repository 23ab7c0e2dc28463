// Builds the console: one script, one style sheet and one page for each entry. The same sources give the same bytes.
// usage: build.mjs DIRECTORY

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

// Each entry is a folder of screens; they share the parts in `src/shared`.
const entries = ['owner', 'operator'];
const here = import.meta.dirname;
const into = resolve(process.argv[2]);
await mkdir(into, { recursive: true });
// The roles that may call each operation stand in the document of the interface.
const { paths } = JSON.parse(await readFile(join(here, '../../openapi/operator.json'), 'utf8'));
const operations = Object.values(paths).flatMap(Object.values).filter(({ operationId }) => operationId);
const roles = Object.fromEntries(operations.map((operation) => [operation.operationId, operation['x-required-role']]));
await build({
  absWorkingDir: here,
  entryPoints: { ...Object.fromEntries(entries.map((name) => [name, `src/${name}/main.tsx`])), style: 'src/style.css' },
  outdir: into,
  bundle: true,
  define: { ROLES: JSON.stringify(roles) },
  minify: true,
  format: 'esm',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
});
const page = await readFile(join(here, 'src/index.html'), 'utf8');
for (const name of entries) await writeFile(join(into, `${name}.html`), page.replace('main.js', `${name}.js`));
