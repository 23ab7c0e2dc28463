// A story with the configuration of docs/agents.md: an MCP client finds, reads and corrects a link.
//
// usage: story.mjs DOCUMENT, with the address of the server in TERSE_URL, its program in TERSE, and a key for
// creating links in TERSE_KEY. The bridge comes from node_modules, not from the network.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const { TERSE, TERSE_URL, TERSE_KEY } = process.env;
const text = readFileSync(process.argv[2], 'utf8');
const pins = JSON.parse(readFileSync('package.json', 'utf8')).devDependencies;
const bridge = '@ivotoby/openapi-mcp-server';
const program = join(dirname(createRequire(import.meta.url).resolve(bridge)), '../bin/mcp-server.js');

// Runs a function with the tools that the configuration offers for a key of a scope.
async function withTools(scope, change, use) {
  const key = execFileSync(TERSE, ['key', 'add', 'default', '--label', `agent-${scope}`, '--scope', scope], {
    encoding: 'utf8',
  }).trim();
  const block = text.match(/```json\n(.*?)```/s)[1];
  const configured = change(block.replaceAll('http://127.0.0.1:8080', TERSE_URL).replace('terse_…', key));
  const { command, args, env } = JSON.parse(configured).mcpServers.terse;
  assert.deepEqual([command, args[0], args[1]], ['npx', '--yes', `${bridge}@${pins[bridge]}`]);
  const client = new Client({ name: 'story', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, ...args.slice(2)], env, stderr: 'ignore' }),
  );
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  const call = async (name, given) => {
    const { isError = false, content } = await client.callTool({ name, arguments: given });
    return { isError, text: content[0].text };
  };
  await use(names.sort(), call);
  await client.close();
}

const shorten = (body) =>
  fetch(`${TERSE_URL}/api/v1/shorten`, {
    method: 'POST',
    headers: { 'X-API-Key': TERSE_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).then((response) => response.json());

const { short_code: code } = await shorten({ url: 'https://mcp.example/sprnig', title: 'Spring' });

await withTools('edit', (block) => block, async (names, call) => {
  assert.deepEqual(names, ['get-external-link', 'get-link', 'get-link-clicks', 'list-campaigns', 'list-link-events', 'list-links', 'update-link']);
  const found = JSON.parse((await call('list-links', { host: 'mcp.example', limit: 1000 })).text);
  assert.deepEqual(found.data.map((link) => link.short_code), [code]);
  // The bridge joins the codes. Once it does not, docs/agents.md need not warn of it.
  const joined = JSON.parse((await call('list-links', { code: [code, code] })).text);
  assert.deepEqual(joined.data, []);
  const changed = JSON.parse((await call('update-link', { code, destination_url: 'https://mcp.example/spring' })).text);
  assert.deepEqual([changed.destination_url, changed.title], ['https://mcp.example/spring', 'Spring']);
  const clicks = JSON.parse((await call('get-link-clicks', { code })).text);
  assert.equal(clicks.data.length, 30);
  const events = JSON.parse((await call('list-link-events', { code })).text);
  assert.equal(events.data[0].actor.name, 'agent-edit');
  const missing = await call('update-link', { code: 'unknown', title: 'Spring' });
  assert(missing.isError && missing.text.includes('"code":"link-not-found"'), missing.text);
});
const redirect = await fetch(`${TERSE_URL}/${code}`, { redirect: 'manual' });
assert.equal(redirect.headers.get('Location'), 'https://mcp.example/spring');

await withTools('read', (block) => block.replace(', "--operation", "patch"', ''), async (names, call) => {
  assert.deepEqual(names, ['get-external-link', 'get-link', 'get-link-clicks', 'list-campaigns', 'list-link-events', 'list-links']);
  assert.equal(JSON.parse((await call('get-link', { code })).text).clicks, 1);
});

// The five operations, for a key that creates links.
const five = (options) => (block) =>
  block
    .replace('/api/manage/v1/openapi.json', '/openapi.json')
    .replace('"--tag", "Links", "--operation", "get", "--operation", "patch"', options);
await withTools('create', five('"--operation", "post"'), async (names, call) => {
  assert.deepEqual(names, ['enable-qr-code', 'shorten']);
  const created = JSON.parse((await call('shorten', { url: 'https://mcp.example/summer' })).text);
  assert.equal(created.destination_url, 'https://mcp.example/summer');
});
// Without the options, the key's scope is the border.
await withTools('read', five('"--operation", "post"'), async (names, call) => {
  const refused = await call('shorten', { url: 'https://mcp.example/autumn' });
  assert(refused.isError && refused.text.includes('status code 403'), refused.text);
});
