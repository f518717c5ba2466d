// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { RequisiteField } from './RequisiteField';

const HINT = '10 digits, as on the card';

function show(hint: string | null, error: string | null = null) {
  const input = { label: 'Account', kind: 'text', required: true, hint } as const;
  render(<RequisiteField input={input} name="account" value="" error={error} onChange={() => {}} />);
  const described = screen.getByLabelText('Account').getAttribute('aria-describedby') ?? '';
  return described.split(' ').map((id) => document.getElementById(id)?.textContent);
}

afterEach(cleanup);

it('describes a field by its hint, and beside an error too', () => {
  expect(show(HINT)).toEqual([HINT]);
  cleanup();
  expect(show(HINT, 'The format is wrong.')).toEqual([HINT, 'The format is wrong.']);
});

it('describes a field without a hint by its error alone', () => {
  expect(show(null)).toEqual([undefined]);
  cleanup();
  expect(show(null, 'Fill in this field.')).toEqual(['Fill in this field.']);
});
