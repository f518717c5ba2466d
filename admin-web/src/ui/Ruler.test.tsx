// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { show } from '../testing/console.tsx';
import { Ruler, type RulerMark } from './Ruler.tsx';

afterEach(cleanup);

it('counts the claims that find no place above one another', async () => {
  const dueAt = Date.now() + 20 * 60_000;
  const marks = Array.from(
    { length: 22 },
    (_, id): RulerMark => ({ id: `${id}`, name: `№ ${id}`, dueAt, turn: 'ours' }),
  );
  await show(<Ruler marks={marks} to={(id) => `/claims/${id}`} />);
  expect(await screen.findAllByRole('link')).toHaveLength(4);
  expect(screen.getByText('+19')).toBeTruthy();
  expect(screen.getByTitle(/18 more due then$/)).toBeTruthy();
});
