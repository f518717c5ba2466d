/** Finds dead relative links and anchors in the Markdown files, and pages that `docs/README.md` does not list. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(file));

/** The text without code, where links are not links. */
const prose = (text) =>
  text.replace(/^ *(```|~~~)[\s\S]*?^ *\1$/gm, '').replace(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));

/** The anchors that GitHub and the help give to the headings of a file. */
function anchors(file) {
  const headings = readFileSync(file, 'utf8')
    .replace(/^ *(```|~~~)[\s\S]*?^ *\1$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm);
  const seen = new Map();
  return new Set(
    [...headings].map(([, heading]) => {
      const name = heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-');
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      return count === 0 ? name : `${name}-${count}`;
    }),
  );
}

const dead = files.flatMap((file) => {
  const text = prose(readFileSync(file, 'utf8'));
  const targets = [
    ...text.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g),
    ...text.matchAll(/<(?:img|source|a)\b[^>]*?\b(?:src|srcset|href)="([^"]+)"/g),
  ].map(([, target]) => target);
  return targets.flatMap((target) => {
    if (/^([a-z]+:|\/)/i.test(target)) return [];
    const [path, anchor] = target.split('#');
    const named = path === '' ? file : join(dirname(file), decodeURI(path));
    if (!existsSync(named) || relative('.', named).startsWith('..'))
      return [`${file}: ${target}: there is no such file`];
    if (anchor && statSync(named).isFile() && named.endsWith('.md') && !anchors(named).has(decodeURI(anchor))) {
      return [`${file}: ${target}: there is no such heading`];
    }
    return [];
  });
});

const index = readFileSync('docs/README.md', 'utf8');
const unlisted = files
  .filter(
    (file) => /^docs\/(?!README|index)[^/]+\.md$/.test(file) && !index.includes(`(${file.slice('docs/'.length)})`),
  )
  .map((file) => `docs/README.md: ${file} is not listed`);

const faults = [...dead, ...unlisted];
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
