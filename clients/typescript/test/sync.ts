// Makes the links of a file exist as the file says, eight at a time.

import { readFile } from 'node:fs/promises';
import { Terse, type LinkCreate } from '@terse/client';

const terse = new Terse({ baseUrl: process.env['TERSE_URL']!, key: process.env['TERSE_KEY']! });
const products = (JSON.parse(await readFile(process.argv[2]!, 'utf8')) as (LinkCreate & { external_id: string })[]).values();
const worker = async () => {
  for (const product of products) {
    await terse.links.upsert(product.external_id, product);
  }
};
await Promise.all(Array.from({ length: 8 }, worker));
