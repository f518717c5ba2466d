import { defineConfig } from '@playwright/test';

/**
 * The whole house in a real browser, once on each engine: a server of its own on a throw-away database, seeded with the
 * demonstration's market. `AGIO_TEST_POSTGRES` names the PostgreSQL; `make test` finds or starts one.
 */
const engines = [
  { name: 'sqlite', port: 18_080 },
  { name: 'postgres', port: 18_081 },
];

export default defineConfig({
  testDir: './tests',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: 1,
  forbidOnly: true,
  reporter: 'line',
  outputDir: '../../test-results',
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' },
    trace: 'retain-on-failure',
    timezoneId: 'Europe/Moscow',
  },
  projects: engines.map(({ name, port }) => ({
    name,
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
