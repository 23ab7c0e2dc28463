// The owner's console, used as people use it: by roles and labels, most of it with the keyboard alone.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { serve } from './server.mjs';
import { assertAccessible, assertClosed, closeBrowser, hostile, isTooWide, screens, screenshot, service, signIn, tabTo, visit } from './visitor.mjs';

const run = promisify(execFile);

after(closeBrowser);

/** Calls an operation of the interface, and returns the body of the response. */
async function call(key, method, path, body, origin = service) {
  const response = await fetch(`${origin}/api/manage/v1${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert(response.ok, `${method} ${path}: ${text}`);
  return text && JSON.parse(text);
}

/** Creates an owner, and returns its key. */
async function newOwner(plan = 'pro') {
  const name = `console-${Math.random().toString(36).slice(2)}`;
  return (await run(process.env.TERSE, ['owner', 'add', name, '--plan', plan])).stdout.trim();
}

/** Creates a link of a new owner, and returns its code with the owner's key. */
async function newLink(values = {}) {
  const key = await newOwner();
  const { short_code: code } = await call(key, 'POST', '/links', { destination_url: 'https://example.org/', ...values });
  return { key, code };
}

/** Opens a screen, and signs in. */
async function open(path, key, { screen = screens.desktop, origin = service } = {}) {
  const visited = await visit(path, screen, origin);
  const { page } = visited;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  await signIn(page, key);
  return visited;
}

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const links = (page) => page.getByRole('list', { name: 'Your links' }).getByRole('listitem');

test('creating a link and having it in the clipboard takes two actions', async () => {
  const { page, complaints } = await open('/console', await newOwner());
  await page.getByLabel('Destination').waitFor();
  assert(await page.getByLabel('Destination').evaluate((input) => input === document.activeElement), 'one can paste at once');
  await page.keyboard.insertText('https://example.org/a/long/destination');
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Created and copied' }).waitFor();
  const copied = await clipboard(page);
  assert.equal((await fetch(copied, { redirect: 'manual' })).headers.get('location'), 'https://example.org/a/long/destination');
  await links(page).first().getByText('example.org/a/long/destination').waitFor();
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('a link is created with all its properties, edited, paused and deleted with the keyboard alone', async () => {
  const { page, complaints } = await open('/console', await newOwner());
  await page.keyboard.insertText('https://example.org/first');
  const more = page.getByRole('button', { name: 'More options' });
  await tabTo(page, more);
  await page.keyboard.press('Enter');
  for (const [label, text] of [['Custom code', `story-${Date.now()}`], ['Title', 'Spring'], ['Campaign', 'season']]) {
    await tabTo(page, page.getByRole('form', { name: 'Create a link' }).getByLabel(label, { exact: true }));
    await page.keyboard.insertText(text);
  }
  await page.keyboard.press('Enter');
  const row = links(page).first();
  await row.getByText('Spring').waitFor();
  const link = row.getByRole('link').first();
  await tabTo(page, link);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /story-/ }).waitFor();
  const title = page.getByRole('form', { name: 'Properties' }).getByLabel('Title');
  await tabTo(page, title);
  assert.equal(await title.inputValue(), 'Spring');
  await page.keyboard.insertText('Summer');
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  await page.getByRole('list').getByText('Changed with the key').waitFor();
  await tabTo(page, page.getByRole('button', { name: 'Pause' }));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByRole('list').getByText('Paused with the key').waitFor();
  await page.getByText('What was changed').click();
  await page.getByRole('list').getByText('Title: Spring → Summer').waitFor();
  const code = decodeURIComponent(new URL(page.url()).pathname.split('/').pop());
  assert.equal((await fetch(`${service}/${code}`, { redirect: 'manual' })).status, 410);
  await tabTo(page, page.getByRole('button', { name: 'Delete' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
  await page.keyboard.press('Enter');
  await page.getByText('No links yet').waitFor();
  assert.equal(new URL(page.url()).pathname, '/console/links');
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('a link is paused and resumed while many others change', async () => {
  const { key, code } = await newLink();
  const { page } = await open(`/console/links/${code}`, key);
  await page.route('**/link-changes', (route) => route.fulfill({
    status: 409, contentType: 'application/problem+json', body: JSON.stringify({ status: 409, code: 'change-running', detail: 'The change of event 1 has not ended.' }),
  }));
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  assert.equal((await call(key, 'GET', `/links/${code}`)).is_paused, true);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  assert.equal((await call(key, 'GET', `/links/${code}`)).is_paused, false);
  await page.context().close();
});

test('the history of a link shows its values of an event that changed many links', async () => {
  const key = await newOwner();
  await call(key, 'POST', '/link-batches', { links: Array.from({ length: 150 }, () => ({ destination_url: 'https://example.org/', campaign: 'old' })) });
  const update = { campaign: 'new', expires_at: '2099-05-05T10:00:00Z' };
  const { event_id: event } = await call(key, 'POST', '/link-changes', { action: 'update', selectors: { campaign: 'old' }, update });
  const first = new Set((await call(key, 'GET', `/events/${event}`)).changes.map(({ subject }) => subject));
  const { short_code: code } = (await call(key, 'GET', '/links?limit=1000')).data.find((link) => !first.has(link.short_code));
  const { page } = await open(`/console/links/${code}`, key);
  let respond;
  const isAsked = new Promise((done) => (respond = done));
  await page.route('**/events/*/changes?*', async (route) => {
    await isAsked;
    await route.continue();
  });
  const history = page.getByRole('listitem').filter({ hasText: 'Changed with the key' });
  await history.getByText('What was changed').click();
  await history.getByText('Loading…').waitFor();
  respond();
  await history.getByText('Campaign: old → new').waitFor();
  assert.match(await history.getByText('Expires: nothing → ').innerText(), /May \d, 2099, \d+:00/);
  await page.route('**/events/*/changes?*', (route) => route.fulfill({ json: { data: [], next_cursor: null } }));
  await page.reload();
  await history.getByText('What was changed').click();
  await history.getByText('The event has no values of this link.').waitFor();
  await page.context().close();
});

test('what is wrong is said at the field that it is about', async () => {
  const { page } = await open('/console', await newOwner());
  const destination = page.getByLabel('Destination');
  await destination.fill('ftp://example.org/');
  await page.keyboard.press('Enter');
  await page.locator('[aria-invalid=true]').waitFor();
  assert.equal(await destination.getAttribute('aria-invalid'), 'true');
  const described = await destination.getAttribute('aria-describedby');
  assert.match(await page.locator(`id=${described}`).innerText(), /http/);
  assert(await destination.evaluate((input) => input === document.activeElement));
  await page.context().close();
});

test('half a date is no missing one, and an error unfolds its field', async () => {
  const { key, code } = await newLink({ expires_at: '2099-05-05T10:00:00Z' });
  const { page } = await open('/console', key);
  await page.getByLabel('Destination').fill('https://example.org/');
  const more = page.getByRole('button', { name: 'More options' });
  await more.click();
  const expires = page.getByLabel('Expires');
  await expires.focus();
  await page.keyboard.type('12312099');
  await more.click();
  await expires.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText('This is incomplete.').waitFor();
  assert(await expires.evaluate((input) => input === document.activeElement));
  assert.equal((await call(key, 'GET', '/links')).data.length, 1);
  await expires.fill('2020-01-01T10:00');
  await more.click();
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText('The time of expiry is not in the future.').waitFor();
  await page.context().close();
  const { page: other } = await open(`/console/links/${code}`, key);
  const form = other.getByRole('form', { name: 'Properties' });
  await form.getByLabel('Expires').focus();
  await other.keyboard.press('Delete');
  await form.getByLabel('Title').fill('Kept');
  await form.getByRole('button', { name: 'Save' }).click();
  await other.getByText('This is incomplete.').waitFor();
  const { title, expires_at } = await call(key, 'GET', `/links/${code}`);
  assert.deepEqual([title, Date.parse(expires_at)], [null, Date.parse('2099-05-05T10:00:00Z')]);
  await other.context().close();
});

test('what is typed while a request runs stays', async () => {
  const { page } = await open('/console', await newOwner());
  let respond;
  const isTyped = new Promise((done) => (respond = done));
  await page.route('**/api/manage/v1/links', async (route) => {
    await isTyped;
    await route.continue();
  });
  await page.getByLabel('Destination').fill('https://example.org/one');
  await page.keyboard.press('Enter');
  await page.getByLabel('Destination').fill('https://example.org/two');
  respond();
  await links(page).getByText('example.org/one').waitFor();
  assert.equal(await page.getByLabel('Destination').inputValue(), 'https://example.org/two');
  await page.context().close();
});

/** Types on in the moment in which the address changes. */
const typeOnAtNavigation = (page, text) => page.evaluate((more) => {
  const replace = history.replaceState.bind(history);
  history.replaceState = (...given) => {
    replace(...given);
    history.replaceState = replace;
    const input = document.activeElement;
    input.value += more;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  };
}, text);

test('what is typed while a search goes into the address stays', async () => {
  const { page } = await open('/console', await newOwner());
  await typeOnAtNavigation(page, 'talogue');
  await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('ca');
  await page.waitForURL('**/console/links?q=catalogue');
  await page.context().close();
});

test('leaving what is typed is asked, but not on the same screen', async () => {
  const { key, code } = await newLink();
  const { page } = await open('/console', key);
  const asked = [];
  page.on('dialog', (dialog) => asked.push(dialog.message()) && dialog.dismiss());
  await page.getByLabel('Destination').fill('https://example.org/typed');
  await page.getByRole('searchbox', { name: 'Search' }).fill('spring');
  await page.waitForURL('**/console/links?q=spring');
  await page.getByLabel('Destination').fill('');
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByLabel('Label').fill('crm');
  assert.deepEqual(asked, []);
  await page.getByRole('button', { name: 'Sign out' }).click();
  assert.equal(asked.length, 1);
  await page.context().close();
  const { page: other } = await open(`/console/links/${code}`, key);
  other.on('dialog', (dialog) => asked.push(dialog.message()) && dialog.dismiss());
  await other.getByRole('link', { name: '90 days' }).click();
  await other.getByLabel('Foreground').fill('#aa0000');
  await other.goBack();
  await other.waitForURL(`**/console/links/${code}`);
  assert.equal(asked.length, 1);
  await other.getByRole('link', { name: 'Account' }).click();
  assert.equal(asked.length, 2);
  assert.equal(await other.getByLabel('Foreground').inputValue(), '#aa0000');
  await other.context().close();
});

test('a page that fails is asked for again, and the list goes on', async () => {
  const key = await newOwner();
  await call(key, 'POST', '/link-batches', { links: Array.from({ length: 60 }, () => ({ destination_url: 'https://example.org/' })) });
  const { page } = await open('/console', key);
  await links(page).nth(24).waitFor();
  const problem = { status: 400, contentType: 'application/problem+json', body: JSON.stringify({ status: 400, code: 'other', detail: 'It failed.' }) };
  await page.route('**/links?*cursor=*', (route) => route.fulfill(problem));
  const more = page.getByRole('button', { name: 'Show more' });
  await more.click();
  await page.getByRole('alert').getByText('It failed.').waitFor();
  await page.unroute('**/links?*cursor=*');
  await more.click();
  await links(page).nth(49).waitFor();
  await more.click();
  await page.getByRole('status').filter({ hasText: /^60 links, newest first$/ }).waitFor();
  await page.context().close();
});

test('dialogs fit, keep what is typed, and give the focus back', async () => {
  const key = await newOwner();
  const code = `${Date.now()}`.padStart(55, 'c');
  await call(key, 'POST', '/links', { destination_url: 'https://example.org/', custom_code: code });
  const { page } = await open('/console', key, { screen: { viewport: { width: 360, height: 740 } } });
  const dialog = page.getByRole('dialog');
  const fits = () => dialog.evaluate((shown) => shown.scrollWidth <= shown.clientWidth);
  await page.getByRole('button', { name: 'QR code of' }).click();
  assert(await fits(), 'QR code');
  await page.keyboard.press('Escape');
  await page.getByLabel('Choose all shown').check();
  await page.getByRole('button', { name: 'Set campaign' }).click();
  const campaign = dialog.getByLabel('Campaign');
  assert(await campaign.evaluate((input) => input === document.activeElement));
  await campaign.fill('c'.repeat(101));
  await page.keyboard.press('Enter');
  await dialog.getByText('must not be longer than 100 characters', { exact: true }).waitFor();
  assert.equal(await campaign.getAttribute('aria-invalid'), 'true');
  const { x, y } = await campaign.boundingBox();
  await page.mouse.move(x + 5, y + 5);
  await page.mouse.down();
  await page.mouse.move(2, 2);
  await page.mouse.up();
  await campaign.fill('spring');
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: '1 link changed' }).waitFor();
  await page.waitForFunction(() => document.activeElement.type === 'checkbox');
  await page.goto(`${service}/console/links/${code}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  assert(await fits(), 'Delete');
  await page.context().close();
});

test('an address without a number leads to no page', async () => {
  const { page } = await open('/console/webhooks/abc', await newOwner());
  await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  await page.context().close();
});

test('a double click makes one link', async () => {
  const key = await newOwner();
  const { page } = await open('/console', key);
  await page.getByLabel('Destination').fill('https://example.org/once');
  await page.getByRole('button', { name: 'Shorten' }).dblclick();
  await page.getByRole('status').filter({ hasText: 'Created' }).waitFor();
  assert.equal((await call(key, 'GET', '/links')).data.length, 1);
  await page.context().close();
});

test('two tabs that edit the same link see each other', async () => {
  const { key, code } = await newLink({ title: 'Before', campaign: 'old' });
  const { page } = await open(`/console/links/${code}`, key);
  const form = page.getByRole('form', { name: 'Properties' });
  const title = form.getByLabel('Title');
  await title.fill('Mine');
  await call(key, 'PATCH', `/links/${code}`, { title: 'Theirs', campaign: 'new' });
  await form.getByRole('button', { name: 'Save' }).click();
  const conflict = form.getByRole('alert');
  await conflict.getByText('Changed meanwhile').waitFor();
  const row = conflict.getByRole('row').filter({ hasText: 'Title' });
  assert.deepEqual(await row.getByRole('cell').allInnerTexts(), ['Mine', 'Theirs']);
  assert.equal((await call(key, 'GET', `/links/${code}`)).title, 'Theirs');
  await conflict.getByRole('button', { name: 'Save mine' }).click();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  const saved = await call(key, 'GET', `/links/${code}`);
  assert.deepEqual([saved.title, saved.campaign], ['Mine', 'new'], 'what I did not change stays theirs');
  await title.fill('Mine again');
  await call(key, 'PATCH', `/links/${code}`, { title: 'Theirs again' });
  await form.getByRole('button', { name: 'Save' }).click();
  await conflict.getByRole('button', { name: 'Take theirs' }).click();
  assert.equal(await title.inputValue(), 'Theirs again');
  await page.getByLabel('Foreground').fill('#0000aa');
  await call(key, 'PATCH', `/links/${code}`, { title: 'Of no matter' });
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
  await page.getByLabel('Foreground').fill('#00aa00');
  await call(key, 'PATCH', `/links/${code}`, { qr_foreground: '#aa0000' });
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('alert').getByRole('row', { name: 'Foreground #00aa00 #aa0000' }).waitFor();
  await page.context().close();
});

test('a key that is revoked meanwhile leads to the form, and back to what was typed', async () => {
  const key = await newOwner();
  const { secret, id } = await call(key, 'POST', '/keys', { scope: 'full' });
  const { page } = await open('/console/links', secret);
  await page.getByLabel('Destination').fill('https://example.org/typed');
  await call(key, 'DELETE', `/keys/${id}`);
  await page.waitForTimeout(1500);
  await page.keyboard.press('Enter');
  await page.getByText('The server no longer accepts your key').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length + localStorage.length), 0);
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  const destination = page.getByLabel('Destination');
  await destination.waitFor();
  assert.equal(await destination.inputValue(), 'https://example.org/typed');
  await page.getByRole('button', { name: 'Shorten' }).click();
  await links(page).getByText('example.org/typed').waitFor();
  assert.equal(await page.title(), 'Links · Terse');
  await page.context().close();
});

test('a server that stops while one types loses nothing and makes one link', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'terse-'));
  const database = `sqlite://${join(directory, 'terse.db')}?mode=rwc`;
  const first = await serve(database, []);
  const add = ['owner', 'add', 'acme', '--plan', 'pro', '--database-url', database];
  const key = (await run(process.env.TERSE, add)).stdout.trim();
  const { page } = await open('/console', key, { origin: first.origin });
  await page.getByLabel('Destination').fill('https://example.org/kept');
  await first.stop();
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('does not respond').waitFor();
  assert.equal(await page.getByLabel('Destination').inputValue(), 'https://example.org/kept');
  const second = await serve(database, [], new URL(first.origin).port);
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByRole('status').filter({ hasText: 'Created' }).waitFor();
  assert.equal((await call(key, 'GET', '/links', undefined, second.origin)).data.length, 1);
  await page.context().close();
  await second.stop();
  await rm(directory, { recursive: true });
});

test('being offline and too many requests are said', async () => {
  const { page } = await open('/console', await newOwner());
  await page.getByLabel('Destination').fill('https://example.org/kept');
  await page.context().setOffline(true);
  await page.getByRole('alert').getByText('You are offline').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('alert').getByText('You are offline').waitFor({ state: 'detached' });
  await page.route('**/api/manage/v1/links', (route) => route.fulfill({
    status: 429,
    headers: { 'Retry-After': '30' },
    contentType: 'application/problem+json',
    body: JSON.stringify({ status: 429, code: 'rate-limited', detail: 'Too many requests.' }),
  }));
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByRole('alert').getByText('in 30 seconds').waitFor();
  assert.equal(await page.getByLabel('Destination').inputValue(), 'https://example.org/kept');
  await page.context().close();
});

test('the address is the state: search, filters, reload and back', async () => {
  const { key, code } = await newLink({ title: 'Needle in the hay', campaign: 'spring' });
  await call(key, 'POST', '/links', { destination_url: 'https://example.com/other' });
  const { page } = await open('/console', key);
  await page.getByRole('searchbox', { name: 'Search' }).fill('needle');
  await page.waitForURL('**/console/links?q=needle');
  await links(page).getByText('Needle in the hay').waitFor();
  await links(page).nth(1).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('combobox', { name: 'State' }).selectOption('paused');
  await page.getByText('No link matches').waitFor();
  await page.reload();
  await page.getByText('No link matches').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await links(page).getByRole('link').first().click();
  await page.waitForURL(`**/console/links/${code}`);
  await page.goBack();
  await page.waitForURL('**/console/links?q=needle');
  await links(page).getByText('Needle in the hay').waitFor();
  await page.context().close();
});

test('reports show clicks by day, campaign and link next to those before, with the keyboard alone', async () => {
  const key = await newOwner();
  const create = (values) => call(key, 'POST', '/links', { destination_url: 'https://example.org/', ...values });
  const [spring, other] = [await create({ campaign: 'spring', title: 'Catalogue' }), await create({})];
  for (const { short_code: code } of [spring, spring, spring, other]) await fetch(`${service}/${code}`, { redirect: 'manual' });
  const { page, complaints } = await open('/console/reports', key);
  await page.getByText(/^4 clicks$/).waitFor();
  await page.getByRole('img', { name: /4 in all/ }).waitFor();
  await tabTo(page, page.getByRole('link', { name: 'By campaign' }));
  await page.keyboard.press('Enter');
  const row = (text) => page.getByRole('row').filter({ hasText: text }).getByRole('cell');
  await row('spring').first().waitFor();
  assert.deepEqual((await row('spring').allInnerTexts()).slice(0, 3), ['spring', '3', '0']);
  assert.equal(await row('no campaign').nth(1).innerText(), '1');
  await tabTo(page, page.getByRole('link', { name: 'By link' }));
  await page.keyboard.press('Enter');
  await page.waitForURL('**by=link**');
  await row('Catalogue').first().waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  assert.match(await readFile(await file.path(), 'utf8'), new RegExp(`${spring.short_code},Catalogue,3,0`));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('what has clicks only in the range before is in the report and its CSV', async () => {
  const { page } = await open('/console/links', await newOwner());
  const today = new Date().toISOString().slice(0, 10);
  await page.route('**/reports/clicks?*', (route) => {
    const query = new URL(route.request().url()).searchParams;
    const data = query.get('to_day') === today ? [{ campaign: 'spring', clicks: 3 }] : [{ campaign: 'lost', clicks: 900 }];
    return route.fulfill({ json: { from_day: query.get('from_day'), to_day: query.get('to_day'), group_by: 'campaign', is_final: true, is_truncated: false, data } });
  });
  await page.goto(`${service}/console/reports?by=campaign`);
  const row = page.getByRole('row').filter({ hasText: 'lost' }).getByRole('cell');
  await row.first().waitFor();
  assert.deepEqual(await row.allInnerTexts(), ['lost', '0', '900', '−100 %']);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  assert.match(await readFile(await file.path(), 'utf8'), /lost,0,900/);
  await page.context().close();
});

test('a report says what is not known because rows are missing', async () => {
  const { page } = await open('/console/links', await newOwner());
  const today = new Date().toISOString().slice(0, 10);
  let truncated;
  await page.route('**/reports/clicks?*', (route) => {
    const query = new URL(route.request().url()).searchParams;
    const isNow = query.get('to_day') === today;
    const data = isNow ? [{ campaign: 'spring', clicks: 3 }, { campaign: 'both', clicks: 2 }] : [{ campaign: 'lost', clicks: 900 }, { campaign: 'both', clicks: 4 }];
    const is_truncated = truncated === (isNow ? 'now' : 'before');
    return route.fulfill({ json: { from_day: query.get('from_day'), to_day: query.get('to_day'), group_by: 'campaign', is_final: true, is_truncated, data } });
  });
  const cells = async (text) => {
    const row = page.getByRole('row').filter({ hasText: text });
    return (await row.count()) ? row.getByRole('cell').allInnerTexts() : undefined;
  };
  const look = async () => {
    await page.goto(`${service}/console/reports?by=campaign`);
    await page.getByRole('row').filter({ hasText: 'both' }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
    return (await readFile(await file.path(), 'utf8')).trim().split('\r\n').slice(1);
  };
  truncated = 'now';
  assert.deepEqual(await look(), ['both,2,4', 'spring,3,0']);
  assert.deepEqual([await cells('lost'), await cells('spring')], [undefined, ['spring', '3', '0', 'new']]);
  truncated = 'before';
  assert.deepEqual(await look(), ['lost,0,900', 'both,2,4', 'spring,3,']);
  assert.deepEqual([await cells('lost'), await cells('spring')], [['lost', '0', '900', '−100 %'], ['spring', '3', 'unknown', '']]);
  await page.context().close();
});

test('what is typed above a report goes together with a range that is chosen, or is said to be no day', async () => {
  const { page } = await open('/console/reports', await newOwner());
  const query = (name) => new URL(page.url()).searchParams.get(name);
  const [first, campaign] = [page.getByLabel('First day'), page.getByLabel('Campaign')];
  await campaign.fill('spring');
  await page.getByRole('link', { name: 'Last month' }).click();
  await page.waitForURL('**campaign=spring**');
  const lastMonth = query('from');
  assert.equal(await page.getByRole('link', { name: 'Last month' }).getAttribute('aria-current'), 'true');
  await first.fill('0020-01-05');
  await page.getByText('This is not a complete date.').waitFor();
  assert.equal(await first.getAttribute('aria-invalid'), 'true');
  await campaign.fill('summer');
  await first.fill('2020-01-05');
  await page.waitForURL('**campaign=summer**');
  assert.deepEqual([query('from'), await page.getByText('This is not a complete date.').count()], ['2020-01-05', 0]);
  await first.fill('0020-01-05');
  await page.getByText('This is not a complete date.').waitFor();
  await page.getByRole('link', { name: 'Last month' }).click();
  await page.getByText('This is not a complete date.').waitFor({ state: 'detached' });
  assert.deepEqual([query('from'), await first.inputValue()], [lastMonth, lastMonth]);
  await typeOnAtNavigation(page, 'talogue');
  await campaign.fill('ca');
  await page.waitForURL('**campaign=catalogue**');
  await page.context().close();
});

test('a webhook is created, tested, changed and deleted, and its deliveries are seen', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'terse-'));
  const database = `sqlite://${join(directory, 'terse.db')}?mode=rwc`;
  const server = await serve(database, ['--webhooks', 'true', '--webhook-insecure', '--webhook-allow', '127.0.0.0/8']);
  const add = ['owner', 'add', 'acme', '--plan', 'pro', '--database-url', database];
  const key = (await run(process.env.TERSE, add)).stdout.trim();
  const received = [];
  const receiver = createServer((request, response) => {
    received.push(request.headers['webhook-id']);
    request.resume();
    response.end();
  });
  await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${receiver.address().port}/hook`;
  const { page, complaints } = await open('/console/webhooks', key, { origin: server.origin });
  await page.getByLabel('URL').fill(url);
  await page.keyboard.press('Enter');
  assert.match(await page.getByRole('alert').locator('code').innerText(), /^whsec_/);
  await page.getByRole('link', { name: url }).click();
  await page.getByRole('heading', { level: 1, name: url }).waitFor();
  await page.waitForTimeout(1500);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('status').filter({ hasText: 'status 200' }).waitFor();
  await page.getByLabel('Description').fill('crm');
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  const webhook = new URL(page.url()).pathname.replace('/console', '');
  await call(key, 'PATCH', webhook, { description: 'theirs' }, server.origin);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByRole('row', { name: 'Description crm theirs' }).waitFor();
  await page.getByRole('button', { name: 'Save mine' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  assert.equal((await call(key, 'GET', webhook, undefined, server.origin)).description, 'crm');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByRole('listitem').filter({ hasText: 'webhook.test' }).getByRole('button', { name: /Repeat/ }).click();
  await page.getByRole('status').filter({ hasText: 'delivered again' }).waitFor();
  await assertScreens(key, { webhooks: '/webhooks', webhook }, server.origin);
  const lost = [];
  await page.route('**/rotate', async (route) => {
    lost.push(await (await route.fetch()).json());
    await route.fulfill({ status: 503, headers: { 'Retry-After': '9' }, contentType: 'application/problem+json', body: JSON.stringify({ status: 503, code: 'unavailable', detail: 'Later.' }) });
  });
  const secret = page.getByRole('alert').locator('code');
  const rotate = page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' });
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await rotate.click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.unroute('**/rotate');
  await rotate.click();
  assert.deepEqual([await secret.innerText()], lost.map((response) => response.secret));
  await rotate.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await rotate.click();
  await rotate.waitFor({ state: 'detached' });
  assert.notEqual(await secret.innerText(), lost[0].secret);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks yet').waitFor();
  assert(received.length > 0);
  assert.deepEqual(complaints.filter((text) => !/412|503/.test(text)), []);
  await page.context().close();
  receiver.close();
  await server.stop();
  await rm(directory, { recursive: true });
});

test('many links are changed at once, after their number was asked', async () => {
  const key = await newOwner();
  for (const title of ['One', 'Two', 'Three']) await call(key, 'POST', '/links', { destination_url: 'https://example.org/', title });
  const { page, complaints } = await open('/console', key);
  await links(page).filter({ hasText: 'One' }).getByRole('checkbox').check();
  await links(page).filter({ hasText: 'Three' }).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Pause' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause: 2 links' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal((await call(key, 'GET', '/links?state=paused')).data.length, 0);
  await page.getByRole('button', { name: 'Pause' }).click();
  await dialog.getByRole('button', { name: 'Pause: 2 links' }).click();
  await page.getByRole('status').filter({ hasText: '2 links changed' }).waitFor();
  await links(page).filter({ hasText: 'One' }).getByText('paused').waitFor();
  await page.getByLabel('Choose all shown').check();
  await page.getByRole('button', { name: 'Set campaign' }).click();
  await page.getByRole('dialog').getByLabel('Campaign').fill('spring');
  await page.keyboard.press('Enter');
  await links(page).getByRole('link', { name: 'spring' }).nth(2).waitFor();
  await page.getByLabel('Choose all shown').check();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete: 3 links' }).click();
  await page.getByText('No links yet').waitFor();
  assert.deepEqual((await call(key, 'GET', '/links')).data, []);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('many links are pasted, checked, created, and what failed is said', async () => {
  const key = await newOwner();
  const { page, complaints } = await open('/console/paste', key);
  await call(key, 'POST', '/links', { destination_url: 'https://example.org/', custom_code: 'taken-already' }).catch(() => undefined);
  const many = Array.from({ length: 250 }, (_, index) => `https://example.org/${index},,"Title, ${index}"`);
  const text = ['url,code,title', ...many, 'https://example.org/again,taken-already,', 'no address,,'].join('\n');
  await page.getByLabel('Destinations').fill(text);
  await page.getByRole('status').filter({ hasText: '251 links ready, 1 not' }).waitFor();
  await page.getByText('A destination begins with').waitFor();
  await page.getByLabel('Campaign of those without one').fill('pasted');
  await page.getByRole('button', { name: 'Create 251 links' }).click();
  await page.getByRole('status').filter({ hasText: '250 of 251 links created, 1 failed' }).waitFor();
  const list = await call(key, 'GET', '/links?campaign=pasted&limit=1000');
  assert.equal(list.data.length, 250);
  assert(list.data.some((link) => link.title === 'Title, 7'));
  await page.getByRole('button', { name: 'Copy all short links' }).click();
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  assert.equal((await clipboard(page)).split('\n').length, 250);
  await page.getByRole('button', { name: 'Correct those that failed' }).click();
  assert.match(await page.getByLabel('Destinations').inputValue(), /again,taken-already/);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('pasted lines that are not valid, failed or were not sent stay, with the numbers of their lines', async () => {
  const { key } = await newLink({ custom_code: `taken-${Date.now()}` });
  const [{ short_code: taken }] = (await call(key, 'GET', '/links')).data;
  const { page } = await open('/console/paste', key);
  const lines = Array.from({ length: 450 }, (_, index) => `https://example.org/pasted/${index}`);
  lines[3] = '';
  lines[4] = 'no address';
  lines[5] = `https://example.org/again,${taken}`;
  await page.getByLabel('Destinations').fill(lines.join('\n'));
  await page.getByRole('row').filter({ hasText: 'no address' }).getByRole('cell', { name: '5', exact: true }).waitFor();
  const problem = (status) => ({ status, headers: { 'Retry-After': '9' }, contentType: 'application/problem+json', body: JSON.stringify({ status, code: 'other', detail: 'Not now.' }) });
  let batches = 0;
  await page.route('**/link-batches', async (route) => {
    batches += 1;
    if (batches === 5) return route.fulfill(problem(403));
    if (batches !== 2) return route.continue();
    await route.fetch();
    return route.fulfill(problem(503));
  });
  const status = (text) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const correct = page.getByRole('button', { name: 'Correct those that failed' });
  await page.getByRole('button', { name: 'Create 448 links' }).click();
  await page.getByRole('alert').getByText('cannot do this at the moment').waitFor();
  assert.equal(await correct.count(), 0, 'what may exist is not created under another key');
  await page.getByText('The server may have created more links than it reported.').waitFor();
  await status('199 of 448 links created, 1 failed, 48 not tried, 1 other line is not valid');
  await page.getByRole('row').filter({ hasText: 'no address' }).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  assert.equal((await readFile(await file.path(), 'utf8')).trim().split('\r\n').length, 450);
  await page.getByRole('button', { name: 'Try 249 links again' }).click();
  await status('399 of 448 links created, 1 failed, 48 not tried, 1 other line is not valid');
  assert.equal((await call(key, 'GET', '/links?limit=1000')).data.length, 400);
  await correct.click();
  const left = (await page.getByLabel('Destinations').inputValue()).trim().split('\n').slice(1);
  assert.deepEqual([left.length, left[0], left[1], left.at(-1)], [50, 'no address,,,', `${lines[5]},,`, `${lines[449]},,,`]);
  await page.route('**/link-batches', (route) => route.fulfill({ json: { data: [{ status: 503, problem: { status: 503, code: 'other', detail: 'Not now.' } }], event_id: null } }));
  await page.getByLabel('Destinations').fill('https://example.org/one');
  await page.getByRole('button', { name: 'Create 1 link' }).click();
  await status('0 of 1 link created, 1 failed');
  assert.equal(await correct.count(), 0, 'a link that may exist is not created under another key');
  await page.context().close();
});

test('commas in pasted lines separate cells, except where the second cell cannot be a code', async () => {
  const { page } = await open('/console/paste', await newOwner());
  const destinations = page.getByLabel('Destinations');
  const commas = page.getByLabel('Commas and semicolons are part of the URLs');
  const cell = (name) => page.getByRole('cell', { name, exact: true });
  await destinations.fill('https://example.org/@48.1,11.5,9z');
  await cell('example.org/@48.1,11.5,9z').waitFor();
  assert(await commas.isChecked());
  await destinations.fill('https://example.org/a,spring,Spring\nhttps://example.org/b,summer,Summer');
  for (const name of ['example.org/a', 'spring', 'Spring', 'example.org/b', 'summer', 'Summer']) await cell(name).waitFor();
  assert(!(await commas.isChecked()));
  await commas.check();
  await cell('example.org/a,spring,Spring').waitFor();
  await page.context().close();
});

test('a key is created, shown once, and revoked', async () => {
  const { page, complaints } = await open('/console/account', await newOwner());
  const form = page.getByRole('form', { name: 'Create a key' });
  await form.getByLabel('Label').fill('crm');
  await form.getByLabel('Scope').selectOption('read');
  await form.getByRole('button', { name: 'Create key' }).click();
  const secret = await page.getByRole('alert').locator('code').innerText();
  assert.deepEqual((await call(secret, 'GET', '/links')).data, []);
  await page.getByRole('button', { name: 'Revoke the key crm' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row').filter({ hasText: 'crm' }).getByText('revoked').waitFor();
  await page.reload();
  await page.getByRole('row').filter({ hasText: 'crm' }).waitFor();
  assert(!(await page.content()).includes(secret));
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('what the scope of a key forbids is not shown', async () => {
  const { key, code } = await newLink();
  const scoped = async (scope) => (await call(key, 'POST', '/keys', { scope })).secret;
  const reader = await open(`/console/links/${code}`, await scoped('read'));
  await reader.page.getByRole('heading', { level: 1, name: code }).waitFor();
  assert.equal(await reader.page.getByRole('button', { name: /Pause|Delete|Save/ }).count(), 0);
  await reader.page.waitForLoadState('networkidle');
  await reader.page.goto(`${service}/console`);
  await links(reader.page).first().waitFor();
  assert.equal(await reader.page.getByLabel('Destination').count(), 0);
  assert.deepEqual(reader.complaints, []);
  const creator = await open('/console', await scoped('create'));
  await creator.page.getByLabel('Destination').waitFor();
  assert.deepEqual(await creator.page.getByRole('navigation').getByRole('link').allInnerTexts(), ['Links', 'Paste many', 'Account']);
  await creator.page.getByLabel('Destination').fill('example.org/without-scheme');
  await creator.page.keyboard.press('Enter');
  await creator.page.getByText('→ example.org/without-scheme').waitFor();
  assert.equal(await creator.page.getByRole('main').getByRole('link').count(), 0);
  await creator.page.goto(`${service}/console/account`);
  await creator.page.getByRole('heading', { name: 'This key' }).waitFor();
  assert.deepEqual(creator.complaints, []);
  await reader.page.context().close();
  await creator.page.context().close();
});

test('the key is in no address, and goes with the tab or the button', async () => {
  const key = await newOwner();
  const { page } = await visit('/console/account', screens.desktop);
  const addresses = [];
  page.on('request', (request) => addresses.push(request.url() + (request.headers().referer ?? '')));
  await page.getByLabel('API key').fill('terse_wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('does not accept').waitFor();
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('Remember it on this device').check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${service}/console`);
  await other.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length + localStorage.length), 0);
  assert(addresses.length > 0 && addresses.every((address) => !address.includes(key)));
  assert.deepEqual(await page.context().cookies(), []);
  await page.context().close();
});

test('signing out holds for all tabs that have the key, and for no other key', async () => {
  const [key, other] = [await newOwner(), await newOwner()];
  const { page } = await visit('/console', screens.desktop);
  const second = await page.context().newPage();
  const enter = async (tab, given, isRemembered) => {
    // A tab in the background is slow.
    await tab.bringToFront();
    await tab.getByLabel('API key').fill(given);
    await tab.getByLabel('Remember it on this device').setChecked(isRemembered);
    await tab.getByRole('button', { name: 'Sign in' }).click();
  };
  const signOut = (tab) => tab.getByRole('button', { name: 'Sign out' });
  for (const given of ['', '“terse_abc”']) {
    await enter(page, given, true);
    await page.getByText('This is not a key').waitFor();
  }
  await enter(page, key, true);
  await signOut(page).waitFor();
  await second.goto(`${service}/console`);
  await signOut(second).waitFor();
  await page.bringToFront();
  await signOut(page).click();
  await second.getByLabel('API key').waitFor();
  await enter(second, other, true);
  await signOut(second).waitFor();
  await enter(page, key, false);
  await signOut(page).click();
  await page.getByLabel('API key').waitFor();
  await page.context().route('**/api/manage/v1/owner', (route) => route.fulfill({
    status: 503, headers: { 'Retry-After': '9' }, contentType: 'application/problem+json', body: JSON.stringify({ status: 503, code: 'unavailable', detail: 'Later.' }),
  }));
  await second.bringToFront();
  await second.reload();
  await second.getByRole('button', { name: 'Try again' }).waitFor();
  await page.context().unroute('**/api/manage/v1/owner');
  await second.getByRole('button', { name: 'Try again' }).click();
  await second.getByRole('navigation').waitFor();
  await page.context().close();
});

test('QR codes are drawn as they are set, and downloaded', async () => {
  const { key, code } = await newLink();
  const { page, complaints } = await open(`/console/links/${code}`, key);
  await page.getByLabel('Foreground').fill('#aa0000');
  const image = page.getByRole('img', { name: /QR code that leads to/ });
  assert.equal(await image.locator('path').nth(1).getAttribute('fill'), '#aa0000');
  await page.getByLabel('Public address of the image').check();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByText(`/${code}/qr.svg`).waitFor();
  const served = await (await fetch(`${service}/${code}/qr.svg`)).text();
  assert.match(served, /#aa0000/i);
  for (const kind of ['SVG', 'PNG']) {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Download ${kind}` }).click(),
    ]);
    assert.equal(file.suggestedFilename(), `qr-${code}.${kind.toLowerCase()}`);
    if (kind === 'PNG') assert.equal((await readFile(await file.path())).readUInt32BE(16), 512);
  }
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('every screen is accessible, fits, keeps to its policy and is safe from hostile texts', async () => {
  const key = await newOwner();
  const { short_code: code } = await call(key, 'POST', '/links', {
    destination_url: 'https://example.org/"><img src=x onerror=alert(1)>', title: hostile, campaign: '<b>&amp;</b>',
  });
  await call(key, 'POST', '/keys', { scope: 'read', label: '<i>label</i>' });
  const paths = { links: '', link: `/links/${code}`, paste: '/paste', account: '/account', reports: '/reports' };
  await assertScreens(key, paths, service, async (page, name) => {
    if (name === 'links') await links(page).first().getByText('<img src=x').first().waitFor();
    assert.doesNotMatch(await page.title(), /broken/);
  });
});

/** Looks at screens on all devices, light and dark: they fit, are accessible, and keep to the policy. */
async function assertScreens(key, paths, origin, check = async () => {}) {
  for (const [device, screen] of Object.entries({ ...screens, narrow: { viewport: { width: 360, height: 740 } } })) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, complaints } = await open('/console', key, { origin, screen: { ...screen, colorScheme } });
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(`${origin}/console${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await check(page, name);
        assert(!(await isTooWide(page)), `${name} fits on ${device}`);
        await assertAccessible(page, `${name}, ${device}, ${colorScheme}`);
        await screenshot(page, { path: `console-${name}-${device}-${colorScheme}.png`, fullPage: name !== 'links' });
      }
      assert.deepEqual(complaints, [], `${device}, ${colorScheme}`);
      await page.context().close();
    }
  }
}

test('one of 100,000 links is found by a word of its title', async () => {
  const key = await newOwner('unlimited');
  const link = (number) => ({ destination_url: `https://example.org/${number}`, title: number === 7 ? 'A needle' : `Hay ${number}` });
  for (let batch = 0; batch < 100; batch += 1) {
    const numbers = Array.from({ length: 1000 }, (_, index) => batch * 1000 + index);
    await call(key, 'POST', '/link-batches', { links: numbers.map(link) });
  }
  const { page, complaints } = await open('/console', key);
  await links(page).first().waitFor();
  const started = performance.now();
  await page.getByRole('searchbox', { name: 'Search' }).fill('needle');
  await links(page).getByText('A needle').waitFor();
  console.log(`measured: found one of 100,000 links in ${Math.round(performance.now() - started)} ms`);
  await page.getByRole('status').filter({ hasText: /^1 link, newest first$/ }).waitFor();
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('only files of the console load and run', async () => {
  const { page, response, complaints } = await visit('/console/links/anything?q=1', screens.desktop);
  await assertClosed(page, response, complaints);
  await page.context().close();
});

/** Lets the server reject a key from now on, which it still accepts in other tests. */
const reject = (pages, key) => pages.route('**/api/**', (route) => {
  if (route.request().headers().authorization !== `Bearer ${key}`) return route.fallback();
  return route.fulfill({ status: 401, contentType: 'application/problem+json', body: JSON.stringify({ status: 401, code: 'unauthorized', detail: 'No such key.' }) });
});

/** Creates an owner with two keys. */
async function newKeys() {
  const key = await newOwner();
  return [key, (await call(key, 'POST', '/keys', { scope: 'full' })).secret];
}

const rejection = (page) => page.getByText('The server no longer accepts your key');

test('a key that is rejected in a dialog leads to the form, and back to what was typed in the dialog', async () => {
  const [key, other] = await newKeys();
  await call(key, 'POST', '/links', { destination_url: 'https://example.org/' });
  const { page } = await open('/console', other);
  await page.getByLabel('Choose all shown').check();
  await page.getByRole('button', { name: 'Set campaign' }).click();
  const campaign = page.getByRole('dialog').getByLabel('Campaign');
  await campaign.fill('spring');
  await reject(page, other);
  await page.keyboard.press('Enter');
  await rejection(page).waitFor();
  const input = page.getByLabel('API key');
  await page.waitForFunction(() => document.activeElement.name === 'key');
  await input.click();
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement.name === 'key');
  await assertAccessible(page, 'rejected');
  await page.keyboard.insertText(key);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.name === 'campaign');
  assert.equal(await campaign.inputValue(), 'spring');
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: '1 link changed' }).waitFor();
  assert.equal((await call(key, 'GET', '/links')).data[0].campaign, 'spring');
  await page.context().close();
});

test('a remembered key that is rejected in one tab loses nothing in another', async () => {
  const [key, other] = await newKeys();
  const { page } = await visit('/console/account', screens.desktop);
  await page.getByLabel('Remember it on this device').check();
  await signIn(page, other);
  const second = await page.context().newPage();
  await second.goto(`${service}/console`);
  await second.getByLabel('Destination').fill('https://example.org/typed');
  await reject(page.context(), other);
  await page.bringToFront();
  await page.reload();
  await page.getByRole('alert').getByText('does not accept').waitFor();
  await second.bringToFront();
  await rejection(second).waitFor();
  await signIn(second, key);
  assert.equal(await second.getByLabel('Destination').inputValue(), 'https://example.org/typed');
  await page.context().close();
});

test('a list goes on with the new key, which late responses to the old one leave alone', async () => {
  const [key, other] = await newKeys();
  await call(key, 'POST', '/link-batches', { links: Array.from({ length: 60 }, () => ({ destination_url: 'https://example.org/' })) });
  const { page } = await open('/console', other);
  await links(page).nth(24).waitFor();
  await reject(page, other);
  let respond;
  const isSignedIn = new Promise((done) => (respond = done));
  await page.route('**/links?*cursor=*', async (route) => {
    if (route.request().headers().authorization === `Bearer ${other}`) await isSignedIn;
    await route.fallback();
  });
  const more = page.getByRole('button', { name: 'Show more' });
  await more.click();
  await page.getByLabel('Destination').fill('https://example.org/typed');
  await page.keyboard.press('Enter');
  await rejection(page).waitFor();
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await more.waitFor();
  respond();
  await page.getByRole('alert').getByText('The server does not accept this key.').waitFor();
  assert.equal(await rejection(page).count(), 0);
  await more.click();
  await links(page).nth(49).waitFor();
  assert.equal(await rejection(page).count(), 0);
  await page.context().close();
});

test('a change of many links that stops is not said to be done, and the same request goes on', async () => {
  const key = await newOwner();
  await call(key, 'POST', '/links', { destination_url: 'https://example.org/' });
  const { page } = await open('/console', key);
  const keys = [];
  await page.route('**/link-changes', async (route) => {
    const response = await route.fetch();
    const isFirst = keys.push(route.request().headers()['idempotency-key']) === 1;
    await route.fulfill({ response, json: { ...(await response.json()), ...(isFirst && { status: 'stopped' }) } });
  });
  await page.getByLabel('Choose all shown').check();
  await page.getByRole('button', { name: 'Pause' }).click();
  const pause = page.getByRole('dialog').getByRole('button', { name: 'Pause: 1 link' });
  await pause.click();
  await page.getByRole('alert').getByText('The change stopped before it was complete.').waitFor();
  await pause.click();
  await page.getByRole('status').filter({ hasText: '1 link changed' }).waitFor();
  assert.deepEqual(keys, [keys[0], keys[0]]);
  await page.context().close();
});
