import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, Reporter, Suite, TestCase } from '@playwright/test/reporter';

/** How much is said again of what went wrong. */
const LINES = 12;

/** Says once more in the last lines what failed and why: of a long output the end is what is read first, and sometimes all that is kept. */
export default class Closing implements Reporter {
  private tests: TestCase[] = [];

  onBegin(_config: FullConfig, suite: Suite): void {
    this.tests = suite.allTests();
  }

  onEnd(): void {
    for (const test of this.tests.filter((one) => one.outcome() === 'unexpected')) {
      const { duration = 0, errors = [] } = test.results.at(-1) ?? {};
      const [, engine] = test.titlePath();
      process.stdout.write(`\nFailed on ${engine} after ${Math.round(duration / 1000)} s: ${test.title}\n`);
      for (const { message = '', location } of errors) {
        const said = stripVTControlCharacters(message).split('\n').slice(0, LINES).join('\n');
        process.stdout.write(`${location ? `${path.basename(location.file)}:${location.line}: ` : ''}${said}\n`);
      }
    }
  }

  printsToStdio(): boolean {
    return true;
  }
}
