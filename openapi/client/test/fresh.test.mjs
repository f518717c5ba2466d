// The checked-in types are those of the checked-in documents; `make gen` writes both.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';

for (const name of ['public', 'admin']) {
  test(`the ${name} client is made from the published document`, async () => {
    const document = new URL(`../../${name}.json`, import.meta.url);
    const fresh = COMMENT_HEADER + astToString(await openapiTS(document));
    const checkedIn = await readFile(new URL(`../src/generated/${name}.ts`, import.meta.url), 'utf8');
    assert.equal(checkedIn, fresh, 'run `make gen`');
  });
}
