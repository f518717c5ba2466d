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
  // A whole story, on a machine that has other work as well: what does not come is noticed by each step.
  timeout: 180_000,
  expect: { timeout: 10_000 },
  workers: engines.length,
  forbidOnly: true,
  reporter: [['line'], ['./closing.ts']],
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
  },
  projects: engines.map(({ name, port }) => ({
    name,
    // The engines run beside each other; on one of them technical mode would meet another test's visitor.
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
