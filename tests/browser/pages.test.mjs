// The small pages: the front page, pages of unknown and disabled links, and problem types.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { closeBrowser, isTooWide, screens, screenshot, service, visit } from './visitor.mjs';

after(closeBrowser);

async function disabledLink() {
  const response = await fetch(`${service}/api/v1/shorten`, {
    method: 'POST',
    headers: { 'X-API-Key': process.env.TERSE_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.org/' }),
  });
  const { short_code: code } = await response.json();
  const database = ['--database-url', process.env.TERSE_DATABASE_URL];
  await promisify(execFile)(process.env.TERSE, ['link', 'disable', code, ...database]);
  return `/${code}`;
}

const pages = {
  front: ['/', 200, 'Short links'],
  unknown: ['/unknown', 404, 'There is no such link'],
  disabled: [await disabledLink(), 410, 'This link is disabled'],
  problem: ['/problems/invalid-input', 200, 'The input is not valid'],
};

for (const [name, screen] of Object.entries(screens)) {
  for (const [about, [path, status, heading]] of Object.entries(pages)) {
    test(`the page "${about}" on a ${name}`, async () => {
      const { page, response, complaints } = await visit(path, screen);
      assert.equal(response.status(), status);
      assert.equal(await page.locator('h1').innerText(), heading);
      assert(!(await isTooWide(page)), 'the page is too wide');
      // The policy allows the page's style by its hash; with another hash the page would have no style.
      const width = await page.evaluate(() => getComputedStyle(document.body).maxWidth);
      assert.notEqual(width, 'none');
      const own = new RegExp(`the server responded with a status of ${status} `);
      assert.deepEqual(complaints.filter((complaint) => !own.test(complaint)), []);
      assert.doesNotMatch(response.headers()['content-security-policy'], /unsafe/);
      await screenshot(page, { path: `${about}-${name}.png` });
      await page.context().close();
    });
  }
}

test('the front page leads to the documentation and the document, and nowhere else', async () => {
  const { page } = await visit('/', screens.desktop);
  const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.pathname));
  assert.deepEqual(links, ['/console/', '/docs', '/openapi.json']);
  await page.getByRole('link', { name: 'Documentation' }).click();
  await page.locator('.opblock').first().waitFor();
  await page.context().close();
});
