// The client package for TypeScript on a page of the same origin as the API.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { closeBrowser, screens, service, visit } from './visitor.mjs';

after(closeBrowser);

/** Opens an empty page that can import the package from `/client/`. */
async function pageWithClient() {
  const { page } = await visit('/', screens.desktop);
  await page.route(`${service}/client/**`, async (route) => {
    const file = new URL(route.request().url()).pathname.replace('/client/', './package/dist/');
    await route.fulfill({ contentType: 'text/javascript', body: await readFile(file, 'utf8') });
  });
  await page.route(`${service}/empty`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Client</title>' }));
  await page.goto(`${service}/empty`);
  return page;
}

test('the client creates links, reads pages and reports problems in a browser', async () => {
  const page = await pageWithClient();
  const seen = await page.evaluate(async ({ baseUrl, key }) => {
    const { isProblem, Terse } = await import('/client/index.js');
    const terse = new Terse({ baseUrl, key });
    const campaign = `browser-${Date.now()}`;
    const codes = [];
    for (let number = 0; number < 3; number++) {
      codes.unshift((await terse.shorten({ url: `https://example.org/${number}`, campaign })).short_code);
    }
    const listed = await terse.listLinks({ campaign, limit: 2 }).all();
    const link = await terse.links.get(codes[0]);
    await terse.links.update(codes[0], { title: 'Spring' }, { ifMatch: link });
    const late = await terse.links.update(codes[0], { title: 'Summer' }, { ifMatch: link }).catch((error) => error);
    const missing = await terse.getStats('unknown').catch((error) => error);
    return {
      codes,
      listed: listed.map((item) => item.short_code),
      hasTag: link.etag.startsWith('"'),
      isLate: isProblem(late, 'precondition-failed'),
      missing: missing.code,
    };
  }, { baseUrl: service, key: process.env.TERSE_KEY });
  assert.deepEqual(seen.listed, seen.codes);
  assert.deepEqual([seen.hasTag, seen.isLate, seen.missing], [true, true, 'link-not-found']);
  await page.context().close();
});
