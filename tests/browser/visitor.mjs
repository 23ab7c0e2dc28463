// A browser that records the errors of pages.

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

/** Closes the browser. */
export const closeBrowser = () => browser.close();

/** Opens a page of a server. `complaints` lists errors, warnings, and failed or foreign requests. */
export async function visit(path, screen, origin = service) {
  const context = await browser.newContext(screen);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
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
