// A simulated browser on a busy machine is slow: waiting may take long.
if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/dom');
  configure({ asyncUtilTimeout: 20_000 });
  // As the server writes it into every page.
  document.head.innerHTML = '<script type="application/json" id="brand">{"name":"Agio"}</script>';
}

export {};
