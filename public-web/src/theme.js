// Runs before the first paint: the theme this visitor chose, and the language they chose on the home page.
(() => {
  try {
    const theme = localStorage.getItem('agio.theme');
    if (theme === 'light' || theme === 'dark') {
      document.documentElement.dataset.theme = theme;
    }
  } catch {
    // Storage is closed to the page: the theme follows the system.
  }
  if (location.pathname === '/' && /(?:^|; )agio_lang=en(?:;|$)/.test(document.cookie)) {
    location.replace(`/en${location.search}${location.hash}`);
  }
})();
