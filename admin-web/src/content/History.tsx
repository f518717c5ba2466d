import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { useGet, useList } from '../api/index.ts';
import { Button, ErrorNote, List, SkeletonRows, useTexts } from '../ui/index.ts';
import css from './Content.module.css';
import { difference, nearChanges } from './difference.ts';
import type { ContentPage, Locale } from './EditorScreen.tsx';

type Props = {
  page: string;
  present: number;
  locale: Locale;
  /** Puts the text of a version into the editor; absent for those who only read. */
  onRestore?: (version: ContentPage) => void;
};

/** Every version of a page, with what each changed. */
export function History({ page, present, locale, onRestore }: Props) {
  const { t } = useTexts();
  const [open, setOpen] = useState<number | null>(null);
  const list = useList('/content/{page}/versions', { path: { page } });
  return (
    <section className={css.history} aria-labelledby="versions">
      <h2 id="versions" className={css.historyTitle}>
        {t('content.history')}
      </h2>
      <List list={list} within bones={{ rows: 3, height: 42 }}>
        {(versions) =>
          versions.map((row) => (
            <div key={row.version} className={css.version}>
              <Line version={row} isOpen={open === row.version} onOpen={setOpen} />
              {open === row.version && (
                <Changes page={page} version={row.version} present={present} locale={locale} onRestore={onRestore} />
              )}
            </div>
          ))
        }
      </List>
    </section>
  );
}

type LineProps = {
  version: Schema<'ContentVersionSummary'>;
  isOpen: boolean;
  onOpen: (version: number | null) => void;
};

function Line({ version, isOpen, onOpen }: LineProps) {
  const { t, dateTimeText } = useTexts();
  return (
    <button
      type="button"
      className={css.line}
      aria-expanded={isOpen}
      onClick={() => onOpen(isOpen ? null : version.version)}
    >
      <strong>{version.version}</strong>
      <span>{version.note || t('content.builtIn')}</span>
      <span className={css.muted}>
        {version.publishedBy && `${version.publishedBy}, `}
        <time dateTime={version.publishedAt}>{dateTimeText(version.publishedAt)}</time>
        {` · ${version.changed.join(', ').toUpperCase()}`}
      </span>
    </button>
  );
}

/** What a version changed in one language, and the way back to it. */
function Changes({ page, version, present, locale, onRestore }: Props & { version: number }) {
  const { t } = useTexts();
  const now = useGet('/content/{page}', { path: { page }, query: { version } });
  const before = useGet('/content/{page}', { path: { page }, query: { version: version - 1 }, enabled: version > 1 });
  const { data } = now;
  const failed = now.error ?? before.error;
  if (failed) return <ErrorNote error={failed} />;
  if (!data || (version > 1 && !before.data)) return <SkeletonRows rows={3} height={24} />;
  const whole = (content: ContentPage) => {
    const { title, description, markdown } = content[locale];
    return `${title}\n${description}\n\n${markdown}`;
  };
  const lines = before.data ? difference(whole(before.data), whole(data)) : null;
  const isSame = lines?.every(({ kind }) => kind === 'same');
  return (
    <div className={css.changes}>
      {lines === null && <p className={css.muted}>{t('content.first')}</p>}
      {isSame && <p className={css.muted}>{t('content.same')}</p>}
      {lines && !isSame && (
        <section className={css.lines} aria-label={t('content.compare')} lang={locale}>
          {nearChanges(lines).map((line, at) =>
            line === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of two texts that do not change have no other names.
              <hr key={at} />
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of two texts that do not change have no other names.
              <p key={at} className={css[line.kind]}>
                {line.kind !== 'same' && <span className="visually-hidden">{t(`content.${line.kind}`)}: </span>}
                {line.text || '\u00a0'}
              </p>
            ),
          )}
        </section>
      )}
      {onRestore && version !== present && (
        <Button size="small" onClick={() => onRestore(data)}>
          {t('content.restore')}
        </Button>
      )}
    </div>
  );
}
