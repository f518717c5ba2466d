// @vitest-environment happy-dom
import { render } from '@testing-library/react';
import { sanitised } from './sanitise';

function shown(html: string): string {
  return render(<div>{sanitised(html)}</div>).container.firstElementChild?.innerHTML ?? '';
}

it('keeps the allowed elements', () => {
  expect(shown('<p>Pay <strong>exactly</strong> the sum.<br>Thanks</p><ul><li>one</li></ul>')).toBe(
    '<p>Pay <strong>exactly</strong> the sum.<br>Thanks</p><ul><li>one</li></ul>',
  );
});

it.each([
  ['<script>alert(1)</script>after', 'after'],
  ['<p onclick="alert(1)" style="color:red">text</p>', '<p>text</p>'],
  ['<img src=x onerror=alert(1)>text', 'text'],
  ['<a href="javascript:alert(1)">link</a>', 'link'],
  ['<a href=" JavaScript:alert(1)">link</a>', 'link'],
  ['<a href="//evil.example">link</a>', 'link'],
  ['<div><b>bold</b></div>', '<b>bold</b>'],
  ['<svg><a href="/x">x</a></svg>', ''],
])('lets nothing else through: %s', (html, safe) => {
  expect(shown(html)).toBe(safe);
});

it('opens other sites in a new tab', () => {
  expect(shown('<a href="https://example.com/a">a</a>')).toContain('target="_blank"');
});
