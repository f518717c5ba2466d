// Pages are tested in a made-up browser, which a busy machine slows down tenfold: what a test waits for may take long.
if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/dom');
  configure({ asyncUtilTimeout: 20_000 });
}

export {};
