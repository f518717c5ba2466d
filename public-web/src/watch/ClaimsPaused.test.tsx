// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react';
import { AccountServer, forget, open } from '../session/testing';

afterEach(() => {
  cleanup();
  forget();
  vi.unstubAllGlobals();
});

describe.each([
  ['ru', '/', /^Новые заявки пока не принимаем/],
  ['en', '/en', /^New claims are paused/],
] as const)('the message about paused claims, %s', (locale, path, text) => {
  const at = async (claimsPaused: boolean) => {
    const server = new AccountServer();
    server.answers['GET /calculator/tech/'] = () =>
      Response.json({ technicalMode: { on: false, time: null }, claimsPaused });
    await open(path, server, locale);
    return server;
  };

  it('lies over the page while they are', async () => {
    const server = await at(true);
    const message = await screen.findByText(text);
    // It takes no place: the page does not move when it comes.
    expect(message.closest('[role="status"]')?.querySelector('button')).toBeTruthy();
    expect(screen.getByText('home')).toBeTruthy();
    expect(server.of('GET /calculator/tech/')).toHaveLength(1);
  });

  it('is absent otherwise', async () => {
    await at(false);
    expect(screen.queryByText(text)).toBeNull();
  });
});
