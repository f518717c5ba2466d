/**
 * Whether this browser can show notifications of the site: `install` on an iPhone or iPad, which lets only sites on the
 * home screen do it.
 */
export function pushSupport(): 'yes' | 'install' | 'no' {
  if ('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window) return 'yes';
  const isInstalled = 'standalone' in navigator && navigator.standalone === true;
  return 'standalone' in navigator && navigator.maxTouchPoints > 0 && !isInstalled ? 'install' : 'no';
}
