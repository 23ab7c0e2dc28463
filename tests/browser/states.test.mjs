// The pages that visitors see if a link does not redirect, and those of the operator.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { serveStates } from './server.mjs';
import { closeBrowser, isTooWide, screens, screenshot, visit } from './visitor.mjs';

const contact = 'abuse@example.org';
const { origin, end } = await serveStates({ contact });
after(async () => {
  await closeBrowser();
  await end();
});

const pages = {
  '': [200, 'Short links', /a URL shortener with a JSON API/],
  unknown: [404, 'There is no such link', /mistyped/],
  'unknown/qr.svg': [404, 'There is no such QR code', /has no QR code/],
  deleted: [410, 'This link was deleted', /deleted for good/],
  expired: [410, 'This link has expired', /valid for a limited time/],
  paused: [410, 'This link is paused', /owner of the link has paused it/],
  disabled: [410, 'This link is disabled', /has disabled the link/],
  spam: [410, 'This link is disabled', /advertised by spam/],
  suspended: [410, 'This link is not available', /suspended the account/],
  phishing: [410, 'Warning: suspected phishing', /change it now on the real site/],
  malware: [410, 'Warning: suspected malware', /Disconnect the device/],
  legal: [451, 'Unavailable for legal reasons', /A legal demand is the reason/],
  'problems/plan-limit-reached': [200, "The plan's limit is reached", /code plan-limit-reached/],
};

/** Returns a test for the console's message about this error status, which is not the page's fault. */
const isStatusMessage = (status) => (complaint) =>
  complaint.includes(`the server responded with a status of ${status} `);

for (const [name, screen] of Object.entries(screens)) {
  for (const colorScheme of ['light', 'dark']) {
    for (const [path, [status, heading, text]] of Object.entries(pages)) {
      test(`/${path} on a ${colorScheme} ${name}`, async () => {
        const view = { ...screen, colorScheme };
        const { page, response, complaints } = await visit(`/${path}`, view, origin);
        assert.equal(response.status(), status);
        assert.equal(await page.locator('h1').innerText(), heading);
        assert.match(await page.locator('body').innerText(), text);
        assert(!(await isTooWide(page)), 'the page is too wide');
        // Without its style sheet the page would be transparent.
        const [paper, ink] = await page.evaluate(() => {
          const style = getComputedStyle(document.body);
          return [style.backgroundColor, style.color].map((colour) => Number(colour.match(/\d+/)[0]));
        });
        assert(colorScheme === 'light' ? paper > 200 && ink < 60 : paper < 60 && ink > 200);
        const link = page.getByRole('link', { name: contact });
        assert.equal(await link.getAttribute('href'), `mailto:${contact}`);
        assert.deepEqual(complaints.filter((complaint) => !isStatusMessage(status)(complaint)), []);
        const picture = `state-${path.replaceAll('/', '-') || 'home'}-${colorScheme}-${name}.png`;
        await screenshot(page, { path: picture, fullPage: true });
        await page.context().close();
      });
    }
  }
}

test('advice is next to what visitors need first', async () => {
  const { page } = await visit('/phishing', screens.phone, origin);
  const advice = page.locator('section.advice');
  assert.equal(await advice.locator('h2').innerText(), 'If you entered anything on that site');
  assert((await advice.locator('li').count()) >= 4);
  const { y } = await advice.boundingBox();
  assert(y < screens.phone.viewport.height, `the advice begins at ${y} pixels`);
  await page.context().close();
});

test('a web page as contact can be followed', async (t) => {
  const contact = `${origin}/unknown?a=1&b=2`;
  const { origin: other, end: stop } = await serveStates({ contact });
  t.after(stop);
  const { page, complaints } = await visit('/legal', screens.desktop, other);
  assert.deepEqual(complaints.filter((complaint) => !isStatusMessage(451)(complaint)), []);
  await page.getByRole('link', { name: contact }).click();
  await page.waitForURL(contact);
  await page.context().close();
});

test("an operator's page has its own style, image and font, and nothing is blocked", async (t) => {
  const gif = 'data:image/gif;base64,R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';
  const templates = {
    '410.html': `<!doctype html><title>{{ title }}</title>\r\n<style>\r\nbody { color: rgb(1, 2, 3) }\r\n</style>
<style>h1 { font-weight: 300 }</style><img src="${gif}" alt="Acme"><h1>{{ state }}</h1>
<svg width="10" height="10"><circle r="5"/></svg><a href="{{ contact_url }}">{{ contact }}</a>`,
  };
  const { origin: own, end: stop } = await serveStates({ contact, templates });
  t.after(stop);
  const { page, complaints } = await visit('/expired', screens.desktop, own);
  assert.equal(await page.locator('h1').innerText(), 'expired');
  const found = await page.evaluate(() => ({
    colour: getComputedStyle(document.body).color,
    weight: getComputedStyle(document.querySelector('h1')).fontWeight,
    image: document.querySelector('img').naturalWidth,
  }));
  assert.deepEqual(found, { colour: 'rgb(1, 2, 3)', weight: '300', image: 1 });
  assert.deepEqual(complaints.filter((complaint) => !isStatusMessage(410)(complaint)), []);
  await page.context().close();
});

test('no script runs on a page', async () => {
  const { page, complaints } = await visit('/phishing', screens.desktop, origin);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.intruder = true';
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.intruder), undefined);
  assert.match(complaints.join(), /script violates .*Content Security Policy/);
  await page.context().close();
});
