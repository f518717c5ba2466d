// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
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

it('forms what is typed by its mask, and leaves corrections inside alone', () => {
  function Typed() {
    const [value, setValue] = useState('');
    const input = { label: 'Account', kind: 'text', required: true, mask: '##-####' } as const;
    return <RequisiteField input={input} name="account" value={value} error={null} onChange={setValue} />;
  }
  render(<Typed />);
  const field = screen.getByLabelText<HTMLInputElement>('Account');
  expect(field.inputMode).toBe('numeric');
  fireEvent.change(field, { target: { value: '123' } });
  expect(field.value).toBe('12-3');
  fireEvent.change(field, { target: { value: '1-3' } });
  expect(field.value).toBe('1-3');
  fireEvent.change(field, { target: { value: '145-3', selectionEnd: 3 } });
  expect(field.value).toBe('145-3');
  fireEvent.blur(field);
  expect(field.value).toBe('14-53');
});
