// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import type { Pair, PromoCodeResult } from '../../../api/types';
import { createTexts, loadTexts, TextsContext } from '../../../i18n/texts';
import type { Calculator } from '../calculator/useCalculator';
import { Promo } from './Promo';
import { asking } from './promo';
import type { Stub } from './useStub';

const resultOf = (part: Partial<PromoCodeResult>): PromoCodeResult => ({
  code: 'SPRING',
  ok: true,
  reason: null,
  text: '',
  min: null,
  ...part,
});

const pairWith = (part: Partial<Pair>) =>
  ({ bonus: '0', bonuses: [], bonusCut: null, promo: null, ...part }) as unknown as Pair;

/** The field over a server that answers every code so. */
async function open(answer: (promo: string | undefined) => Pair, errors: Record<string, string> = {}) {
  const texts = await createTexts('ru');
  await Promise.all([loadTexts(texts, 'account'), loadTexts(texts, 'home')]);
  const stub = { errors, setErrors: () => undefined } as unknown as Stub;
  let redraw: (pair: Pair) => void = () => undefined;
  const renew = async () => {
    const pair = answer(asking.promo);
    redraw(pair);
    return pair;
  };
  const drawn = (pair: Pair) => (
    <TextsContext value={texts}>
      <Promo stub={stub} calculator={{ pair, renew } as unknown as Calculator} isOpen={false} />
    </TextsContext>
  );
  const { rerender } = render(drawn(answer(undefined)));
  redraw = (pair) => rerender(drawn(pair));
}

const press = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));

async function type(code: string): Promise<void> {
  await press('Есть промокод?');
  fireEvent.change(screen.getByLabelText('Промокод'), { target: { value: code } });
  await press('Применить');
}

afterEach(cleanup);

it('an applied code is shown with the bonus and its reason', async () => {
  const part = { kind: 'promo' as const, percent: '0.5', code: 'SPRING', text: 'промокод SPRING' };
  await open((promo) => (promo ? pairWith({ bonus: '0.5', bonuses: [part], promo: resultOf({}) }) : pairWith({})));
  await type(' spring ');
  expect(asking.promo).toBe('spring');
  expect(screen.getByText(/Промокод SPRING уже в курсе/)).toBeTruthy();
  expect(screen.getByText(/В курсе бонус 0,5/).textContent).toContain('промокод SPRING 0,5');
  await press('Убрать');
  expect(asking.promo).toBeUndefined();
  expect(screen.queryByText(/уже в курсе/)).toBeNull();
});

it('a refused code shows why and is not sent again', async () => {
  const refused = resultOf({ ok: false, reason: 'promo_expired', text: 'Промокод больше не действует.' });
  await open((promo) => pairWith({ promo: promo ? refused : null }));
  await type('OLD');
  expect(screen.getByText('Промокод больше не действует.')).toBeTruthy();
  expect(asking.promo).toBeUndefined();
  expect(screen.getByLabelText<HTMLInputElement>('Промокод').getAttribute('aria-invalid')).toBe('true');
});

it('a code that adds nothing here stays for another direction', async () => {
  const idle = resultOf({ ok: false, reason: 'promo_adds_nothing', text: 'Он не будет потрачен.' });
  await open((promo) => pairWith({ promo: promo ? idle : null }));
  await type('SPRING');
  expect(asking.promo).toBe('SPRING');
  expect(screen.getByText(/Он не будет потрачен/)).toBeTruthy();
});

it("the server's refusal of a claim's code is shown beside it", async () => {
  await open(() => pairWith({ promo: resultOf({}) }), { 'extras.promo': 'Промокод уже использован.' });
  expect(screen.getByText(/Промокод уже использован/)).toBeTruthy();
});
