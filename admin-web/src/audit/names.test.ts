import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { en } from '../i18n/en.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const WRITES = /NewAuditEntry|audit::record|audit_values|audit_snapshot/;

/** What stands between a brace and the one that closes it. */
function inside(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0; end += 1) depth += { '{': 1, '}': -1 }[text[end] ?? '}'] ?? 0;
  return text.slice(start, end);
}

function namesIn(path: string): string[] {
  const source = readFileSync(ROOT + path, 'utf8').split('#[cfg(test)]')[0] ?? '';
  if (!WRITES.test(source)) return [];
  const values = [...source.matchAll(/json!\(\{/g)].flatMap(({ index }) => [
    ...inside(source, index + 'json!({'.length).matchAll(/"(\w+)":/g),
  ]);
  const snapshot = /struct AuditSnapshot \{([^}]*)\}/.exec(source)?.[1] ?? '';
  const fields = [...snapshot.matchAll(/^\s+(\w+):/gm)];
  return [...values, ...fields].map(([, name]) => name?.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()) ?? '');
}

it('has a name for everything that the server writes into the log', () => {
  const names = ['modules', 'platform']
    .flatMap((folder) => readdirSync(ROOT + folder, { recursive: true }).map((path) => `${folder}/${path}`))
    .filter((path) => /\/src\/.*\.rs$/.test(path))
    .flatMap(namesIn);
  expect(names.length).toBeGreaterThan(100);
  const known = en.audit.fields as Record<string, string>;
  expect([...new Set(names)].filter((name) => !(name in known))).toEqual([]);
});
