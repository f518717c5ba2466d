/**
 * An email carries its styles in its markup, which the console's own policy forbids to every page, a frame's too. So they are put aside
 * before the frame is made, and given to the elements one by one when it is there.
 */
const ASIDE = 'data-look';

/** What a frame may load: nothing. Pictures that emails carry inside them are no request. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline' 'self'";

/** The email without scripts, with its styles put aside. */
export function framed(html: string, page: Document): string {
  const nonce = page.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
  // Before it is read, for reading a style is forbidden already. What an email quotes has its quotes escaped, so this finds markup alone.
  const readable = html.replaceAll(' style="', ` ${ASIDE}="`).replaceAll('<style>', `<style nonce="${nonce}">`);
  const email = new DOMParser().parseFromString(readable, 'text/html');
  for (const unwanted of email.querySelectorAll('script, base, link, meta[http-equiv], iframe, object, embed, form')) {
    unwanted.remove();
  }
  // An email is looked at here and followed nowhere: its links may hold what opens somebody's claim.
  for (const link of email.querySelectorAll('a[href]')) {
    link.setAttribute('title', link.getAttribute('href') ?? '');
    link.removeAttribute('href');
  }
  const policy = email.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = POLICY;
  email.head.prepend(policy);
  return `<!doctype html>${email.documentElement.outerHTML}`;
}

/** Gives the elements of a frame their styles, and the frame the height of its email. */
export function paint(frame: HTMLIFrameElement): void {
  const email = frame.contentDocument;
  if (!email) return;
  for (const element of email.querySelectorAll<HTMLElement>(`[${ASIDE}]`)) {
    element.style.cssText = element.getAttribute(ASIDE) ?? '';
  }
  frame.style.height = `${email.documentElement.scrollHeight}px`;
}
