// @vitest-environment happy-dom
import { render } from '@testing-library/react';
import { Trans } from './Trans';
import { createTexts, loadTexts, TextsContext, translator } from './texts';

it.each([
  [1, 'Найдена 1 валюта'],
  [3, 'Найдено 3 валюты'],
  [11, 'Найдено 11 валют'],
  [22, 'Найдено 22 валюты'],
])('counts %i in Russian', async (count, text) => {
  const texts = await createTexts('ru');
  await loadTexts(texts, 'picker');
  expect(translator(texts, 'picker')('found', { count })).toBe(text);
});

it('fills the placeholders of a text', async () => {
  const texts = await createTexts('en');
  expect(translator(texts, 'common')('copied_what', { what: 'address' })).toBe('Copied: address');
});

it('inserts a value unchanged, whatever its name and content', async () => {
  const texts = await createTexts('en');
  texts.i18n.addResourceBundle('en', 'home', { promise: '{{ns}}, {{count}}, {{what}}' });
  const params = { ns: 'claim', count: '1.50', what: '$t(email) {{ns}} <b>&</b>' };
  expect(translator(texts, 'home')('promise', params)).toBe('claim, 1.50, $t(email) {{ns}} <b>&</b>');
});

it('inserts elements at their tags', async () => {
  const texts = await createTexts('en');
  texts.i18n.addResourceBundle('en', 'home', { promise: 'I accept <a>the rules</a> and <b>{{what}}</b>.' });
  const { container } = render(
    <TextsContext value={texts}>
      <Trans
        ns="home"
        i18nKey="promise"
        values={{ what: 'more' }}
        components={{ a: <a href="/rules">-</a>, b: <b /> }}
      />
    </TextsContext>,
  );
  expect(container.innerHTML).toBe('I accept <a href="/rules">the rules</a> and <b>more</b>.');
});
