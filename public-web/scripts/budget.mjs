// Prints the size of the home page's scripts, style sheets and fonts, and fails when they exceed their budgets.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'dist');
const BUDGETS = { js: 108_900, css: 7_550, woff2: 29_500 };

async function sizeOf(file) {
  const at = path.join(dist, file);
  const packed = await stat(`${at}.br`).catch(() => stat(at));
  return packed.size;
}

for (const page of ['index.html', 'en/index.html']) {
  const html = await readFile(path.join(dist, page), 'utf8');
  for (const [kind, budget] of Object.entries(BUDGETS)) {
    const links = html.matchAll(new RegExp(`(?:src|href)="(/assets/[^"]+\\.${kind})"`, 'g'));
    const files = [...new Set([...links].map(([, file]) => file ?? ''))];
    const total = (await Promise.all(files.map(sizeOf))).reduce((sum, size) => sum + size, 0);
    process.stdout.write(`${page}: ${total} bytes of ${kind} (compressed) in ${files.length} files\n`);
    if (total > budget) {
      process.stderr.write(`Over the budget of ${budget} bytes\n`);
      process.exitCode = 1;
    }
  }
}
