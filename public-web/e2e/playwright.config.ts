import { defineConfig } from '@playwright/test';

/**
 * The whole exchange in a real browser, with a server on a throw-away database seeded with the demonstration's market.
 * `tests/journeys` are run on each engine; `tests/features`, which do not depend on the engine, on SQLite only.
 * `AGIO_TEST_POSTGRES` names the PostgreSQL; `make test` finds or starts one.
 */
const engines = [
  { name: 'sqlite', port: 18_080, specs: ['journeys', 'features'] },
  { name: 'postgres', port: 18_081, specs: ['journeys'] },
];

export default defineConfig({
  testDir: './tests',
  // Of a whole journey on a busy machine: each step has a shorter limit.
  timeout: 180_000,
  expect: { timeout: 10_000 },
  workers: engines.length,
  forbidOnly: true,
  reporter: [['line'], ['./failure-summary.ts']],
  outputDir: '../../test-results',
  use: {
    actionTimeout: 10_000,
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      // Drawing at once is cheaper than by a graphics card that is not there and has to be emulated.
      args: ['--disable-gpu'],
    },
    trace: { mode: 'retain-on-failure', screenshots: false },
    timezoneId: 'Europe/Moscow',
    // Routes do not see what a service worker requests.
    serviceWorkers: 'block',
  },
  projects: engines.map(({ name, port, specs }) => ({
    name,
    testMatch: specs.map((folder) => `**/${folder}/*.spec.ts`),
    // The engines are tested in parallel; on one of them technical mode would disturb another test's visitor.
    workers: 1,
    use: { baseURL: `http://127.0.0.1:${port}` },
  })),
  webServer: engines.map(({ name, port }) => ({
    command: `./serve ${name} ${port}`,
    url: `http://127.0.0.1:${port}/health/ready`,
    timeout: 60_000,
    reuseExistingServer: false,
    gracefulShutdown: { signal: 'SIGTERM' as const, timeout: 10_000 },
  })),
});
