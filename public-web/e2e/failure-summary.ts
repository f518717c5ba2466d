import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { FullConfig, Reporter, Suite, TestCase } from '@playwright/test/reporter';

/** How many lines of an error are repeated. */
const LINES = 12;

/** Repeats the failures in the last lines: of a long output the end is read first, and sometimes only that is stored. */
export default class FailureSummary implements Reporter {
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
        const text = stripVTControlCharacters(message).split('\n').slice(0, LINES).join('\n');
        process.stdout.write(`${location ? `${path.basename(location.file)}:${location.line}: ` : ''}${text}\n`);
      }
    }
  }

  printsToStdio(): boolean {
    return true;
  }
}
