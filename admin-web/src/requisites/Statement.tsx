import { Link } from 'react-router';
import { api, useAction, useGet, useList } from '../api/index.ts';
import { isZero } from '../ui/decimal.ts';
import { Amount, Aside, AuditLink, Button, List, Refusal, useTexts } from '../ui/index.ts';
import { saveFile } from '../ui/saveFile.ts';
import css from '../ui/Table.module.css';
import type { PaymentRequisite } from './limits.ts';
import { Usage } from './Usage.tsx';

/** The claims that got payment details, the newest first, with their sums by day and month. */
export function Statement({ row, code, onClose }: { row: PaymentRequisite; code: string; onClose: () => void }) {
  const { t, language, dateTimeText, longDayText } = useTexts();
  const path = { id: row.id };
  const list = useList('/requisites/{id}/statement', { path });
  const { data: totals } = useGet('/requisites/{id}/totals', { path });
  const download = useAction({
    run: () => api.GET('/requisites/{id}/statement/csv', { params: { path }, parseAs: 'blob' }),
    stale: [],
    onDone: (table) => saveFile(`${code}-${row.id.slice(0, 8)}.csv`, table),
  });
  return (
    <Aside title={t('requisites.statementOf', { code })} onClose={onClose}>
      <p className={css.small}>{row.value}</p>
      <div className={css.footer}>
        <Button disabled={list.rows.length === 0 || download.isPending} onClick={() => download.mutate()}>
          {t('requisites.download')}
        </Button>
        <AuditLink kind="requisite" id={row.id} />
      </div>
      <Refusal error={download.error} />
      <div>
        <Usage row={row} />
      </div>
      {totals && totals.days.length > 0 && (
        <>
          <Sums
            title={t('requisites.byDay')}
            sums={totals.days.slice(0, 7)}
            text={(from) => longDayText(from.slice(0, 10))}
          />
          <Sums title={t('requisites.byMonth')} sums={totals.months} text={(from) => monthText(from, language)} />
        </>
      )}
      <List list={list} within bones={{ rows: 6 }} empty={{ title: t('requisites.noClaims') }}>
        {(rows) => (
          <ul>
            {rows.map(({ claimId, publicId, status, amount, received, at, memo }) => (
              <li key={claimId} className={css.movement}>
                <span>
                  <Link to={`/claims/${claimId}`}>№&nbsp;{publicId}</Link>
                  <span className={css.line}>{t(`statusFull.${status}`)}</span>
                  {memo && <span className={css.line}>memo {memo}</span>}
                </span>
                <span className={css.right}>
                  <Amount value={amount} />
                  {!isZero(received) && received !== amount && (
                    <span className={css.line}>
                      {t('requisites.received')} <Amount value={received} />
                    </span>
                  )}
                  <time className={css.line} dateTime={at}>
                    {dateTimeText(at)}
                  </time>
                </span>
              </li>
            ))}
          </ul>
        )}
      </List>
    </Aside>
  );
}

/** Months are those of UTC, as the limits are. */
const monthText = (from: string, language: string): string =>
  new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(from));

type SumsProps = {
  title: string;
  sums: { from: string; amount: string; claims: number }[];
  text: (from: string) => string;
};

function Sums({ title, sums, text }: SumsProps) {
  const { t } = useTexts();
  return (
    <section aria-label={title}>
      <h3 className={css.small}>{title}</h3>
      <ul>
        {sums.map(({ from, amount, claims }) => (
          <li key={from} className={css.movement}>
            <span>
              {text(from)} <span className={css.small}>{t('requisites.claims', { smart_count: claims })}</span>
            </span>
            <Amount value={amount} />
          </li>
        ))}
      </ul>
    </section>
  );
}
