// The operator's console, used as people use it: by roles and labels, some of it with the keyboard alone.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { serve } from './server.mjs';
import { assertAccessible, assertClosed, closeBrowser, hostile, isTooWide, screens, screenshot, signIn, tabTo, visit } from './visitor.mjs';

const run = promisify(execFile);

// The server has the same database as that of the other tests, unless only one process can have it.
const given = process.env.TERSE_DATABASE_URL;
const directory = await mkdtemp(join(tmpdir(), 'terse-'));
const database = given.startsWith('postgres') ? given : `sqlite://${join(directory, 'terse.db')}?mode=rwc`;
const { origin, operator, stop } = await serve(database, ['--operator-listen', '127.0.0.1:0']);
after(async () => {
  await closeBrowser();
  await stop();
  await rm(directory, { recursive: true });
});

const unique = (name) => `${name}-${Math.random().toString(36).slice(2, 8)}`;
const terse = async (...words) => (await run(process.env.TERSE, [...words, '--database-url', database])).stdout.trim();
const newKey = (role) => terse('operator', 'add', unique(role), '--role', role);
const admin = await newKey('admin');

/** Lets a page that reads on do so now. */
const readOn = (page) => page.clock.fastForward(5000);

/** Calls an operation of an interface, and returns the body of the response. */
async function call(method, path, body, key = admin, interfaceUrl = `${operator}/api/operator/v1`) {
  const response = await fetch(interfaceUrl + path, {
    method,
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert(response.ok, `${method} ${path}: ${text}`);
  return text && JSON.parse(text);
}

/** Waits until a change has reached the server, which takes up to a second, or more on a busy machine. */
async function withinSeconds(isTrue) {
  for (let attempt = 0; !(await isTrue()); attempt++) {
    assert(attempt < 100, 'the change does not take effect');
    await new Promise((passed) => setTimeout(passed, 100));
  }
}

/** Creates an owner with a key, and returns both. */
async function newOwner(name = unique('acme')) {
  const { key, ...owner } = await call('POST', '/owners', { name, plan_name: 'unlimited', key: { scope: 'full' } });
  return { ...owner, key: key.secret };
}

/** Creates links of an owner, and returns their codes. */
async function newLinks(key, links) {
  const created = await call('POST', '/link-batches', { links }, key, `${origin}/api/manage/v1`);
  return created.data.map(({ link }) => link.short_code);
}

const statusOf = async (code) => (await fetch(`${origin}/${code}`, { redirect: 'manual' })).status;

/** Waits until links have these statuses. */
const haveStatuses = (codes, expected) => withinSeconds(async () => String(await Promise.all(codes.map(statusOf))) === String(expected));

/** Opens a screen, and signs in. */
async function open(path, key = admin, screen = screens.desktop) {
  const visited = await visit(path, screen, operator);
  await signIn(visited.page, key);
  return visited;
}

test('the start page says whether all is well, and follows the server', async () => {
  const { key } = await newOwner();
  const { page, complaints } = await open('/console', await newKey('auditor'));
  await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'All is well.' }).waitFor();
  const figure = async (label) => Number((await page.locator('dt', { hasText: new RegExp(`^${label}$`) }).locator('+ dd strong').innerText()).replaceAll(',', ''));
  await page.clock.install();
  await page.reload();
  const [clicks, links] = [await figure('Redirects'), await figure('Links created')];
  const [code] = await newLinks(key, [{ destination_url: 'https://example.org/' }]);
  await statusOf(code);
  await readOn(page);
  await withinSeconds(async () => (await figure('Redirects')) > clicks && (await figure('Links created')) > links);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('the start page warns of a read-only database and of a server that does not respond', async () => {
  const file = join(directory, 'other.db');
  const rights = (mode, port) => serve(`sqlite://${file}?mode=${mode}`, ['--operator-listen', `127.0.0.1:${port}`]);
  let other = await rights('rwc', 0);
  const secret = (await run(process.env.TERSE, ['operator', 'add', 'watch', '--role', 'auditor', '--database-url', `sqlite://${file}`])).stdout.trim();
  await run(process.env.TERSE, ['backup', directory, '--database-url', `sqlite://${file}`]);
  const { page } = await visit('/console', screens.desktop, other.operator);
  await signIn(page, secret);
  await page.clock.install();
  await page.reload();
  await page.getByText('All is well.').waitFor();
  await page.locator('dt', { hasText: 'Last backup' }).locator('+ dd').filter({ hasText: String(new Date().getFullYear()) }).waitFor();
  const { port } = new URL(other.operator);
  await other.stop();
  await readOn(page);
  await page.getByRole('alert').getByText('The server does not respond.').waitFor();
  other = await rights('ro', port);
  await readOn(page);
  await page.getByText('The database accepts no changes').waitFor();
  await other.stop();
  other = await rights('rw', port);
  await readOn(page);
  await page.getByText('All is well.').waitFor();
  await page.context().close();
  await other.stop();
});

test('a customer comes from nothing to the first link with one form', async () => {
  const { page, complaints } = await open('/console/customers');
  const form = page.getByRole('form', { name: 'New customer' });
  const name = unique('acme');
  const host = `${name}.example`;
  for (const [label, text] of [['Name', name], ['Label of the first key', 'shop'], ['Domain', host], ['Start page', 'https://www.example.org/']]) {
    await tabTo(page, form.getByLabel(label, { exact: label === 'Name' }));
    await page.keyboard.insertText(text);
  }
  await form.getByLabel('Plan').selectOption('pro');
  await page.keyboard.press('Enter');
  const secret = await page.getByRole('alert').locator('code').innerText();
  await withinSeconds(async () => {
    const created = await call('POST', '/links', { destination_url: 'https://example.org/first' }, secret, `${origin}/api/manage/v1`);
    return new URL(created.short_url).hostname === host;
  });
  await page.getByText('Created the customer').getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByRole('row').filter({ hasText: host }).getByText('default').waitFor();
  await page.getByRole('row').filter({ hasText: 'shop' }).waitFor();
  assert.equal(await page.getByRole('form', { name: 'Properties' }).getByLabel('Plan').inputValue(), 'pro');
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('a double click makes one customer, and a domain that fails leaves the customer', async () => {
  const taken = unique('taken');
  const { id } = await newOwner();
  await call('POST', '/domains', { host: `${taken}.example`, owner_id: id });
  const { page } = await open('/console/customers');
  const form = page.getByRole('form', { name: 'New customer' });
  const name = unique('twice');
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByLabel('Domain').fill(`${taken}.example`);
  await form.getByRole('button', { name: 'Create customer' }).dblclick();
  await page.getByRole('alert').getByText('But the domain was not added').waitFor();
  await page.getByRole('alert').locator('code').waitFor();
  assert.equal((await call('GET', `/owners?name=${name}`)).data.length, 1);
  await form.getByLabel('Name', { exact: true }).fill(name);
  await page.keyboard.press('Enter');
  await form.locator('[aria-invalid=true]').or(form.getByRole('alert')).first().waitFor();
  const domain = page.getByRole('form', { name: 'New domain' });
  assert.equal(await domain.getByLabel('Domain').inputValue(), `${taken}.example`, 'what was typed stays');
  await domain.getByLabel('Domain').fill(`${name}.example`);
  await page.keyboard.press('Enter');
  await domain.waitFor({ state: 'detached' });
  assert.equal((await call('GET', `/domains/${name}.example`)).owner_name, name);
  await page.context().close();
});

test('a phishing campaign of 1,000 links over three owners is found from one link, taken down and undone', async () => {
  const host = `${unique('evil')}.example`;
  const owners = [];
  const codes = [];
  for (const count of [600, 300, 100]) {
    const owner = await newOwner(unique('mallory'));
    const links = Array.from({ length: count }, (_, index) => ({ destination_url: `https://${host}/login/${index}` }));
    codes.push(...(await newLinks(owner.key, links)));
    owners.push(owner);
  }
  const [innocent] = await newLinks(owners[0].key, [{ destination_url: 'https://example.org/' }]);
  const { page, complaints } = await open('/console/takedown');
  await tabTo(page, page.getByLabel('What was reported'));
  await page.keyboard.insertText(`${origin}/${codes[7]}`);
  await page.keyboard.press('Enter');
  await page.getByText('1 link of 1 customer, 1 not disabled yet').waitFor();
  await page.getByText('1,000 links of 3 customers, 1,000 not disabled yet').waitFor();
  await page.getByLabel(`All that leads to ${host}`).check();
  const form = page.getByRole('form', { name: 'Takedown' });
  await form.getByLabel(`Block ${host}`).check();
  await form.getByLabel(`Suspend the customer ${owners[2].name}`).check();
  const id = unique('T');
  await form.getByLabel('Case').fill(id);
  await form.getByRole('button', { name: 'disable 1,000 links, block 1 host, suspend 1 customer' }).click();
  await page.getByRole('heading', { name: `What was done in the case ${id}` }).waitFor();
  await page.getByText('1,000 links of 3 customers, 0 not disabled yet').waitFor();
  await haveStatuses([codes[7], codes[999], innocent], [410, 410, 302]);
  const events = (await call('GET', `/events?case_id=${id}`)).data;
  assert.deepEqual(events.map(({ action }) => action).sort(), ['block add', 'link disable', 'link disable', 'owner suspend']);
  assert.equal(events.reduce((sum, { action, changed }) => sum + (action === 'link disable' ? changed : 0), 0), 1000);
  assert((await call('GET', `/owners/${owners[2].id}`)).is_suspended);
  // The next day, from the history.
  await page.goto(`${operator}/console/history?case_id=${id}`);
  const listed = page.getByRole('list', { name: 'History' }).getByRole('listitem');
  await page.getByLabel('Action').selectOption('owner suspend');
  await page.getByLabel('By', { exact: true }).selectOption('operator key');
  await page.getByLabel('Since').fill(new Date().toISOString().slice(0, 10));
  await page.waitForURL(/action=owner\+suspend&actor_type=operator_key&since=/);
  await listed.nth(1).waitFor({ state: 'detached' });
  assert.match(await listed.innerText(), /owner suspend/);
  await page.getByLabel('Action').selectOption('Any');
  await listed.nth(events.length - 1).waitFor();
  for (const event of events) {
    await page.getByRole('button', { name: `Undo event ${event.id}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    // On a busy machine, 1,000 links take their time, and nothing else can be undone meanwhile.
    await page.getByRole('dialog').waitFor({ state: 'detached', timeout: 60_000 });
    await page.getByText('runs', { exact: true }).waitFor({ state: 'detached', timeout: 180_000 });
  }
  await page.getByText('undo', { exact: true }).nth(events.length - 1).waitFor();
  await haveStatuses([codes[7], codes[999]], [302, 302]);
  assert(!(await call('GET', `/owners/${owners[2].id}`)).is_suspended);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('a destination that is pasted is taken down alone, and what a failure leaves to do is said', async () => {
  const host = `${unique('shop')}.example`;
  const owner = await newOwner();
  const [code, innocent] = await newLinks(owner.key, ['phish?a=1,2', 'fine'].map((path) => ({ destination_url: `https://${host}/${path}` })));
  const { page } = await open('/console/takedown');
  const reported = page.getByLabel('What was reported');
  await reported.fill(`https://${host}/phish?a=1,2`);
  await page.keyboard.press('Shift+Enter');
  assert.equal(await reported.inputValue(), `https://${host}/phish?a=1,2\n`, 'Shift+Enter begins a line');
  await page.keyboard.press('Enter');
  const isTicked = (label) => page.getByLabel(label, { exact: true }).isChecked();
  await page.getByLabel(`All that leads to exactly https://${host}/phish?a=1,2`).waitFor();
  assert(await isTicked(`All that leads to exactly https://${host}/phish?a=1,2`));
  assert(!(await isTicked(`All that leads to ${host}`)) && !(await isTicked(`Block ${host}`)));
  await page.getByLabel(`Suspend the customer ${owner.name}`).check();
  await page.route('**/suspend', (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '9' }, contentType: 'application/problem+json', body: JSON.stringify({ status: 429, code: 'rate-limited', detail: 'Later.' }) }));
  const takeDown = page.getByRole('button', { name: 'Disable 1 link, suspend 1 customer' });
  await takeDown.click();
  await page.getByText('A part of this was done').waitFor();
  assert.doesNotMatch((await page.getByRole('alert').allInnerTexts()).join(), /Nothing was changed/);
  const done = page.getByRole('list', { name: 'History' }).getByRole('listitem');
  await done.filter({ hasText: 'link disable' }).waitFor();
  await page.unroute('**/suspend');
  await takeDown.click();
  await done.filter({ hasText: 'owner suspend' }).waitFor();
  assert.equal(await done.count(), 2, 'what was done is not done again');
  await haveStatuses([code, innocent], [410, 410]);
  assert.equal((await call('GET', `/links/${innocent}`)).state, 'owner-suspended');
  await done.filter({ hasText: 'link disable' }).getByRole('button', { name: /^Undo event/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 link of 1 customer, 1 not disabled yet').waitFor();
  await done.filter({ hasText: 'link disable' }).getByRole('button', { name: /^Undo event/ }).waitFor({ state: 'detached' });
  await page.context().close();
});

test('hosts and many codes are found, and what leads nowhere is named', async () => {
  const { key, name } = await newOwner();
  const host = `${unique('bad')}.example`;
  const codes = await newLinks(key, Array.from({ length: 150 }, (_, index) => ({ destination_url: `https://www.${host}/${index}` })));
  const { page } = await open(`/console/takedown?q=hxxps://www.${host.replace('.', '[.]')}/7`);
  await page.getByLabel(`All that leads to www.${host}`).waitFor();
  await page.getByText('150 links of 1 customer, 150 not disabled yet').waitFor();
  const pasted = page.getByLabel('What was reported');
  await pasted.fill([...codes, 'no-such-code', `${origin}/nor-this`].join('\n'));
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('2 of these lead to no link: no-such-code').waitFor();
  await page.getByRole('button', { name: 'disable 150 links' }).click();
  await page.getByRole('status').filter({ hasText: 'Taken down' }).waitFor();
  await page.getByText('150 links of 1 customer, 0 not disabled yet').first().waitFor();
  await page.getByRole('row').getByRole('link', { name }).first().waitFor();
  assert.equal((await call('GET', `/links?host=${host}&state=disabled&limit=1000`)).data.length, 150);
  await page.context().close();
});

test('what is wrong is said at its field, whatever the interface calls it, and half a number is none', async () => {
  const { page } = await open('/console/operator-keys');
  const said = async (field, text) => {
    await page.getByText(text, { exact: true }).waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true', text);
    assert.equal(await page.getByRole('alert').count(), 0, text);
  };
  await page.getByRole('button', { name: 'Create key' }).click();
  await said(page.getByLabel('Name'), 'must not be empty');
  await page.getByRole('link', { name: 'Blocks' }).click();
  const block = page.getByRole('form', { name: 'New pattern' });
  await block.getByLabel('Note').fill('n'.repeat(1001));
  await block.getByLabel('Pattern').fill('blocked.example');
  await block.getByRole('button', { name: 'Save' }).click();
  await said(block.getByLabel('Note'), 'must not be longer than 1000 characters');
  await block.getByLabel('Pattern').fill('');
  await page.getByRole('link', { name: 'Plans' }).click();
  const plan = page.getByRole('form', { name: 'New plan' });
  const name = unique('half');
  await plan.getByLabel('Name').fill(name);
  await plan.getByLabel('Links at most').focus();
  await page.keyboard.type('1e');
  await page.keyboard.press('Enter');
  await said(plan.getByLabel('Links at most'), 'This is not a number. Correct or remove it.');
  assert(!(await call('GET', '/plans')).data.some((one) => one.name === name));
  await page.context().close();
});

test('addresses without a number lead to no page', async () => {
  const { page } = await open('/console/customers');
  for (const segment of ['customers', 'history']) {
    await page.goto(`${operator}/console/${segment}/abc`);
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  }
  await page.context().close();
});

test('what a leaked key created is found and taken down', async () => {
  const owner = await newOwner();
  const leaked = await call('POST', `/owners/${owner.id}/keys`, { scope: 'edit', label: 'leaked' });
  const [own] = await newLinks(owner.key, [{ destination_url: 'https://example.org/own' }]);
  const bad = await newLinks(leaked.secret, Array.from({ length: 20 }, (_, index) => ({ destination_url: `https://example.org/${index}` })));
  const { page, complaints } = await open(`/console/customers?q=${owner.name.slice(2)}`);
  await page.getByRole('link', { name: owner.name }).click();
  const row = page.getByRole('row').filter({ hasText: 'leaked' });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('revoked').waitFor();
  await row.getByRole('link', { name: 'Its links' }).click();
  await page.getByText('20 links of 1 customer, 20 not disabled yet').first().waitFor();
  await page.getByRole('button', { name: 'Disable 20 links', exact: true }).click();
  await page.getByRole('status').filter({ hasText: 'Taken down' }).waitFor();
  await haveStatuses([bad[0], bad[19], own], [410, 410, 302]);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('an event shows the values before and after it', async () => {
  const { key } = await newOwner();
  const [code] = await newLinks(key, [{ destination_url: 'https://example.org/old' }]);
  await call('PATCH', `/links/${code}`, { destination_url: 'https://example.org/new', title: 'Spring' });
  const { page, complaints } = await open(`/console/history?short_code=${code}`, await newKey('auditor'));
  await page.getByRole('link', { name: /^Event \d+$/ }).first().click();
  const cells = page.getByRole('row').filter({ hasText: code }).getByRole('cell');
  await cells.first().waitFor();
  const [, before, after] = await cells.allInnerTexts();
  assert.deepEqual([before, after].map((text) => text.split(/\s*\n\s*/)), [
    ['destination_url https://example.org/old', 'title null'], ['destination_url https://example.org/new', 'title Spring'],
  ]);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('two operators who work on the same customer see each other', async () => {
  const { id, name } = await newOwner();
  const { page } = await open(`/console/customers/${id}`);
  const form = page.getByRole('form', { name: 'Properties' });
  await form.getByLabel('Fallback').fill('https://example.org/mine');
  await form.getByLabel('Plan').selectOption('pro');
  await call('PATCH', `/owners/${id}`, { name: `${name}-2`, plan_name: 'free' });
  await form.getByRole('button', { name: 'Save' }).click();
  const conflict = form.getByRole('alert');
  await conflict.getByText('Changed meanwhile').waitFor();
  const cells = (text) => conflict.getByRole('row').filter({ hasText: text }).getByRole('cell').allInnerTexts();
  assert.deepEqual(await cells('Plan'), ['pro', 'free']);
  assert.deepEqual(await cells('Name'), ['unchanged', `${name}-2`]);
  await conflict.getByRole('button', { name: 'Save mine' }).click();
  await page.getByRole('heading', { level: 1, name: `${name}-2` }).waitFor();
  const saved = await call('GET', `/owners/${id}`);
  assert.deepEqual([saved.name, saved.plan_name, saved.fallback_url], [`${name}-2`, 'pro', 'https://example.org/mine']);
  await page.context().close();
});

test('a customer is suspended with a reason, resumed, and deleted', async () => {
  const { id, name, key } = await newOwner();
  const [code] = await newLinks(key, [{ destination_url: 'https://example.org/' }]);
  const { page, complaints } = await open(`/console/customers/${id}`);
  const dialog = page.getByRole('dialog');
  for (const [button, status] of [['Suspend', 410], ['Resume', 302], ['Suspend', 410]]) {
    await page.getByRole('button', { name: button, exact: true }).click();
    await dialog.getByLabel('Reason').selectOption('spam');
    await dialog.getByLabel('Case').fill('T-7');
    await dialog.getByRole('button', { name: button }).click();
    await dialog.waitFor({ state: 'detached' });
    await haveStatuses([code], [status]);
  }
  await page.getByText(/^Suspended since .*: spam/).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  assert(await dialog.getByRole('button', { name: 'Delete' }).isDisabled(), 'the name has to be typed');
  await dialog.getByLabel('To delete it').fill(name);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/customers');
  assert.deepEqual((await call('GET', `/owners?name=${name}`)).data, []);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('the bill of a month is a CSV whose sums are those of the interface', async () => {
  const { id, name, key } = await newOwner(`${unique('quote"')}, Inc.`);
  const [code] = await newLinks(key, [{ destination_url: 'https://example.org/' }, { destination_url: 'https://example.org/' }]);
  for (let click = 0; click < 3; click += 1) await statusOf(code);
  const month = new Date().toISOString().slice(0, 7);
  const { page, complaints } = await open(`/console/bills?month=${month}`);
  await page.getByText('not final yet').waitFor();
  await page.getByRole('row').filter({ hasText: name }).getByText('unlimited').waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
  const [header, ...lines] = (await readFile(await file.path(), 'utf8')).replace('\ufeff', '').trim().split('\r\n');
  const columns = header.split(',');
  const cells = lines.map((line) => [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) => cell));
  const sum = (column) => cells.reduce((total, row) => total + Number(row[columns.indexOf(column)]), 0);
  const usage = (await call('GET', `/usage?month=${month}`)).data;
  for (const figure of ['links_created', 'links', 'clicks']) {
    assert.equal(sum(figure), usage.reduce((total, row) => total + row[figure], 0), figure);
  }
  const own = cells.find((row) => row[columns.indexOf('owner_id')] === String(id));
  assert.deepEqual(['links_created', 'clicks', 'plan_name'].map((column) => own[columns.indexOf(column)]), ['2', '3', 'unlimited']);
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('a host is blocked, made an exception and removed; a plan, a domain and an operator key are managed', async () => {
  const host = `${unique('block')}.example`;
  const { page, complaints } = await open('/console/blocks');
  const dialog = page.getByRole('dialog');
  const form = page.getByRole('form', { name: 'New pattern' });
  await form.getByLabel('Pattern').fill(`${host}, https://${host}/fine`);
  await form.getByLabel('Reason').selectOption('malware');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row').filter({ hasText: `${host}/fine` }).waitFor();
  const search = page.getByRole('searchbox', { name: 'Search patterns' });
  await search.fill('no such pattern');
  await page.getByText('There is no such pattern.').waitFor();
  await search.fill(`${host.toUpperCase()}/F`);
  await page.getByRole('row').filter({ hasText: `${host}/fine` }).waitFor();
  assert.equal(await page.getByRole('row').filter({ hasText: host }).count(), 1);
  await search.fill('');
  await page.getByRole('textbox', { name: 'Is this destination blocked?' }).fill(`https://www.${host}/x`);
  await withinSeconds(async () => {
    await page.keyboard.press('Enter');
    await page.waitForLoadState('networkidle');
    return page.getByText(`Blocked because of ${host}: malware.`).isVisible();
  });
  await page.getByRole('button', { name: `Remove ${host}`, exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('row').filter({ hasText: host }).nth(1).waitFor({ state: 'detached' });
  await withinSeconds(async () => !(await call('GET', `/block-check?url=https://${host}/`)).is_blocked);

  const plan = unique('gold');
  await page.getByRole('link', { name: 'Plans' }).click();
  await page.getByRole('form', { name: 'New plan' }).getByLabel('Name').fill(plan);
  await page.getByRole('form', { name: 'New plan' }).getByLabel('Requests').fill('20/s');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Edit ${plan}` }).click();
  await dialog.getByLabel('Links at most').fill('50000');
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: plan }).getByText('50,000').waitFor();
  assert.deepEqual((({ max_links, request_rate, custom_codes }) => [max_links, request_rate, custom_codes])(await call('GET', `/plans/${plan}`)), [50000, '20/s', true]);
  await page.getByRole('button', { name: `Remove ${plan}` }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('row').filter({ hasText: plan }).waitFor({ state: 'detached' });

  const { id } = await newOwner();
  await page.goto(`${operator}/console/customers/${id}`);
  const domains = page.getByRole('form', { name: 'New domain' });
  await domains.getByLabel('Domain').fill(host);
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: host }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.goto(`${operator}/console/domains`);
  await page.getByRole('button', { name: `Edit ${host}` }).click();
  await dialog.getByLabel('Start page').fill('https://example.org/home');
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: host }).getByText('https://example.org/home').waitFor();
  await page.getByRole('button', { name: `Remove ${host}` }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('row').filter({ hasText: host }).waitFor({ state: 'detached' });

  const name = unique('night');
  await page.getByRole('link', { name: 'Operator keys' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Role').selectOption('moderator');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = await page.getByRole('alert').locator('code').innerText();
  assert.equal((await call('GET', '/operator', undefined, secret)).role, 'moderator');
  await page.getByRole('button', { name: `Revoke the key ${name}` }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row').filter({ hasText: name }).getByText('revoked').waitFor();
  assert.deepEqual(complaints, []);
  await page.context().close();
});

test('each role sees what it may', async () => {
  const { id, key } = await newOwner();
  const [code] = await newLinks(key, [{ destination_url: 'https://example.org/' }]);
  await call('PATCH', `/links/${code}`, { title: 'edited' });
  const shown = {
    '/customers': ['Create customer'],
    [`/customers/${id}`]: ['Suspend', 'Save', 'Create key', 'Add domain', 'Undo'],
    [`/takedown?owner_id=${id}`]: ['Disable 1 link'],
    [`/history?short_code=${code}`]: ['Undo'],
    '/blocks': ['Save'],
    '/plans': ['Create plan'],
    '/operator-keys': ['Create key'],
    '/status': [],
  };
  const buttons = /^(Create customer|Suspend|Save|Create key|Add domain|Disable 1 link|Undo event \d+|Create plan)$/;
  const expected = {
    auditor: [],
    provisioner: ['Create customer', 'Suspend', 'Save', 'Create key', 'Add domain'],
    moderator: ['Suspend', 'Undo', 'Disable 1 link', 'Undo', 'Save'],
    admin: Object.values(shown).flat(),
  };
  await Promise.all(Object.entries(expected).map(async ([role, names]) => {
    const { page, complaints } = await open('/console/customers', await newKey(role));
    const seen = [];
    for (const path of Object.keys(shown)) {
      await page.goto(`${operator}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      seen.push(...(await page.getByRole('button', { name: buttons }).allInnerTexts()));
    }
    assert.deepEqual(seen, names, role);
    assert.deepEqual(complaints, [], role);
    await page.context().close();
  }));
});

test('every screen is accessible, fits, keeps to its policy and is safe from hostile texts', async () => {
  const { id, key } = await newOwner(`${unique('<b>&amp;')} ${hostile.slice(0, 60)}`);
  const destination = `https://${unique('hostile')}.example/"><img src=x onerror=alert(1)>`;
  const [code] = await newLinks(key, [{ destination_url: destination, title: hostile, campaign: '<i>x</i>' }]);
  await call('POST', `/owners/${id}/keys`, { scope: 'read', label: '<i>label</i>' });
  await call('PATCH', `/links/${code}`, { title: hostile.slice(0, 100) });
  const [edit] = (await call('GET', `/links/${code}/events`)).data;
  await call('POST', '/link-changes', { action: 'disable', selectors: { code: [code] }, audit: { note: hostile.slice(0, 150), case_id: '<u>T</u>' } });
  const shown = {
    customers: '/customers', customer: `/customers/${id}`, takedown: `/takedown?q=${code}`, history: `/history?owner_id=${id}`, event: `/history/${edit.id}`,
    bills: `/bills?month=${new Date().toISOString().slice(0, 7)}`, blocks: '/blocks', domains: '/domains', plans: '/plans', 'operator-keys': '/operator-keys',
    // The last one, because it reads on, and a request that is interrupted would be a complaint.
    status: '/status',
  };
  const sizes = { desktop: { width: 1280, height: 900 }, narrow: { width: 360, height: 740 } };
  const views = Object.entries(sizes).flatMap(([device, size]) => ['light', 'dark'].map((colorScheme) => [`${device}-${colorScheme}`, size, colorScheme]));
  // Each screen is loaded once, because only style sheets distinguish the views.
  await Promise.all([0, 1].map(async (half) => {
    const { page, complaints } = await open('/console/plans');
    for (const [name, path] of Object.entries(shown).filter((_, index) => index % 2 === half)) {
      await page.goto(`${operator}/console${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      for (const [view, size, colorScheme] of views) {
        await page.setViewportSize(size);
        // Colours that are still changing would have too little contrast.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        assert(!(await isTooWide(page)), `${name} fits on ${view}`);
        await assertAccessible(page, `${name}, ${view}`);
        await screenshot(page, { path: `operator-${name}-${view}.png`, fullPage: true });
      }
      assert.notEqual(await page.title(), 'broken');
    }
    assert.deepEqual(complaints, []);
    await page.context().close();
  }));
});

test('only files of the console load and run', async () => {
  const { page, response, complaints } = await visit('/console/anything', screens.desktop, operator);
  await assertClosed(page, response, complaints);
  await page.context().close();
});

test('every page that is pasted has its host, and those without a link are named', async () => {
  const { key } = await newOwner();
  const hosts = Array.from({ length: 8 }, () => `${unique('page')}.example`);
  await newLinks(key, hosts.map((host) => ({ destination_url: `https://${host}/other` })));
  const { page } = await open('/console/takedown');
  const reported = page.getByLabel('What was reported');
  await reported.fill(hosts.map((host) => `https://${host}/login`).join('\n'));
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('No link leads exactly to these 8 pages: ').waitFor();
  for (const host of hosts) await page.getByLabel(`All that leads to ${host}`, { exact: true }).waitFor();
  const [host] = hosts;
  await reported.fill(`https://${host}/other\nhttps://${host}/login`);
  await page.keyboard.press('Enter');
  await page.getByLabel(`All that leads to exactly https://${host}/other`).waitFor();
  await page.getByRole('alert').getByText(`No link leads exactly to this page: https://${host}/login`).waitFor();
  await page.context().close();
});

test('a takedown that stops is not said to be done, and the same request goes on', async () => {
  const { key } = await newOwner();
  const [code] = await newLinks(key, [{ destination_url: 'https://example.org/' }]);
  const { page } = await open(`/console/takedown?q=${code}`);
  const keys = [];
  await page.route('**/link-changes', async (route) => {
    const request = route.request();
    if (request.postDataJSON().dry_run) return route.continue();
    const response = await route.fetch();
    const isFirst = keys.push(request.headers()['idempotency-key']) === 1;
    return route.fulfill({ response, json: { ...(await response.json()), ...(isFirst && { status: 'stopped' }) } });
  });
  const takeDown = page.getByRole('button', { name: 'Disable 1 link' });
  await takeDown.click();
  await page.getByRole('alert').getByText('The change stopped before it was complete.').waitFor();
  assert.equal(await page.getByRole('status').filter({ hasText: 'Taken down' }).count(), 0);
  assert(await page.getByLabel(`The link ${code}`).isChecked());
  await takeDown.click();
  await page.getByRole('status').filter({ hasText: 'Taken down' }).waitFor();
  assert.deepEqual(keys, [keys[0], keys[0]]);
  await page.context().close();
});

test('"back" brings an earlier search back, also after a long one', async () => {
  const { page } = await open('/console/takedown');
  const reported = page.getByLabel('What was reported');
  const long = Array.from({ length: 200 }, (_, index) => `no-such-code-${index}`).join('\n');
  const searches = [['first-code', /This leads to no link: first-code/], [long, /200 of these lead to no link/], ['last-code', /This leads to no link: last-code/]];
  for (const [text, found] of searches) {
    await reported.fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(found).waitFor();
  }
  for (const [text, found] of searches.reverse().slice(1)) {
    await page.goBack();
    await page.getByRole('alert').getByText(found).waitFor();
    assert.equal(await reported.inputValue(), text);
  }
  await page.context().close();
});

const later = (status) => ({ status, headers: { 'Retry-After': '9' }, contentType: 'application/problem+json', body: JSON.stringify({ status, code: 'unavailable', detail: 'Later.' }) });

test('a customer who cannot be read again stays, with what is typed, and an undo shows in the lists', async () => {
  const { id } = await newOwner();
  const host = `${unique('shop')}.example`;
  await call('POST', '/domains', { host, owner_id: id, home_url: null, accept_destinations: false });
  const { page } = await open(`/console/customers/${id}`);
  const fallback = page.getByRole('form', { name: 'Properties' }).getByLabel('Fallback');
  await fallback.fill('https://example.org/typed');
  await page.getByRole('region', { name: 'Domains' }).getByText(host).waitFor();
  await page.route(`**/owners/${id}`, (route) => route.fulfill(later(503)));
  await page.getByRole('listitem').filter({ hasText: 'domain add' }).getByRole('button', { name: /^Undo event/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('alert').getByText('The service cannot do this at the moment.').waitFor();
  assert.equal(await fallback.inputValue(), 'https://example.org/typed');
  await page.getByText('No domains.').waitFor();
  await page.unroute(`**/owners/${id}`);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  assert.equal(await fallback.inputValue(), 'https://example.org/typed');
  await page.context().close();
});

test('a dialog stays while its request runs, and shows what fails', async () => {
  const { id } = await newOwner();
  const { page } = await open(`/console/customers/${id}`);
  let respond;
  const isPressed = new Promise((done) => (respond = done));
  await page.route('**/suspend', async (route) => {
    await isPressed;
    await route.fulfill(later(503));
  });
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Note').fill('typed');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await dialog.locator('form[aria-busy=true]').waitFor();
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click({ force: true });
  respond();
  await dialog.getByRole('alert').getByText('The service cannot do this at the moment.').waitFor();
  assert.equal(await dialog.getByLabel('Note').inputValue(), 'typed');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.context().close();
});

test('a version that the server refuses although it is the latest is asked about once', async () => {
  const { id } = await newOwner();
  const { page } = await open(`/console/customers/${id}`);
  let attempts = 0;
  await page.route(`**/owners/${id}`, (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    attempts++;
    return route.fulfill({ status: 412, contentType: 'application/problem+json', body: JSON.stringify({ status: 412, code: 'precondition-failed', detail: 'Changed.' }) });
  });
  const form = page.getByRole('form', { name: 'Properties' });
  await form.getByLabel('Fallback').fill('https://example.org/mine');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').getByText('Changed meanwhile').waitFor();
  assert.equal(attempts, 1);
  await page.context().close();
});

test('a history that cannot be read is not said to be empty', async () => {
  const { page } = await open('/console/status');
  await page.route('**/events?*', (route) => route.fulfill(later(503)));
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('alert').getByText('The service cannot do this at the moment.').waitFor();
  assert.equal(await page.getByText('Nothing was changed.').count(), 0);
  await page.context().close();
});
