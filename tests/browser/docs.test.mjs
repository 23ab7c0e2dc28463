// The documentation page.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { closeBrowser, isTooWide, screens, screenshot, service, visit } from './visitor.mjs';

const key = process.env.TERSE_KEY;

after(closeBrowser);

async function documentation(screen, query = '') {
  const visited = await visit(`/docs${query}`, screen);
  await visited.page.locator('.opblock').first().waitFor();
  return visited;
}

async function authorize(page, scheme) {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  const dialog = page.locator('.dialog-ux .modal-ux');
  const form = dialog.locator('form', { hasText: scheme });
  await form.locator('input').fill(key);
  await form.getByRole('button', { name: 'Apply credentials' }).click();
  await form.getByText('Authorized').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
}

/** Opens an operation, executes it, and returns the status and the body that the page shows. */
async function execute(page, operation, fill = async () => {}) {
  const block = page.locator(`[id$="-${operation}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Try it out' }).click();
  await fill(block);
  await block.getByRole('button', { name: 'Execute' }).click();
  const response = block.locator('.live-responses-table .response').first();
  await response.waitFor();
  const status = await response.locator('.response-col_status').innerText();
  const body = await response.locator('.highlight-code pre').first().innerText();
  return { status: status.trim(), body: JSON.parse(body) };
}

for (const [name, screen] of Object.entries(screens)) {
  for (const scheme of ['ApiKeyAuth', 'BearerAuth']) {
    test(`with ${scheme} on a ${name} a newcomer creates a link and reads its clicks`, async () => {
      const { page, complaints } = await documentation(screen);
      const first = await page.locator('.info .description p').first().innerText();
      assert.match(first, /needs an API key.*terse owner add/s);
      assert(!(await isTooWide(page)), 'the page is too wide');
      const operations = page.locator('.opblock');
      // The screen of a phone cannot show all of them.
      const operation = name === 'phone' ? operations.first() : operations.last();
      const { y, height } = await operation.boundingBox();
      assert(y + height <= screen.viewport.height, `the operation ends at ${y + height} pixels`);
      await screenshot(page, { path: `docs-${name}.png` });

      await authorize(page, scheme);
      const { status, body } = await execute(page, 'shorten');
      assert.equal(status, '201');
      assert.equal(body.short_url, `${service}/${body.short_code}`);
      const responses = page.locator('.live-responses-table');
      await responses.scrollIntoViewIfNeeded();
      await screenshot(page, { path: `response-${name}.png` });

      const redirect = await fetch(body.short_url, { redirect: 'manual' });
      assert.equal(redirect.status, 302);
      const stats = await execute(page, 'getStats', (block) =>
        block.locator('input[placeholder="code"]').fill(body.short_code),
      );
      assert.equal(stats.status, '200');
      assert.equal(stats.body.data.clicks, 1);

      assert(!(await isTooWide(page)), 'the page has become too wide');
      assert.deepEqual(complaints, []);
      await page.context().close();
    });
  }
}

test('request without a key shows a problem with advice', async () => {
  const { page } = await documentation(screens.desktop);
  const { status, body } = await execute(page, 'listLinks');
  assert.equal(status, '401');
  assert.equal(body.code, 'unauthorized');
  await page.context().close();
});

test('parameters have examples and no default values', async () => {
  const { page, complaints } = await documentation(screens.desktop);
  await authorize(page, 'ApiKeyAuth');
  const examples = {
    // With an example as the default key, only the first request would take effect.
    shorten: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    listLinks: ['from 1 to 1000', '3f9c01d27be4a865b07d52c8e1964af3', 'spring', '\\(1\\)'],
  };
  for (const [operation, told] of Object.entries(examples)) {
    const { status } = await execute(page, operation);
    assert.match(status, /^20[01]$/);
    const parameters = page.locator(`[id$="-${operation}"] tr[data-param-name]`);
    const texts = await parameters.allInnerTexts();
    told.forEach((example, index) => assert.match(texts[index], new RegExp(example)));
    const values = await parameters.locator('input').evaluateAll((all) => all.map((one) => one.value));
    assert.deepEqual(values, told.map(() => ''));
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('the selector shows the other interface, and its operations work', async () => {
  const { page, complaints } = await documentation(screens.desktop);
  await page.getByLabel('Interface:').selectOption('manage');
  await page.locator('[id$="-getOwner"]').waitFor();
  assert.equal(await page.locator('[id$="-shorten"]').count(), 0);
  await authorize(page, 'ApiKeyAuth');
  const owner = await execute(page, 'getOwner');
  assert.deepEqual([owner.status, owner.body.key.scope], ['200', 'full']);
  const found = await execute(page, 'listLinks');
  assert.equal(found.status, '200');
  await screenshot(page, { path: 'manage-desktop.png' });
  await page.getByLabel('Interface:').selectOption('api');
  await page.locator('[id$="-shorten"]').waitFor();
  assert.equal(await page.locator('[id$="-getOwner"]').count(), 0);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('a webhook is created, tested and read', async () => {
  const received = [];
  const receiver = createServer((request, response) => {
    received.push(request.headers['webhook-id']);
    request.resume();
    response.end();
  });
  await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
  const { page, complaints } = await documentation(screens.desktop, '?interface=manage');
  await authorize(page, 'BearerAuth');
  const created = await execute(page, 'createWebhook', async (block) => {
    const text = block.locator('textarea.body-param__text');
    const body = JSON.parse(await text.inputValue());
    await text.fill(JSON.stringify({ ...body, url: `http://127.0.0.1:${receiver.address().port}/hook` }));
  });
  assert.equal(created.status, '201');
  assert.match(created.body.secret, /^whsec_/);
  const named = (block) => block.locator('input[placeholder="id"]').fill(String(created.body.id));
  const tested = await execute(page, 'testWebhook', named);
  assert.deepEqual([tested.status, tested.body.status_code, tested.body.error], ['200', 200, null]);
  const deliveries = await execute(page, 'listWebhookDeliveries', named);
  assert.deepEqual(deliveries.body.data.map(({ id, type, status }) => [id, type, status]), [[received[0], 'webhook.test', 'delivered']]);
  const shown = await execute(page, 'getWebhook', named);
  assert.deepEqual([shown.body.waiting, shown.body.secret], [0, undefined]);
  assert.deepEqual(complaints, []);
  await page.context().close();
  receiver.close();
});

test('the address names the interface', async () => {
  const { page, complaints } = await documentation(screens.desktop, '?interface=manage');
  const shown = async (name, operation, title) => {
    await page.locator(`[id$="-${operation}"]`).waitFor();
    assert.equal(await page.getByLabel('Interface:').inputValue(), name);
    assert.match(await page.title(), title);
  };
  const manage = () => shown('manage', 'updateLink', /^Terse · Manage your links/);
  const api = () => shown('api', 'shorten', /^Terse · Create links/);
  await manage();
  const tags = await page.locator('.opblock-tag a span').allInnerTexts();
  assert.deepEqual(tags, ['Links', 'Events', 'Reports', 'Owner', 'Keys', 'Webhooks']);
  await page.getByLabel('Interface:').selectOption('api');
  await api();
  assert.equal(new URL(page.url()).search, '?interface=api');
  await page.goBack();
  await manage();
  await page.goForward();
  await api();
  await page.reload();
  await api();
  await page.goto(`${service}/docs?interface=unknown`);
  await api();
  // A link to an operation of the other interface opens it.
  await page.goto(`${service}/docs?interface=manage#/Links/updateLink`);
  await page.locator('[id$="-updateLink"] .responses-table').waitFor();
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('an opened operation is no more than a few screens tall', async () => {
  const viewport = { width: 1280, height: 800 };
  const { page, complaints } = await documentation({ viewport }, '?interface=manage');
  const block = page.locator('[id$="-updateLink"]');
  await block.locator('.opblock-summary-control').click();
  await block.locator('.responses-table').waitFor();
  const { height } = await block.boundingBox();
  assert(height < 4 * viewport.height, `${height} pixels`);
  await screenshot(page, { path: 'operation-desktop.png', fullPage: true });
  // Its problems are one click away.
  const conflict = block.locator('tr.response[data-code="409"]');
  assert.equal(await conflict.locator('.examples-select-element').count(), 0);
  await conflict.getByRole('button').click();
  await conflict.locator('.examples-select-element').waitFor();
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('key is preserved when the page is reloaded', async () => {
  const { page } = await documentation(screens.desktop);
  await authorize(page, 'ApiKeyAuth');
  await page.reload();
  await page.locator('.opblock').first().waitFor();
  const { status } = await execute(page, 'listLinks');
  assert.equal(status, '200');
  await page.context().close();
});

/** Returns the mean brightness of the visible part of a page, from 0 to 1. */
async function brightness(page) {
  const picture = (await screenshot(page)).toString('base64');
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, image.width, image.height).data;
    let sum = 0;
    for (let i = 0; i < pixels.length; i += 4) sum += pixels[i] + pixels[i + 1] + pixels[i + 2];
    return sum / (pixels.length * 0.75 * 255);
  }, picture);
}

for (const [colorScheme, isExpected] of [
  ['light', (value) => value > 0.8],
  ['dark', (value) => value < 0.3],
]) {
  test(`page is ${colorScheme} on a ${colorScheme} system, its dialog included`, async () => {
    const { page, complaints } = await documentation({ ...screens.desktop, colorScheme });
    assert(isExpected(await brightness(page)), `brightness ${await brightness(page)}`);
    await screenshot(page, { path: `docs-${colorScheme}.png` });
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const dialog = await page.locator('.dialog-ux .modal-ux').boundingBox();
    const { height } = screens.desktop.viewport;
    assert(dialog.y >= 0 && dialog.y + dialog.height <= height, 'the dialog is on the screen');
    await screenshot(page, { path: `dialog-${colorScheme}.png` });
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

test('every problem of an operation is shown with its code', async () => {
  const { page } = await documentation(screens.desktop);
  const block = page.locator('[id$="-shorten"]');
  await block.locator('.opblock-summary-control').click();
  const conflict = block.locator('tr.response[data-code="409"]');
  await conflict.getByRole('button').click();
  const choices = conflict.locator('.examples-select-element option');
  const codes = await choices.evaluateAll((options) => options.map((option) => option.value));
  assert.deepEqual(codes.sort(), [
    'code-in-use',
    'code-reserved',
    'daily-limit-reached',
    'expiry-passed',
    'idempotency-key-reused',
    'plan-limit-reached',
  ]);
  await page.context().close();
});

test('only scripts of the page run', async () => {
  const { page, response, complaints } = await documentation(screens.desktop);
  const policy = response.headers()['content-security-policy'];
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe/);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.intruder = true';
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.intruder), undefined);
  assert.match(complaints.join(), /script violates .*Content Security Policy/);
  await page.context().close();
});
