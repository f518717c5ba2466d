import type { PaymentAttempt } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { CopyButton } from '../ui/Copy.tsx';
import { momentText } from '../ui/format.ts';
import { EmptyNote, Refusal } from '../ui/States.tsx';
import { Sum } from '../ui/Sum.tsx';
import css from '../ui/Table.module.css';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import own from './Payments.module.css';
import { WordDialog } from './WordDialog.tsx';

/** Tries to send money; those whose outcome nobody knows come first. */
export function Attempts({ rows }: { rows: PaymentAttempt[] }) {
  const { t } = useWords();
  const saved = useSaved();
  const { canAccess: maySettle = false } = useCanAccess({ resource: 'paymentsSettle', action: 'edit' });
  const [again, setAgain] = useState<{ attempt: PaymentAttempt; key: string } | null>(null);
  const ask = useMutation({
    mutationFn: (id: string) => api.askPaymentAttempt(id),
    onSuccess: (now) =>
      saved(t('payments.driverSays', { state: t(`payments.states.${now.state}`) }), KEYS.paymentAttempts),
  });
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('payments.attempts')}</h2>
      </div>
      <Refusal error={ask.error} />
      {rows.length === 0 && <EmptyNote title={t('payments.noAttempts')} />}
      {rows.length > 0 && (
        <div className={css.wrap}>
          <table className={`${css.table} ${css.stacks}`}>
            <thead>
              <tr>
                <th scope="col">{t('payments.claim')}</th>
                <th scope="col" className={css.right}>
                  {t('payments.amount')}
                </th>
                <th scope="col">{t('payments.outcome')}</th>
                <th scope="col" className={css.wide}>
                  {t('payments.written')}
                </th>
                <th scope="col">
                  <span className="visually-hidden">{t('payments.ask')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Attempt
                  key={row.id}
                  row={row}
                  onAsk={maySettle && isOpen(row) ? () => ask.mutate(row.id) : null}
                  onAgain={maySettle && isOver(row) ? () => setAgain({ attempt: row, key: crypto.randomUUID() }) : null}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {again && (
        <WordDialog
          title={t('payments.againTitle', { number: again.attempt.claimNumber })}
          text={t('payments.againText')}
          label={t('payments.note')}
          submit={t('payments.again')}
          send={(note) => api.retryPaymentAttempt(again.attempt.id, note, again.key)}
          onDone={() => saved(t('payments.againDone'), KEYS.paymentAttempts, KEYS.claims)}
          onClose={() => setAgain(null)}
        />
      )}
    </section>
  );
}

const isOpen = ({ state }: PaymentAttempt) => ['sending', 'unknown', 'sent'].includes(state);
const isOver = ({ state, kind }: PaymentAttempt) => kind === 'payout' && ['never_sent', 'returned'].includes(state);

function Attempt({
  row,
  onAsk,
  onAgain,
}: {
  row: PaymentAttempt;
  onAsk: (() => void) | null;
  onAgain: (() => void) | null;
}) {
  const { t, language } = useWords();
  const isBad = ['unknown', 'never_sent', 'returned'].includes(row.state);
  return (
    <tr>
      <td>
        <Link to={`/claims/${row.claim}`}>№ {row.claimNumber}</Link>
        <span className={own.lines}>{t(`payments.kinds.${row.kind}`)}</span>
      </td>
      <td className={css.right}>
        <Sum value={row.amount} code={row.currency} />
      </td>
      <td className={css.full}>
        <span className={isBad ? css.bad : undefined}>{t(`payments.states.${row.state}`)}</span>
        {row.txId && (
          <span className={own.lines}>
            {row.txId} <CopyButton value={row.txId} label={row.txId} />
          </span>
        )}
        {row.fault && <span className={own.lines}>{row.fault}</span>}
        {row.staff && <span className={own.lines}>{row.staff}</span>}
      </td>
      <td className={`${css.small} ${css.wide}`}>{momentText(row.createdAt, language)}</td>
      <td className={`${css.actions} ${css.full}`}>
        {onAsk && <Button onClick={onAsk}>{t('payments.ask')}</Button>}
        {onAgain && <Button onClick={onAgain}>{t('payments.again')}</Button>}
      </td>
    </tr>
  );
}
