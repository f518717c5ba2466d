import type { Schema } from '@agio/client/admin';
import polyglotI18nProvider from 'ra-i18n-polyglot';
import type { TranslationMessages } from 'react-admin';
import { describe, expect, it } from 'vitest';
import { reasonsFor } from '../claims/transitionFields.ts';
import { en } from './en.ts';
import { ru } from './ru.ts';

type Tree = { [key: string]: string | Tree };

const flat = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : flat(value, `${path}${key}.`),
  );

const russian = flat(ru);
const english = flat(en);
const placeholders = (text: string) => [...new Set(text.match(/%\{\w+\}/g) ?? [])].sort();

describe('the dictionaries', () => {
  it('say the same things in both languages', () => {
    expect(english.map(([key]) => key).sort()).toEqual(russian.map(([key]) => key).sort());
  });

  it('fill in the same values', () => {
    const words = new Map(english);
    const different = russian.filter(
      ([key, text]) => placeholders(text).join() !== placeholders(words.get(key) ?? '').join(),
    );
    expect(different).toEqual([]);
  });

  it('leave nothing empty and nothing in the other language', () => {
    expect(russian.filter(([, text]) => text.trim() === '')).toEqual([]);
    expect(english.filter(([, text]) => text.trim() === '' || /[а-яё]/i.test(text))).toEqual([]);
  });

  it('count in Russian as Russians do', () => {
    const { translate } = polyglotI18nProvider(() => ru as unknown as TranslationMessages, 'ru');
    expect(translate('pairs.chosen', { smart_count: 1 })).toBe('Выбрано 1 направление');
    expect(translate('pairs.chosen', { smart_count: 3 })).toBe('Выбрано 3 направления');
    expect(translate('pairs.chosen', { smart_count: 11 })).toBe('Выбрано 11 направлений');
  });

  it('give every plural three forms in Russian and two in English', () => {
    const forms = (text: string) => text.split('||||').length;
    expect(russian.filter(([, text]) => text.includes('||||') && forms(text) !== 3)).toEqual([]);
    expect(english.filter(([, text]) => text.includes('||||') && forms(text) !== 2)).toEqual([]);
  });

  it('name every state, every step of the console and every reason offered', () => {
    expect(Object.keys(ru.status)).toHaveLength(20);
    expect(Object.keys(ru.statusFull)).toEqual(Object.keys(ru.status));
    // A verification is decided where its photos are looked at.
    const actions = Object.keys(ru.moves) as Schema<'AllowedTransition'>['action'][];
    expect(actions).toHaveLength(19);
    for (const action of actions) {
      expect(ru.steps).toHaveProperty(action);
      for (const reason of reasonsFor(action)) expect(ru.reasons).toHaveProperty(reason);
    }
  });
});
