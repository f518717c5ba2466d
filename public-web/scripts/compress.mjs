// Writes .br and .gz beside every file of text; the server only picks, and a release binary contains no more of some.
// The other sites' builds call it with their folder, the help's with `--gzip`: it is large, and few read it.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
const TEXT = new Set(['.html', '.js', '.css', '.svg', '.json', '.xml', '.txt', '.webmanifest']);

/** Sizes of brotli's input block, as powers of two; 0 leaves it to brotli. Which is best differs from file to file. */
const BLOCKS = [0, 16, 17];

function compressBrotli(content, block) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    [constants.BROTLI_PARAM_LGBLOCK]: block,
  };
  return brotli(content, { params });
}

export async function compressAll(folder, blocks = BLOCKS) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && TEXT.has(path.extname(entry.name)))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  await Promise.all(files.map((file) => compress(file, blocks)));
  return files.length;
}

async function compress(file, blocks) {
  const content = await readFile(file);
  const candidates = await Promise.all(blocks.map((block) => compressBrotli(content, block)));
  if (candidates.length > 0) {
    await writeFile(
      `${file}.br`,
      candidates.reduce((best, one) => (one.length < best.length ? one : best)),
    );
  }
  await writeFile(`${file}.gz`, await zip(content, { level: 9 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, option] = process.argv.slice(2);
  await compressAll(folder, option === '--gzip' ? [] : BLOCKS);
}
