import { defineConfig } from '@playwright/test';
import { browser } from './tests/support/browser.ts';

/**
 * The whole exchange in a real browser, with a server on a throw-away database seeded with the demonstration's market.
 * `tests/journeys` are run on each engine, what is written for both languages in Russian on SQLite and in English on
 * PostgreSQL; `tests/features`, which do not depend on the engine, on SQLite in every language and size.
 * `AGIO_TEST_POSTGRES` names the PostgreSQL; `make test` finds or starts one. `--trace retain-on-failure` records what led
 * to a failure, which takes a tenth of the time.
 */
const suites = [
  { name: 'features', engine: 'sqlite', port: 18_082, folder: 'features' },
  { name: 'sqlite', engine: 'sqlite', port: 18_080, folder: 'journeys', grepInvert: /, en\b|in en\b/ },
  { name: 'postgres', engine: 'postgres', port: 18_081, folder: 'journeys', grepInvert: /, ru\b|in ru\b/ },
];

/** As many browsers at once as two cores can drive. */
const WORKERS = 2;

export default defineConfig({
  testDir: './tests',
  // Of a whole journey on a busy machine: each step has a shorter limit.
  timeout: 180_000,
  expect: { timeout: 10_000 },
  workers: WORKERS,
  forbidOnly: true,
  reporter: [['line'], ['./failure-summary.ts']],
  outputDir: '../../test-results',
  use: {
    actionTimeout: 10_000,
    launchOptions: browser,
    timezoneId: 'Europe/Moscow',
    // Routes do not see what a service worker requests.
    serviceWorkers: 'block',
  },
  projects: suites.map(({ name, port, folder, grepInvert }) => ({
    name,
    testMatch: `**/${folder}/*.spec.ts`,
    grepInvert,
    // The suites run in parallel; within one, technical mode would disturb another test's visitor.
    workers: 1,
    use: { baseURL: `http://127.0.0.1:${port}` },
  })),
  webServer: suites.map(({ engine, port }) => ({
    command: `./serve ${engine} ${port}`,
    url: `http://127.0.0.1:${port}/health/ready`,
    timeout: 60_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM' as const, timeout: 10_000 },
  })),
});
