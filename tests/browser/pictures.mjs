// Makes the pictures of README.md and docs/api.md in the current directory: session.svg, a recording of the commands that a new
// server prints, and the console and Swagger UI, light and dark.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { closeBrowser, screenshot, visit } from './visitor.mjs';

const run = promisify(execFile);

const columns = 88;
const cell = { width: 8, height: 18 };
const margin = 16;
/** Seconds from the start of the recording: the second scene begins, and the recording begins again. */
const secondScene = 6;
const end = 20;

/** Runs `terse` in a directory, and returns its URL, what it prints on a new database, and a function that stops it. */
async function start(directory) {
  const server = spawn(process.env.TERSE, [], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
  let welcome = '';
  for await (const text of server.stdout.setEncoding('utf8')) {
    welcome += text;
    if (/^Documentation: .*\n/m.test(welcome)) break;
  }
  const origin = welcome.match(/^Documentation: (.*)\/docs$/m)[1];
  for (;;) {
    const isReady = await fetch(`${origin}/health/ready`).then((response) => response.ok, () => false);
    if (isReady) break;
    assert.equal(server.exitCode, null, 'the server runs');
  }
  const stop = async () => {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
  };
  return { origin, welcome: welcome.trimEnd(), stop };
}

/** Returns the commands that the welcome text tells to paste, each with all its lines. */
function commandsIn(welcome) {
  const pasted = welcome.split(/^Paste this .*$/m)[1].split(/^Documentation/m)[0];
  return pasted.trim().replaceAll('\\\n', '\\\0').split('\n').map((line) => line.trim().replaceAll('\0', '\n'));
}

/** Runs each command in one shell, and returns what each printed. */
async function outputsOf(commands) {
  const marker = '--- next ---';
  const script = commands.map((command) => `${command}\necho '${marker}'\n`).join('');
  const { stdout } = await run('bash', ['-euc', script]);
  return stdout.replaceAll('\r', '').split(`${marker}\n`).slice(0, -1);
}

/** A screen to which text is added: `{ text, at, row, column, kind }` for each piece within a line. */
class Scene {
  pieces = [];
  row = 0;
  column = 0;

  write(text, at, kind) {
    for (const character of text) {
      if (character === '\n' || this.column === columns) {
        this.row += 1;
        this.column = 0;
      }
      if (character === '\n') continue;
      const last = this.pieces.at(-1);
      if (last?.at === at && last.row === this.row && last.kind === kind) last.text += character;
      else this.pieces.push({ text: character, at, row: this.row, column: this.column, kind });
      this.column += 1;
    }
  }

  /** Types a command, a few characters at a time, and returns the time at which it is complete. */
  type(command, at) {
    this.write('$ ', at, 'prompt');
    const chunks = command.match(/[^]{1,6}/g);
    chunks.forEach((chunk, index) => this.write(chunk, at + index * 0.06, 'command'));
    this.write('\n', at, 'command');
    return at + chunks.length * 0.06 + 0.2;
  }
}

/** Returns the recording: the start of the server, then the commands with what they printed. */
function record(welcome, commands, outputs) {
  const first = new Scene();
  first.write(`${welcome}\n`, first.type('terse serve', 0.3), 'output');
  const second = new Scene();
  let at = secondScene;
  commands.forEach((command, index) => {
    at = second.type(command, at);
    second.write(outputs[index], at, 'output');
    at += outputs[index] ? 0.7 : 0.1;
  });
  assert(at < end - 2, `the recording needs ${at} s`);
  return [first, second];
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const percent = (at) => ((at / end) * 100).toFixed(2);

/** Draws the scenes as an SVG that plays them again and again; without animation, it shows the second one. */
function draw([first, second]) {
  const rows = Math.max(first.row, second.row) + 1;
  const width = columns * cell.width + 2 * margin;
  const height = rows * cell.height + 2 * margin;
  const times = [...new Set([first, second].flatMap(({ pieces }) => pieces.map(({ at }) => at)))];
  const appear = (at, index) =>
    `@keyframes k${index}{0%,${percent(at)}%{opacity:0}${percent(at + 0.01)}%,100%{opacity:1}}.k${index}{animation-name:k${index}}`;
  const piece = ({ text, at, row, column, kind }) => {
    const x = margin + column * cell.width;
    const y = margin + (row + 0.75) * cell.height;
    const length = [...text].length * cell.width;
    return `<text class="${kind} k${times.indexOf(at)}" x="${x}" y="${y}" textLength="${length}">${escape(text)}</text>`;
  };
  const group = (name, { pieces }) => `<g class="${name}">\n${pieces.map(piece).join('\n')}\n</g>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>terse serve creates an API key; curl creates a link, follows it, and reads one click</title>
<style>
svg{--back:#f6f8fa;--text:#1f2328;--quiet:#57606a;--accent:#0550ae}
@media (prefers-color-scheme:dark){svg{--back:#161b22;--text:#e6edf3;--quiet:#9198a1;--accent:#79c0ff}}
rect{fill:var(--back)}
text{font:14px "DejaVu Sans Mono",Menlo,Consolas,monospace;fill:var(--text);white-space:pre}
.prompt{fill:var(--quiet)}.command{fill:var(--accent)}.first{visibility:hidden}
@media (prefers-reduced-motion:no-preference){
text,.first,.second{animation:${end}s linear infinite}
${times.map(appear).join('\n')}
@keyframes first{0%,${percent(secondScene)}%{visibility:visible}${percent(secondScene + 0.01)}%,100%{visibility:hidden}}.first{animation-name:first}
@keyframes second{0%,${percent(secondScene)}%{visibility:hidden}${percent(secondScene + 0.01)}%,100%{visibility:visible}}.second{animation-name:second}
}
</style>
<rect width="100%" height="100%" rx="8"/>
${group('first', first)}
${group('second', second)}
</svg>
`;
}

/** Links that the picture of the console shows: code, path of the destination, title, campaign, clicks. */
const shown = [
  ['jobs', 'careers', 'Open positions', null, 3],
  ['prices', 'dealers/price-list.pdf', 'Price list for dealers', 'dealers', 12],
  ['webinar', 'events/getting-started', 'Webinar: getting started', 'autumn', 27],
  ['recipe', 'blog/recipe-of-the-month', 'Recipe of the month', 'newsletter', 31],
  ['catalogue', 'catalogue?utm_source=print', 'Spring catalogue', 'spring', 42],
];

/** Takes a picture of the console, with links that have clicks. */
async function pictureConsole(origin, key, colorScheme) {
  for (const [code, path, title, campaign, clicks] of shown) {
    const body = { destination_url: `https://www.example.org/${path}`, custom_code: code, title, campaign };
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const created = await fetch(`${origin}/api/manage/v1/links`, { method: 'POST', headers, body: JSON.stringify(body) });
    // They exist already when the second picture is taken.
    for (let click = 0; created.ok && click < clicks; click += 1) await fetch(`${origin}/${code}`, { redirect: 'manual' });
  }
  const { page, complaints } = await visit('/console', { viewport: { width: 1280, height: 730 }, colorScheme }, origin);
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByText('Spring catalogue').waitFor();
  await screenshot(page, { path: `console-${colorScheme}.png` });
  assert.deepEqual(complaints, []);
}

/** Opens the recording at both ends, checks that all text is inside, and takes screenshots. */
async function check(file, colorScheme) {
  const { page } = await visit(pathToFileURL(file).href, { colorScheme }, '');
  for (const [name, at] of [['first', secondScene - 0.1], ['second', end - 0.1]]) {
    const outside = await page.evaluate((milliseconds) => {
      for (const animation of document.getAnimations()) {
        animation.pause();
        animation.currentTime = milliseconds;
      }
      const frame = document.querySelector('rect').getBoundingClientRect();
      const isOutside = (text) => {
        const box = text.getBoundingClientRect();
        return box.right > frame.right || box.bottom > frame.bottom;
      };
      return [...document.querySelectorAll('text')].filter(isOutside).map((text) => text.textContent);
    }, at * 1_000);
    assert.deepEqual(outside, [], 'all text is inside the frame');
    await screenshot(page, { path: `session-${name}-${colorScheme}.png` });
  }
  await page.context().close();
}

const directory = await mkdtemp(join(tmpdir(), 'terse-'));
const server = await start(directory);
try {
  const commands = commandsIn(server.welcome);
  const outputs = await outputsOf(commands);
  assert.match(outputs.at(-1), /"clicks":1/);
  await writeFile('session.svg', draw(record(server.welcome, commands, outputs)));
  for (const colorScheme of ['light', 'dark']) {
    await check(join(process.cwd(), 'session.svg'), colorScheme);
    const { page, complaints } = await visit('/docs', { viewport: { width: 1280, height: 730 }, colorScheme }, server.origin);
    await page.locator('.opblock').first().waitFor();
    await screenshot(page, { path: `swagger-ui-${colorScheme}.png` });
    assert.deepEqual(complaints, []);
    await pictureConsole(server.origin, server.welcome.match(/terse_\w+/)[0], colorScheme);
  }
} finally {
  await closeBrowser();
  await server.stop();
  await rm(directory, { recursive: true });
}
