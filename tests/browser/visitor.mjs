// A browser that records the errors of pages.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

/** URL of the service. */
export const service = process.env.TERSE_URL;

/** Screens of devices. */
export const screens = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

// Chromium has no sandbox for root.
const args = process.getuid() === 0 ? ['--no-sandbox'] : [];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args });

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A text that breaks pages that do not escape it, or expect other scripts. */
export const hostile = `<img src=x onerror="document.title='broken'"> \u202eevil\u202c שלום ${'🎉'.repeat(100)}`;

/** Closes the browser. */
export const closeBrowser = () => browser.close();

/** Opens a page of a server. `complaints` lists errors, warnings, and failed or foreign requests. */
export async function visit(path, screen, origin = service) {
  const context = await browser.newContext(screen);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) complaints.push(url);
  });
  page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
  const response = await page.goto(origin + path);
  return { page, response, complaints };
}

/** Returns whether a page is wider than its screen. A phone zooms out, so the window's width differs. */
export const isTooWide = (page) =>
  page.evaluate(
    (width) => document.documentElement.scrollWidth > width,
    page.viewportSize().width,
  );

/**
 * Takes a screenshot, in up to three attempts: on a busy machine, Chromium sometimes has no frame
 * to capture.
 */
export async function screenshot(page, options) {
  for (let retries = 2; ; retries -= 1) {
    try {
      return await page.screenshot(options);
    } catch (error) {
      if (retries === 0 || !error.message.includes('Unable to capture screenshot')) throw error;
    }
    await page.waitForTimeout(200);
  }
}

/** Signs in to a console. */
export async function signIn(page, key) {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  // A request that a test interrupts would be a complaint.
  await page.waitForLoadState('networkidle');
}

/** Presses Tab until an element has the focus, as somebody does who has no mouse. */
export async function tabTo(page, locator) {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await locator.evaluate((element) => element === document.activeElement)) return;
  }
  assert.fail(`Tab does not lead to ${locator}`);
}

/** Checks that a page has no serious fault for those who see, hear or move in another way. */
export async function assertAccessible(page, name) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes[0].html]), [], name);
}

/** Checks that a page runs and loads nothing but its own files. */
export async function assertClosed(page, response, complaints) {
  assert.match(response.headers()['content-security-policy'], /^default-src 'self';.*frame-ancestors 'none'$/);
  assert.equal(response.headers()['referrer-policy'], 'no-referrer');
  await page.evaluate(() => {
    document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.intruder = true' }));
    document.body.append(Object.assign(document.createElement('style'), { textContent: 'body { color: red }' }));
  });
  assert.equal(await page.evaluate(() => window.intruder), undefined);
  assert.equal(complaints.filter((text) => /Content Security Policy/.test(text)).length, 2);
}
