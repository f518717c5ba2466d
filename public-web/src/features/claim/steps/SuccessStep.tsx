import { timeText } from '@agio/client/format';
import { Button } from '../../../components/Button';
import { useT } from '../../../i18n/texts';
import { openAccountDialog } from '../../../session/accountDialog';
import { useSession } from '../../../session/session';
import { minutesBetween } from '../model/deadline';
import { useAmount, whereTo } from '../model/useFormats';
import { Row } from '../ticket/CopyRow';
import { Heading } from '../ticket/Ticket';
import { TransactionRow } from '../ticket/TransactionRow';
import { PayoutRows } from './PayoutRows';
import { Actions, type StepProps } from './parts';
import { RefundSum } from './RefundSum';
import { RepeatExchange } from './RepeatExchange';
import { Review } from './Review';
import css from './steps.module.css';

/** Completed: the amount, its destination and transaction, and the next exchange. */
export function SuccessStep({ claim }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const amount = useAmount();
  const { form, status, review } = claim;
  const time = timeText(status.updatedAt);
  const minutes = minutesBetween(form.createdAt, status.updatedAt);
  return (
    <>
      <Heading state={status.status}>
        <span className={css.eyebrow}>{t('state.completed.heading')}</span>
        <span className={css.huge}>{amount(form.to.amount, form.to)}</span>
      </Heading>
      <p className={css.text}>
        {form.to.kind === 'cash'
          ? t('meeting.handedAt', { where: form.city?.name ?? form.to.name, time })
          : t('success.sentToAt', { where: whereTo(form.to), time })}
      </p>
      <div className={css.rows}>
        <Row label={t(form.from.kind === 'cash' ? 'stub.sendDone' : 'success.youSent')}>
          <span className={css.value}>{amount(status.received ?? form.from.amount, form.from)}</span>
        </Row>
        <TransactionRow transaction={status.txIn} label={t('success.youSent')} kind={form.from.kind} />
        <PayoutRows claim={claim} />
        <RefundSum claim={claim} />
        <Row label={t('success.took')}>
          <span className={css.value}>{t('success.minutes', { count: minutes })}</span>
        </Row>
      </div>
      <Actions>
        <RepeatExchange form={form} text={t('success.again')} />
        <Button onClick={() => window.print()}>{t('success.print')}</Button>
      </Actions>
      {review && <Review id={form.id} loaded={review} />}
      {form.owner && <KeepClaims email={form.email} />}
    </>
  );
}

/** An account with a guest's address lists the guest's claims, once the address is confirmed. */
function KeepClaims({ email }: { email: string }) {
  const t = useT('claim');
  if (useSession().phase !== 'guest') return null;
  return (
    <div className={css.keep}>
      <p className={css.text}>{t('success.account.text')}</p>
      <Button onClick={() => openAccountDialog({ kind: 'signUp', email })}>{t('success.account.action')}</Button>
    </div>
  );
}
