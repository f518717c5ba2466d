/** Whether a text begins as typed but for one letter: another, a missing, an extra one, or two in the wrong order. */
export function isNear(text: string, typed: string): boolean {
  let at = 0;
  while (at < typed.length && typed[at] === text[at]) at++;
  const rest = typed.slice(at);
  return [
    rest.slice(1) === text.slice(at + 1, at + rest.length),
    rest.slice(1) === text.slice(at, at + rest.length - 1),
    rest === text.slice(at + 1, at + 1 + rest.length),
    rest.slice(2) === text.slice(at + 2, at + rest.length) && rest[0] === text[at + 1] && rest[1] === text[at],
  ].includes(true);
}
