/**
 * Writes .br and .gz next to every text file of the build, so that the server only picks one.
 * `index.html` is left out: the server writes a nonce into it for each answer.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TEXT = /\.(js|css|svg|json|txt)$/;
const folder = new URL('../dist', import.meta.url).pathname;

async function compress(file) {
  const content = await readFile(file);
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

const entries = await readdir(folder, { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile() && TEXT.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name));
for (const file of files) {
  await compress(file);
}
