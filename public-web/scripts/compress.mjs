// Writes .br and .gz beside every file worth compressing; the server only picks.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
const TEXT = new Set(['.html', '.js', '.css', '.svg', '.json', '.xml', '.txt', '.webmanifest']);
/** Smaller files gain less than the header costs. */
const LEAST = 256;

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

export async function compressAll(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && TEXT.has(path.extname(entry.name)))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  const done = await Promise.all(files.map(compress));
  return done.filter(Boolean).length;
}

async function compress(file) {
  const content = await readFile(file);
  if (content.length < LEAST) {
    return false;
  }
  const candidates = await Promise.all(BLOCKS.map((block) => compressBrotli(content, block)));
  await writeFile(
    `${file}.br`,
    candidates.reduce((best, one) => (one.length < best.length ? one : best)),
  );
  await writeFile(`${file}.gz`, await zip(content, { level: 9 }));
  return true;
}
