import type { Schema } from '@agio/client/admin';
import { describe, expect, it } from 'vitest';
import { changesOf, draftOf, isMissing, type Plugin } from './settings.ts';

const field = (name: string, rest: Partial<Schema<'PluginSettingView'>>): Schema<'PluginSettingView'> => ({
  name,
  title: name,
  kind: 'text',
  min: null,
  max: null,
  choices: [],
  default: null,
  value: null,
  isSet: false,
  ...rest,
});

const token = field('token', { kind: 'secret', isSet: true });
const chat = field('chat', { value: '-100', isSet: true });
const url = field('url', { kind: 'url', default: 'https://api.example.com' });
const plugin = { settings: [token, chat, url] } as Plugin;

describe('the form of a plugin', () => {
  it('never has a secret in it, and keeps it when nothing is typed', () => {
    expect(draftOf(plugin)).toEqual({ token: '', chat: '-100', url: '' });
    expect(changesOf(plugin, draftOf(plugin))).toEqual({});
    expect(changesOf(plugin, { ...draftOf(plugin), token: ' new ' })).toEqual({ token: 'new' });
  });

  it('goes back to the default where a line is emptied', () => {
    const set = { settings: [{ ...url, value: 'https://other.example', isSet: true }] } as Plugin;
    expect(changesOf(set, { url: '' })).toEqual({ url: null });
    expect(changesOf(set, { url: 'https://third.example' })).toEqual({ url: 'https://third.example' });
  });

  it('wants what has no default and is not set', () => {
    expect(isMissing(chat, { chat: '' })).toBe(true);
    expect(isMissing(token, { token: '' })).toBe(false);
    expect(isMissing(url, { url: '' })).toBe(false);
  });
});
