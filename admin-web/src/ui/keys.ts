/** Keys by their place on the keyboard, so that they work in the Russian layout too. */

export type Press = {
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  repeat: boolean;
  target: EventTarget | null;
};

/** The name of a pressed key: `j`, `1`, `enter`, `?`, `/`. Null for keys without a use here. */
export function keyName(press: Press): string | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (press.code === 'Slash') return press.shiftKey ? '?' : '/';
  if (press.shiftKey) return null;
  const plain = /^(?:Key([A-Z])|(?:Digit|Numpad)([0-9])|(Enter|Escape))$/.exec(press.code);
  return (plain?.[1] ?? plain?.[2] ?? plain?.[3])?.toLowerCase() ?? null;
}

const FIELDS = 'input, textarea, select, [contenteditable="true"], [role="combobox"], [role="listbox"], [role="menu"]';
const PRESSABLE = 'button, a[href], [role="button"], [role="tab"], summary';

/** Whether the key belongs to the element under it: nothing fires inside a field, and Enter presses a button. */
export function isTaken(name: string, target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(FIELDS) || target.closest('[role="dialog"]')) return true;
  return name === 'enter' && target.closest(PRESSABLE) !== null;
}
