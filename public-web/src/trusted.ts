/**
 * Names the few places where text becomes a document or a script, for browsers that are told to require it
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
  // Parsed into a document that is not shown and runs nothing (sanitise.tsx), or a text that the server has cleaned (Text.tsx).
  createHTML: (html) => html,
  // Only addresses the bundler wrote into the code.
  createScriptURL: (address) => address,
};

const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;

export const trusted: Policy = factory?.createPolicy('agio', rules) ?? rules;
