// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { show } from '../testing/console.tsx';
import { AuditValue, useAuditTexts } from './AuditValue.tsx';

afterEach(cleanup);

function Part({ name, value }: { name: string; value: string }) {
  const texts = useAuditTexts();
  return (
    <p>
      {texts.label(name)}: <AuditValue name={name} value={value} texts={texts} />
    </p>
  );
}

it.each([
  ['reason', 'payment_not_found', 'reason: Payment not found'],
  ['reason', 'withdrawal', 'reason: Withdrawal'],
  ['reason', 'as the customer asked', 'reason: as the customer asked'],
  ['state', 'rejected', 'state: Rejected'],
  ['state', 'asked', 'state: photos awaited'],
  ['send', '0.1 BTC', 'gives: 0.1 BTC'],
])('words %s %s', async (name, value, text) => {
  await show(<Part name={name} value={value} />);
  expect((await screen.findByText(/:/)).textContent).toBe(text);
});
