// Runs before the first paint: the theme this visitor chose, the language they chose on the home page, the place for
// their open claims, the question of the address, and another attempt where the network loses the page's script. Style
// sheets that it loses are marked for again.ts.
(() => {
  const { dataset } = document.documentElement;
  try {
    const theme = localStorage.getItem('agio.theme');
    if (theme === 'light' || theme === 'dark') {
      dataset.theme = theme;
    }
    const read = (storage, key) => JSON.parse(storage.getItem(key) ?? 'null') ?? [];
    const { id, others = [] } = read(localStorage, 'agio.claim');
    const open = [id, ...others, ...read(sessionStorage, 'agio.claim.account')];
    // A claim's own page shows the others only.
    const [isClaim, part = id] = /^(?:\/en)?\/claim(?:\/([^/]+))?\/?$/.exec(location.pathname) ?? [];
    const final = part === 'success' || part === 'fail' ? new URLSearchParams(location.search).get('id') : part;
    const shown = isClaim ? final : undefined;
    if (open.some((one) => one && one !== shown) && !/^(\/en)?\/tech/.test(location.pathname)) {
      dataset.claims = '';
    }
  } catch {
    // Storage is closed to the page, or holds something else: the theme follows the system.
  }
  if (location.pathname === '/' && /(?:^|; )agio_lang=en(?:;|$)/.test(document.cookie)) {
    location.replace(`/en${location.search}${location.hash}`);
  }
  if (location.hash) {
    // The question of the address, until the page opens it (Information.tsx): what is below must not move.
    const sheet = new CSSStyleSheet();
    const id = CSS.escape(location.hash.slice(1));
    sheet.replaceSync(`details:has(#${id})::details-content{content-visibility:visible}`);
    document.adoptedStyleSheets = [sheet];
  }
  const load = (address, attempt) => {
    const again = () => {
      removeEventListener('online', again);
      clearTimeout(timer);
      import(address).catch(() => load(address, attempt + 1));
    };
    const timer = setTimeout(again, Math.min(500 * attempt, 5000));
    addEventListener('online', again);
  };
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLScriptElement && target.type === 'module') load(target.src, 1);
      else if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') target.dataset.lost = '';
    },
    true,
  );
})();
