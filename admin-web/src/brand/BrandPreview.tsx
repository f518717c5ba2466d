import { useTexts } from '../ui/index.ts';
import css from './Brand.module.css';
import { accentsOf, figuresOf, PAPERS, type Theme, textOn } from './contrast.ts';
import { type BrandDetails, familyOf } from './draft.ts';

const INKS: Record<Theme, string> = { light: '#0b2322', dark: '#e9efea' };

/** The top of the site and its main button in both themes, as customers would see them. */
export function BrandPreview({ draft, logo }: { draft: BrandDetails; logo: string | null }) {
  const { t } = useTexts();
  const accents = accentsOf(draft.accent, draft.accentDark);
  return (
    <>
      {(['light', 'dark'] as const).map((theme) => {
        const accent = accents[theme];
        const figures = figuresOf(accent, theme);
        return (
          <figure key={theme} className={css.preview}>
            <div
              className={css.paper}
              style={{ background: PAPERS[theme], color: INKS[theme], fontFamily: familyOf(draft.typeface) }}
            >
              <span className={css.site}>
                {logo && <img src={logo} alt="" />}
                {!(logo && draft.logoHasName) && <span>{draft.siteName}</span>}
              </span>
              <span className={css.button} style={{ background: accent, color: textOn(accent) }}>
                {t('brand.button')}
              </span>
            </div>
            <figcaption className={css.figures}>
              {t(`brand.themes.${theme}`)}:{' '}
              {(['text', 'graphic'] as const).map((kind) => (
                <span key={kind} className={figures[kind].isEnough ? undefined : css.low}>
                  {t(`brand.contrast.${kind}`, { value: figures[kind].value })}
                </span>
              ))}
            </figcaption>
          </figure>
        );
      })}
    </>
  );
}
