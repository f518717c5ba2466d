import { type ReactNode, useCallback, useState } from 'react';
import { call } from '../../../api/client';
import type { Directions } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { CopyButton } from '../../../components/CopyButton';
import { shortName } from '../../../components/currencyName';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import styles from './referrer.module.css';

const THEMES = ['auto', 'light', 'dark'] as const;
const WIDTHS = ['320', '420', 'full'] as const;

/** The code that puts the calculator on the customer's own site, and how it looks there. */
export function EmbedCode({ code }: { code: string }) {
  const t = useT('account');
  const locale = useLocale();
  const [wanted, setWanted] = useState({ from: '', to: '', theme: 'auto', width: '420' });
  const ask = useCallback(() => call(locale, 'GET /calculator/', {}), [locale]);
  const [answer] = useAnswer(ask);
  const directions = answer.state === 'ready' ? answer.value.directions : [];
  const choose = (name: keyof typeof wanted) => (value: string) => setWanted({ ...wanted, [name]: value });

  const { from, to, theme, width } = wanted;
  const given = Object.entries({ from, to, rid: code, theme, lang: locale }).filter(([, value]) => value !== '');
  const size = width === 'full' ? '' : ` data-width="${width}"`;
  const attributes = given.map(([name, value]) => ` data-${name}="${value}"`).join('');
  const script = `<script async src="${window.location.origin}/embed.js"${attributes}${size}></script>`;
  return (
    <div className={styles.embed}>
      <p>{t('embed.hint')}</p>
      <div className={styles.filter}>
        <Currencies
          label={t('embed.from')}
          value={from}
          set={choose('from')}
          of={directions.filter(({ send }) => send)}
        />
        <Currencies
          label={t('embed.to')}
          value={to}
          set={choose('to')}
          of={directions.filter(({ receive }) => receive)}
        />
        <Choice label={t('embed.theme')} value={theme} set={choose('theme')}>
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {t(`embed.theme.${one}`)}
            </option>
          ))}
        </Choice>
        <Choice label={t('embed.width')} value={width} set={choose('width')}>
          {WIDTHS.map((one) => (
            <option key={one} value={one}>
              {one === 'full' ? t('embed.width.full') : t('embed.width.pixels', { pixels: one })}
            </option>
          ))}
        </Choice>
      </div>
      <div className={styles.address}>
        <p className={styles.link}>{script}</p>
        <CopyButton value={script} what={t('embed.code')} />
      </div>
      <iframe
        className={styles.preview}
        style={width === 'full' ? undefined : { maxWidth: `${width}px` }}
        title={t('embed.preview')}
        src={`/embed?${new URLSearchParams(given)}`}
        loading="lazy"
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  set: (value: string) => void;
}

function Choice({ label, value, set, children }: ChoiceProps & { children: ReactNode }) {
  return (
    <label className={styles.choice}>
      <span className="small muted">{label}</span>
      <select value={value} onChange={(event) => set(event.target.value)}>
        {children}
      </select>
    </label>
  );
}

function Currencies({ of, ...choice }: ChoiceProps & { of: Directions['directions'] }) {
  const t = useT('account');
  return (
    <Choice {...choice}>
      <option value="">{t('embed.any')}</option>
      {of.map((currency) => (
        <option key={currency.id} value={currency.code}>
          {shortName(currency)}
        </option>
      ))}
    </Choice>
  );
}
