// @vitest-environment happy-dom
import { draftAmount, draftQuery, dropDraft, readDraft, saveDraft } from './draft';

const AMOUNT = { from: 'BTC', to: 'SBERRUB', side: 'to', text: '90 000,5', locale: 'ru' } as const;

afterEach(() => sessionStorage.clear());

it('keeps the parts of a draft apart', () => {
  saveDraft({ email: 'a@example.com' });
  saveDraft({ amount: AMOUNT });
  expect(readDraft()).toEqual({ email: 'a@example.com', amount: AMOUNT });
  dropDraft();
  expect(readDraft()).toEqual({});
});

it('gives the amount back to its own pair only, on the side it was typed', () => {
  saveDraft({ amount: AMOUNT });
  expect(draftAmount('BTC', 'SBERRUB', 'ru')).toEqual({ side: 'to', text: '90 000,5' });
  expect(draftAmount('ETH', 'SBERRUB', 'ru')).toBeNull();
  expect(draftQuery()).toBe('?cur_from=BTC&cur_to=SBERRUB');
});

it('writes the amount as the other language does, and leaves what is no amount', () => {
  saveDraft({ amount: AMOUNT });
  expect(draftAmount('BTC', 'SBERRUB', 'en')?.text).toBe('90,000.5');
  saveDraft({ amount: { ...AMOUNT, text: '$100' } });
  expect(draftAmount('BTC', 'SBERRUB', 'en')?.text).toBe('$100');
});

it('is empty where the storage holds something else', () => {
  sessionStorage.setItem('agio.draft', '{');
  expect(readDraft()).toEqual({});
  expect(draftQuery()).toBe('');
});
