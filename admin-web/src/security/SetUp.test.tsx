// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { show } from '../testing/console.tsx';
import { RecoveryCodes } from './SetUp.tsx';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('offers to copy and to download the recovery codes', async () => {
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => `blob:${files.push(file as Blob)}`);
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
  await show(<RecoveryCodes codes={['aaaa-bbbb', 'cccc-dddd']} onSaved={() => {}} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Copy the codes' }));
  expect(copied).toHaveBeenCalledWith('aaaa-bbbb\ncccc-dddd');
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Download the codes' }));
  expect(await files[0]?.text()).toBe('aaaa-bbbb\ncccc-dddd\n');
});
