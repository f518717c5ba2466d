import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, expect } from '@playwright/test';
import { MailServer } from './mail-server.ts';

const e2e = fileURLToPath(new URL('../../', import.meta.url));

/** How long a server may take to start. */
const START_TIMEOUT_MS = 60_000;

/** A server of one spec alone, whose clock can be put ahead: for what would disturb others, and what takes hours. */
export class TestApp {
  private constructor(
    readonly root: string,
    private readonly folder: string,
    private readonly server: ChildProcess,
    /** Where the first owner begins, if nothing was seeded: a path with a secret. */
    readonly invitation: string,
  ) {}

  static async open(engine: string, port: number, { isEmpty = false, mailPort = 0 } = {}): Promise<TestApp> {
    const folder = mkdtempSync(path.join(tmpdir(), 'agio-e2e-'));
    const [library, offset] = [path.join(folder, 'clock-offset.so'), path.join(folder, 'offset')];
    execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', '-O1', '-o', library, path.join(e2e, 'clock-offset.c')]);
    const invitation = path.join(folder, 'invitation');
    const env = {
      ...process.env,
      AGIO_PRELOAD: library,
      AGIO_CLOCK_OFFSET: offset,
      ...(isEmpty && { AGIO_INVITATION: invitation }),
      ...(mailPort && { AGIO__MAIL__SERVER: `127.0.0.1:${mailPort}`, AGIO__MAIL__SECURITY: 'none' }),
    };
    writeFileSync(offset, new BigInt64Array([0n]));
    const server = spawn(path.join(e2e, 'serve'), [engine, String(port)], { cwd: e2e, env, stdio: 'inherit' });
    const root = `http://127.0.0.1:${port}`;
    const isReady = async () => (await fetch(`${root}/health/ready`).catch(() => null))?.status;
    await expect.poll(isReady, { timeout: START_TIMEOUT_MS, intervals: [250] }).toBe(200);
    const link = isEmpty ? readFileSync(invitation, 'utf8').trim() : '';
    return new TestApp(root, folder, server, link.replace(root, ''));
  }

  /** Puts the clock ahead of the real one by so many minutes. */
  putAhead(minutes: number): void {
    writeFileSync(path.join(this.folder, 'offset'), new BigInt64Array([BigInt(minutes) * 60n]), { flag: 'r+' });
  }

  /** The output of a command of the server's binary. */
  run(...command: string[]): string {
    const agio = path.resolve(e2e, '../..', process.env.AGIO ?? 'target/debug/agio');
    return execFileSync(agio, command, { encoding: 'utf8' });
  }

  async close(): Promise<void> {
    const ended = once(this.server, 'exit');
    this.server.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

const PORTS: Record<string, number> = { sqlite: 18_090, postgres: 18_091 };

const portOf = (project: string) => PORTS[project] ?? 18_092;
const mailPortOf = (project: string) => portOf(project) + 100;

/** Tests with a server of their own. Specs of different scenarios share none, so that they share no clock. */
export const test = base.extend<object, { scenario: string; mail: MailServer | null; isEmpty: boolean; app: TestApp }>({
  scenario: ['', { option: true, scope: 'worker' }],
  /** Nothing is seeded, and the profile is that of production, with a mail server. */
  isEmpty: [false, { option: true, scope: 'worker' }],
  mail: [
    async ({ isEmpty }, use, { project }) => {
      if (!isEmpty) return use(null);
      const mail = new MailServer();
      await mail.listen(mailPortOf(project.name));
      await use(mail);
      mail.close();
    },
    { scope: 'worker' },
  ],
  app: [
    // biome-ignore lint/correctness/noUnusedFunctionParameters: named, so that another scenario starts a new server.
    async ({ scenario, isEmpty, mail }, use, { project }) => {
      const mailPort = mail ? mailPortOf(project.name) : 0;
      const engine = project.name === 'postgres' ? 'postgres' : 'sqlite';
      const app = await TestApp.open(engine, portOf(project.name), { isEmpty, mailPort });
      await use(app);
      await app.close();
    },
    { scope: 'worker', timeout: 2 * START_TIMEOUT_MS },
  ],
  baseURL: async ({ app }, use) => use(app.root),
});
