// Creates a link for each line of a file, eight at a time, and each link once whatever happens to the server.

import { readFile } from 'node:fs/promises';
import { Terse } from '@terse/client';

const terse = new Terse({ baseUrl: process.env['TERSE_URL']!, key: process.env['TERSE_KEY']! });
const lines = (await readFile('links.txt', 'utf8')).trimEnd().split('\n').entries();
const worker = async () => {
  for (const [number, url] of lines) {
    await terse.shorten({ url }, { idempotencyKey: `links.txt-${number}` });
  }
};
await Promise.all(Array.from({ length: 8 }, worker));
