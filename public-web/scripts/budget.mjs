// Prints the size of the home page's scripts, and fails when they exceed the budget.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'dist');
const BUDGET = 118_500;

async function sizeOf(file) {
  const at = path.join(dist, file);
  const packed = await stat(`${at}.br`).catch(() => stat(at));
  return packed.size;
}

let worst = 0;
for (const page of ['index.html', 'en/index.html']) {
  const html = await readFile(path.join(dist, page), 'utf8');
  const scripts = [
    ...new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? '')),
  ];
  const sizes = await Promise.all(scripts.map(sizeOf));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  worst = Math.max(worst, total);
  process.stdout.write(`${page}: ${total} bytes of scripts (brotli) in ${scripts.length} files\n`);
}
if (worst > BUDGET) {
  process.stderr.write(`Over the budget of ${BUDGET} bytes\n`);
  process.exitCode = 1;
}
