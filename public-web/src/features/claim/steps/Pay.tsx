import type { ClaimPayment, ClaimSide } from '../../../api/types';
import { ButtonAnchor } from '../../../components/Button';
import { CopyButton } from '../../../components/CopyButton';
import { Qr } from '../../../components/Qr';
import { useT } from '../../../i18n/texts';
import { readable, useAmount } from '../model/useFormats';
import { Code, CopyRow, Row } from '../ticket/CopyRow';
import css from './Pay.module.css';

/** Schemes that wallets register. Any other payment link is shown as a code only, never as a link. */
const WALLET_LINK =
  /^(bitcoin|litecoin|dogecoin|bitcoincash|dash|zcash|ethereum|tron|ton|monero|ripple|xrpl|stellar|web\+stellar|solana|cardano|web\+cardano):/i;

/** The server accepts no other page. */
const PAGE = /^https:\/\//;

interface Props {
  payment: ClaimPayment;
  /** The given currency. */
  side: ClaimSide;
  /** The rest of a short payment, instead of the whole amount. */
  rest?: string;
}

/** The payment details with copy buttons, the memo first, and the QR code. */
export function Pay({ payment, side, rest }: Props) {
  const t = useT('claim');
  const amount = useAmount();
  const exact = rest ?? payment.amount;
  // The code contains the whole amount, so it would mislead a customer who sends only the rest; bank apps do not read
  // it.
  const uri = rest === undefined && (side.kind === 'crypto' || payment.page !== null) ? payment.paymentUri : null;
  return (
    <>
      {payment.memo !== null && <Memo memo={payment.memo} isTag={payment.memoKind === 'tag'} />}
      <div className={css.pay} data-qr={uri !== null}>
        {uri !== null && <QrColumn uri={uri} payment={payment} isPage={payment.page !== null} />}
        <div className={css.rows}>
          {payment.page !== null && <PageLink page={payment.page} />}
          {side.kind === 'cash' ? (
            <Row label={t('meeting.place')}>
              <span>{payment.value}</span>
            </Row>
          ) : (
            <CopyRow
              label={<ValueLabel payment={payment} side={side} />}
              value={payment.value}
              shown={<Code>{readable(payment)}</Code>}
              what={t('what.value')}
            />
          )}
          {payment.holder !== null && (
            <CopyRow label={t('pay.holder')} value={payment.holder} what={t('what.holder')} />
          )}
          <CopyRow label={t('pay.amount')} value={exact} shown={amount(exact, side)} what={t('what.amount')} large />
        </div>
      </div>
    </>
  );
}

/** The page of a bank or merchant. It opens here, because it leads back to the claim. */
function PageLink({ page }: { page: string }) {
  const t = useT('claim');
  if (!PAGE.test(page)) return null;
  return (
    <ButtonAnchor look="main" className={css.page} href={page}>
      {t('pay.page', { host: new URL(page).host })}
    </ButtonAnchor>
  );
}

function Memo({ memo, isTag }: { memo: string; isTag: boolean }) {
  const t = useT('claim');
  return (
    <div className={css.memo}>
      <span className={css.memoLabel}>{t(isTag ? 'pay.tag' : 'pay.memo')}</span>
      <span className={css.memoValue}>{memo}</span>
      <CopyButton value={memo} what={t(isTag ? 'what.tag' : 'what.memo')} />
      <p>{t('pay.memoText')}</p>
    </div>
  );
}

function QrColumn({ uri, payment, isPage }: { uri: string; payment: ClaimPayment; isPage: boolean }) {
  const t = useT('claim');
  return (
    <div className={css.qr}>
      <Qr text={uri} label={t('pay.qr')} />
      <p className={css.caption}>
        {t(isPage ? 'pay.qrPage' : captionKey(uri, payment))}{' '}
        {WALLET_LINK.test(uri) && (
          <a className={css.wallet} href={uri}>
            {t('pay.openWallet')}
          </a>
        )}
      </p>
    </div>
  );
}

/** What the code contains and what has to be typed: few wallets read a memo from it. */
function captionKey(uri: string, { memo, memoKind }: ClaimPayment) {
  const hasAmount = uri.includes('?');
  if (memo === null) return hasAmount ? 'pay.qrAmount' : 'pay.qrAddress';
  if (memoKind === 'tag') return hasAmount ? 'pay.qrAmountNoTag' : 'pay.qrAddressNoTag';
  if (hasAmount && uri.includes(encodeURIComponent(memo))) return 'pay.qrFull';
  return hasAmount ? 'pay.qrAmountOnly' : 'pay.qrAddressOnly';
}

function ValueLabel({ payment, side }: { payment: ClaimPayment; side: ClaimSide }) {
  const t = useT('claim');
  if (payment.page !== null) return t('pay.invoice');
  if (side.kind === 'crypto') {
    return payment.network === '' ? t('pay.address') : t('pay.addressIn', { network: payment.network });
  }
  return t('pay.bankOf', { label: t(valueKey(payment.kind)), name: side.name });
}

function valueKey(kind: string) {
  switch (kind) {
    case 'card':
      return 'pay.card';
    case 'phone':
      return 'pay.phone';
    default:
      return 'pay.account';
  }
}
