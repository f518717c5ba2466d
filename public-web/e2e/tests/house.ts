import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, expect } from '@playwright/test';

const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** For how long a house that starts is waited for. */
const PATIENCE_MS = 60_000;

/** A house of one's own, whose clock can be put ahead: for what would disturb others, and what takes hours. */
export class House {
  private constructor(
    readonly root: string,
    private readonly folder: string,
    private readonly serving: ChildProcess,
  ) {}

  static async open(engine: string, port: number): Promise<House> {
    const folder = mkdtempSync(path.join(tmpdir(), 'agio-e2e-'));
    const [library, ahead] = [path.join(folder, 'ahead.so'), path.join(folder, 'ahead')];
    execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', '-O1', '-o', library, path.join(here, 'ahead.c')]);
    const env = { ...process.env, AGIO_PRELOAD: library, AGIO_AHEAD: ahead };
    writeFileSync(ahead, new BigInt64Array([0n]));
    const serving = spawn(path.join(here, 'serve'), [engine, String(port)], { cwd: here, env, stdio: 'inherit' });
    const house = new House(`http://127.0.0.1:${port}`, folder, serving);
    const isReady = async () => (await fetch(`${house.root}/health/ready`).catch(() => null))?.status;
    await expect.poll(isReady, { timeout: PATIENCE_MS, intervals: [250] }).toBe(200);
    return house;
  }

  /** Puts the clock ahead of the real one by so many minutes. */
  putAhead(minutes: number): void {
    writeFileSync(path.join(this.folder, 'ahead'), new BigInt64Array([BigInt(minutes) * 60n]), { flag: 'r+' });
  }

  /** What the command line of the house says. */
  says(...order: string[]): string {
    const agio = path.resolve(here, '../..', process.env.AGIO ?? 'target/debug/agio');
    return execFileSync(agio, order, { encoding: 'utf8' });
  }

  async close(): Promise<void> {
    const ended = once(this.serving, 'exit');
    this.serving.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

const PORTS: Record<string, number> = { sqlite: 18_090, postgres: 18_091 };

/** Tests in a house of their own. Files whose `stories` differ share none: the clock of one is not ahead for another. */
export const test = base.extend<object, { stories: string; house: House }>({
  stories: ['', { option: true, scope: 'worker' }],
  house: [
    // biome-ignore lint/correctness/noUnusedFunctionParameters: named, so that other stories begin with a new house.
    async ({ stories }, use, { project }) => {
      const house = await House.open(project.name, PORTS[project.name] ?? 18_092);
      await use(house);
      await house.close();
    },
    { scope: 'worker', timeout: 2 * PATIENCE_MS },
  ],
  baseURL: async ({ house }, use) => use(house.root),
});
