import { useEffect, useId, useRef, useState } from 'react';
import type { CaptchaProvider } from '../api/types';
import { Button } from '../components/Button';
import { Icon } from '../components/Icon';
import { useLocale } from '../i18n/locale';
import { useT } from '../i18n/texts';
import styles from './ProviderWidget.module.css';
import { widgetsOf } from './widgets';

interface PersonCheckProps {
  provider: CaptchaProvider;
  siteKey: string;
  onAnswer: (answer: string) => void;
  onClose: () => void;
}

/**
 * The provider's widget over the page. Not a modal dialog: providers append their puzzles to the page, where a modal
 * dialog would make them inert.
 */
export function ProviderWidget({ provider, siteKey, onAnswer, onClose }: PersonCheckProps) {
  const t = useT('captcha');
  const common = useT('common');
  const locale = useLocale();
  const titleId = useId();
  const card = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');

  useEffect(() => card.current?.focus(), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt draws the widget anew.
  useEffect(() => {
    let isGone = false;
    const change = (to: typeof state) => {
      if (!isGone) {
        setState(to);
      }
    };
    change('loading');
    widgetsOf(provider, locale)
      .then((widgets) => {
        if (!isGone && place.current) {
          widgets.render(place.current, {
            sitekey: siteKey,
            theme: isDark() ? 'dark' : 'light',
            language: locale,
            callback: onAnswer,
            'error-callback': () => change('failed'),
          });
          change('shown');
        }
      })
      .catch(() => change('failed'));
    return () => {
      isGone = true;
    };
  }, [provider, siteKey, locale, onAnswer, attempt]);

  return (
    <div className={styles.scrim}>
      <div
        ref={card}
        className={styles.card}
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        tabIndex={-1}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      >
        <h2 id={titleId}>{t('title')}</h2>
        <button type="button" className={styles.close} onClick={onClose} aria-label={common('close')}>
          <Icon name="close" />
        </button>
        <p className="muted">{t('text')}</p>
        <div className={styles.box}>
          <div key={attempt} ref={place} className={styles.place} />
          <p role="status" className={styles.loading}>
            {state === 'loading' && t('loading')}
          </p>
        </div>
        {state === 'failed' && (
          <>
            <p role="alert">{t('failed')}</p>
            <Button onClick={() => setAttempt(attempt + 1)}>{t('again')}</Button>
          </>
        )}
      </div>
    </div>
  );
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}
