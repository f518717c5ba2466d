// @vitest-environment happy-dom
import type { Schema } from '@agio/client/admin';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, show } from '../testing/console.tsx';
import { ApprovalFacts } from './ApprovalFacts.tsx';

const server = fakeServer();

it('shows cards and addresses in groups, to be compared with another screen, and all other texts as they are', async () => {
  server.current.on('GET /currencies', () => ({ body: [] }));
  const facts = [
    { label: 'To', before: null, after: '2200000000000004, IVAN PETROV' },
    { label: 'Address', before: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', after: 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7' },
    { label: 'Support', before: null, after: 'https://example.com/support/contacts' },
  ];
  await show(<ApprovalFacts approval={{ facts } as Schema<'ApprovalRequestView'>} />);
  const groupsOf = (label: string) =>
    [...(screen.getByText(label).nextElementSibling?.querySelectorAll('ins span:not(:has(*))') ?? [])].map(
      (part) => part.textContent,
    );
  expect(groupsOf('To')).toEqual(['2200', '0000', '0000', '0004', 'IVAN PETROV']);
  expect(groupsOf('Address').join('')).toBe('TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7');
  expect(groupsOf('Address')).toHaveLength(9);
  expect(screen.getByText('https://example.com/support/contacts')).toBeTruthy();
});
