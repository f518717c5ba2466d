// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { show } from '../testing/console.tsx';
import { UrgentSection } from './UrgentSection.tsx';
import type { DashboardItem, SectionName } from './urgent.ts';

afterEach(cleanup);

const item = (kind: DashboardItem['kind'], id: number): DashboardItem => ({
  kind,
  id: String(id),
  publicId: id,
  status: kind === 'pair' ? 'no_rate' : kind === 'claim' ? 'new' : null,
  from: 'BTC',
  to: 'ETH',
  available: '0',
  floor: '1',
  dueAt: null,
});

it.each([
  ['late', 'claim', '2 more claims', '/claims'],
  ['pair', 'pair', '2 more directions', '/pairs'],
  ['reserve', 'reserve', '2 more reserves', '/reserves'],
  ['details', 'details', '2 more currencies', '/requisites'],
] as [SectionName, DashboardItem['kind'], string, string][])(
  'leads from the section %s to where the rest of it is',
  async (name, kind, label, address) => {
    const items = Array.from({ length: 14 }, (_, id) => item(kind, id));
    await show(<UrgentSection section={{ name, items }} />);
    expect((await screen.findByRole('link', { name: label })).getAttribute('href')).toBe(address);
  },
);
