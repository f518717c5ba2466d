/**
 * Makes the pictures of the README from a demo just seeded: `make run`, then `npm run screenshots -w @agio/e2e`.
 * AGIO_SERVER=http://... names another address, CHROMIUM another browser.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { chromium } from '@playwright/test';

const server = process.env.AGIO_SERVER ?? 'http://127.0.0.1:8080';
const folder = new URL('../../docs/images/', import.meta.url);
const size = { width: 1280, height: 800 };

/** Chromium writes PNG and JPEG only, but its pages can encode WebP, a quarter of the size. */
async function webp(context, png) {
  const page = await context.newPage();
  const data = await page.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.9);
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  await page.close();
  return Buffer.from(data.split(',')[1], 'base64');
}

async function picture(page, name) {
  // Rosettes are drawn after the first paint.
  await page.evaluate(() => document.fonts.ready.then(() => new Promise((drawn) => requestIdleCallback(drawn))));
  await writeFile(
    new URL(`${name}.webp`, folder),
    await webp(page.context(), await page.screenshot({ animations: 'disabled' })),
  );
}

async function site(context, scheme) {
  const page = await context.newPage();
  await page.goto(`${server}/en?cur_from=BTC&cur_to=SBERRUB`);
  await page
    .getByText(/1\sBTC/)
    .first()
    .waitFor();
  await picture(page, `site-${scheme}`);
}

async function takeConsole(context, scheme) {
  const page = await context.newPage();
  await page.goto(`${server}/admin/claims`);
  await page.getByLabel('Email').fill('owner@agio.example');
  await page.getByLabel('Password').fill('agio-demo-owner');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: /^Claims/ }).click();
  await page.getByText('100004').last().click();
  await page.getByText('Ledger entries').waitFor();
  await picture(page, `console-${scheme}`);
}

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({ viewport: size, colorScheme, locale: 'en-GB', timezoneId: 'UTC' });
  await site(context, colorScheme);
  await takeConsole(context, colorScheme);
  await context.close();
}
await browser.close();
