// A server of a test's own, on an SQLite file with links in all states.

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile, mkdir } from 'node:fs/promises';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** SQL statements that bring links into a state, by the codes of the links. */
const states = {
  deleted: "UPDATE links SET owner_id = NULL, deleted_event = 1, destination_url = '', destination_host = ''",
  expired: 'UPDATE links SET expires_at = 1',
  paused: 'UPDATE links SET is_paused = 1',
  disabled: "UPDATE links SET disabled_reason = 'other'",
  spam: "UPDATE links SET disabled_reason = 'spam'",
  phishing: "UPDATE links SET disabled_reason = 'phishing'",
  malware: "UPDATE links SET disabled_reason = 'malware'",
  legal: "UPDATE links SET disabled_reason = 'legal'",
};

/** Starts `terse serve` on a database, and returns its URL, that of the operator's listener if there is one, and a function that stops it. */
export async function serve(database, settings, port = 0) {
  const listen = ['--listen', `127.0.0.1:${port}`, '--database-url', database];
  const server = spawn(process.env.TERSE, ['serve', ...listen, ...settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async () => {
    if (server.exitCode === null) {
      server.kill();
      await once(server, 'exit');
    }
  };
  for await (const line of createInterface({ input: server.stderr })) {
    const { message, url, operator_address: operator } = JSON.parse(line);
    if (message === 'listening') {
      server.stderr.resume();
      return { origin: url, operator: operator && `http://${operator}`, stop };
    }
  }
  throw new Error('the server did not start');
}

/** Serves links in all states and one of a suspended owner, with this contact and these templates. */
export async function serveStates({ contact, templates = {} }) {
  const directory = await mkdtemp(join(tmpdir(), 'terse-'));
  const file = join(directory, 'terse.db');
  const database = `sqlite://${file}?mode=rwc`;
  const first = await serve(database, []);
  const owner = async (name) =>
    (await run(process.env.TERSE, ['owner', 'add', name, '--plan', 'pro', '--database-url', database])).stdout.trim();
  const create = (key, code) =>
    fetch(`${first.origin}/api/v1/shorten`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.org/', custom_code: code }),
    });
  const key = await owner('acme');
  for (const code of Object.keys(states)) await create(key, code);
  await create(await owner('suspended'), 'suspended');
  await first.stop();
  const changes = Object.entries(states).map(([code, sql]) => `${sql} WHERE short_code = '${code}'`);
  changes.push("UPDATE owners SET suspended_reason = 'other' WHERE name = 'suspended'");
  const program = 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])';
  await run('python3', ['-c', program, file, `${changes.join('; ')};`]);

  const settings = ['--contact', contact];
  if (Object.keys(templates).length > 0) {
    const pages = join(directory, 'pages');
    await mkdir(pages);
    for (const [name, text] of Object.entries(templates)) await writeFile(join(pages, name), text);
    settings.push('--pages', pages);
  }
  const { origin, stop } = await serve(database, settings);
  return {
    origin,
    async end() {
      await stop();
      await rm(directory, { recursive: true });
    },
  };
}
