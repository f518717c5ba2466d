/** The contrast of colours after WCAG 2.2, as the server checks it (platform/brand/src/accent.rs). */

export const DEFAULT_ACCENT = '#ffd23f';
const INK = '#122b2c';
const WHITE = '#ffffff';

export const PAPERS = { light: '#eef3ef', dark: '#071314' } as const;
export type Theme = keyof typeof PAPERS;

const TEXT_MIN = 4.5;
const GRAPHIC_MIN = 3;

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

function luminance(color: string): number {
  const parts = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const [red = 0, green = 0, blue = 0] = parts;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one: string, two: string): number {
  const [a, b] = [luminance(one), luminance(two)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Ink or white, whichever is easier to read on an accent. */
export const textOn = (accent: string): string => (contrast(accent, INK) >= contrast(accent, WHITE) ? INK : WHITE);

/** Cut, not rounded: 4.49 must not be shown as 4.5. */
const figure = (value: number): string => (Math.floor(value * 100) / 100).toFixed(2);

/** The figures of an accent in a theme, and whether each suffices. The default is as the site was drawn. */
export function figuresOf(accent: string, theme: Theme) {
  const text = contrast(accent, textOn(accent));
  const graphic = contrast(accent, PAPERS[theme]);
  const isDefault = accent === DEFAULT_ACCENT;
  return {
    text: { value: figure(text), isEnough: text >= TEXT_MIN },
    graphic: { value: figure(graphic), isEnough: isDefault || graphic >= GRAPHIC_MIN },
  };
}

/** The accents of both themes; what is not a colour yet counts as not set. */
export function accentsOf(light: string, dark: string): Record<Theme, string> {
  const first = isColor(light) ? light.toLowerCase() : DEFAULT_ACCENT;
  return { light: first, dark: isColor(dark) ? dark.toLowerCase() : first };
}
