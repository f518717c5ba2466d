import type { PaymentMovement } from '@agio/client/admin';
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

/** Money that came and that somebody should look at. */
export function Movements({ rows }: { rows: PaymentMovement[] }) {
  const { t } = useWords();
  const saved = useSaved();
  const { canAccess: maySettle = false } = useCanAccess({ resource: 'paymentsSettle', action: 'edit' });
  const [attached, setAttached] = useState<PaymentMovement | null>(null);
  const settle = useMutation({
    mutationFn: (id: number) => api.settlePaymentMovement(id),
    onSuccess: () => saved(t('payments.settled'), KEYS.paymentMovements),
  });
  if (rows.length === 0) return <EmptyNote title={t('payments.calm')} text={t('payments.calmText')} />;
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('payments.movements')}</h2>
      </div>
      <Refusal error={settle.error} />
      <div className={css.wrap}>
        <table className={`${css.table} ${css.stacks}`}>
          <thead>
            <tr>
              <th scope="col">{t('payments.why')}</th>
              <th scope="col" className={css.right}>
                {t('payments.amount')}
              </th>
              <th scope="col">{t('payments.transaction')}</th>
              <th scope="col" className={css.wide}>
                {t('payments.seen')}
              </th>
              <th scope="col">
                <span className="visually-hidden">{t('payments.attach')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Movement
                key={row.id}
                row={row}
                onAttach={maySettle && row.trouble === 'unclaimed' ? () => setAttached(row) : null}
                onSettle={maySettle ? () => settle.mutate(row.id) : null}
              />
            ))}
          </tbody>
        </table>
      </div>
      {attached && (
        <WordDialog
          title={t('payments.attachTitle')}
          text={t('payments.attachText')}
          label={t('payments.claimNumber')}
          submit={t('payments.attach')}
          accepts={(word) => /^\d{1,12}$/.test(word)}
          send={(word) => api.attachPaymentMovement(attached.id, Number(word))}
          onDone={() => saved(t('payments.attached'), KEYS.paymentMovements, KEYS.claims)}
          onClose={() => setAttached(null)}
        />
      )}
    </section>
  );
}

function Movement({
  row,
  onAttach,
  onSettle,
}: {
  row: PaymentMovement;
  onAttach: (() => void) | null;
  onSettle: (() => void) | null;
}) {
  const { t, language } = useWords();
  return (
    <tr>
      <td>
        <strong className={css.bad}>{t(`payments.troubles.${row.trouble}`)}</strong>
        {row.claim && (
          <span className={own.lines}>
            <Link to={`/claims/${row.claim}`}>{t('payments.claim')}</Link>
          </span>
        )}
      </td>
      <td className={css.right}>
        <Sum value={row.amount} code={row.currency} />
      </td>
      <td className={css.full}>
        <span className={own.lines}>
          {row.txId} <CopyButton value={row.txId} label={row.txId} />
        </span>
        <span className={own.lines}>{row.address}</span>
        {row.memo && <span className={own.lines}>{row.memo}</span>}
      </td>
      <td className={`${css.small} ${css.wide}`}>{momentText(row.createdAt, language)}</td>
      <td className={`${css.actions} ${css.full}`}>
        {onAttach && <Button onClick={onAttach}>{t('payments.attach')}</Button>}
        {onSettle && <Button onClick={onSettle}>{t('payments.settle')}</Button>}
      </td>
    </tr>
  );
}
