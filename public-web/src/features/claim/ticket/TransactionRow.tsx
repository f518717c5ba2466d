import type { ClaimStatus } from '../../../api/types';
import { CopyButton } from '../../../components/CopyButton';
import { useT } from '../../../i18n/texts';
import { shortHash } from '../model/sums';
import { Row } from './CopyRow';
import css from './rows.module.css';

interface Props {
  transaction: ClaimStatus['txIn'];
  label: string;
  kind: string;
}

/** A transaction with a link to a block explorer, or its number to copy. */
export function TransactionRow({ transaction, label, kind }: Props) {
  const t = useT('claim');
  if (transaction === null) return null;
  const what = t(kind === 'crypto' ? 'progress.transaction' : 'progress.operation');
  const address = explorerAddress(transaction.url);
  return (
    <Row
      label={`${label}, ${what}`}
      end={
        address === null ? (
          <CopyButton className={css.button} value={transaction.id} what={t('what.transaction')} />
        ) : (
          <a className={css.explorer} href={address} target="_blank" rel="noreferrer">
            <svg className="ico" viewBox="0 0 20 20" aria-hidden="true">
              <path d="M8 4H4v12h12v-4M11 4h5v5M16 4l-7 7" />
            </svg>
            <span>{t('confirmations.explorer')}</span>
          </a>
        )
      }
    >
      <code className={css.code} title={transaction.id}>
        <span className={css.onScreen}>{shortHash(transaction.id)}</span>
        <span className={css.onPaper}>{transaction.id}</span>
      </code>
    </Row>
  );
}

const explorerAddress = (url: string | null): string | null => (url?.startsWith('https://') ? url : null);
