import { createElement, Fragment, type ReactNode } from 'react';
import { trusted } from '../../../trusted';

/** The elements a notice may contain; of any other only the text stays. */
const ALLOWED = new Set(['a', 'b', 'br', 'em', 'i', 'li', 'ol', 'p', 'strong', 'u', 'ul']);

/** Elements whose text is dropped. */
const DROPPED = new Set(['script', 'style', 'template', 'iframe', 'object', 'noscript', 'svg', 'math']);

/**
 * Converts a notice's HTML into React elements: the markup is parsed into an inert document, and only known elements
 * are rebuilt, without their attributes.
 */
export function sanitised(html: string): ReactNode {
  const parsed = new DOMParser().parseFromString(trusted.createHTML(html), 'text/html');
  return children(parsed.body);
}

function children(node: Node): ReactNode {
  return [...node.childNodes].map((child, index) => rebuilt(child, index));
}

function rebuilt(node: Node, key: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element)) return null;
  const name = node.localName;
  if (DROPPED.has(name)) return null;
  if (name === 'br') return <br key={key} />;
  if (name === 'a') {
    const href = safeAddress(node.getAttribute('href'));
    return href === null ? (
      <Fragment key={key}>{children(node)}</Fragment>
    ) : (
      <a key={key} href={href} rel="noopener noreferrer nofollow" target={href.startsWith('/') ? undefined : '_blank'}>
        {children(node)}
      </a>
    );
  }
  return ALLOWED.has(name) ? (
    createElement(name, { key }, children(node))
  ) : (
    <Fragment key={key}>{children(node)}</Fragment>
  );
}

/** Addresses of pages, mailboxes and telephones; never scripts. */
function safeAddress(href: string | null): string | null {
  return href !== null && /^(https?:\/\/|mailto:|tel:|\/(?!\/))/i.test(href.trim()) ? href.trim() : null;
}
