/**
 * The few places where text becomes a document or a script, for browsers that require trusted types
 * (require-trusted-types-for 'script').
 */
interface Policy {
  createHTML(html: string): string;
  createScriptURL(address: string): string;
}

interface Factory {
  createPolicy(name: string, rules: Policy): Policy;
}

const rules: Policy = {
  // Parsed into an inert document (sanitise.tsx), or a text sanitized by the server (Text.tsx).
  createHTML: (html) => html,
  // Only addresses written by the bundler.
  createScriptURL: (address) => address,
};

const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;

export const trusted: Policy = factory?.createPolicy('agio', rules) ?? rules;
