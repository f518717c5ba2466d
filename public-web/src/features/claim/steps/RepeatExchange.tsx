import { amountText } from '@agio/client/format';
import type { ClaimForm } from '../../../api/types';
import { ButtonLink } from '../../../components/Button';
import { type Locale, useLocale } from '../../../i18n/locale';
import { usePaths } from '../../../i18n/usePaths';
import { type Draft, saveDraft } from '../../../pair/draft';
import { written } from '../../../requisites/typing';
import css from './steps.module.css';

/** Leads to the calculator with the pair and the amount of a claim and, for its owner, with the payout details. */
export function RepeatExchange({ form, text }: { form: ClaimForm; text: string }) {
  const paths = usePaths();
  const locale = useLocale();
  return (
    <ButtonLink
      look="main"
      className={css.main}
      to={paths.home({
        cur_from: form.from.code,
        cur_to: form.to.code,
        ...(form.city && { city: form.city.code }),
      })}
      onClickCapture={() => saveDraft(draftOf(form, locale))}
    >
      {text}
    </ButtonLink>
  );
}

/** What the form of a claim like this one holds. Nobody but the owner gets the payout details unmasked. */
export function draftOf({ from, to, email, owner }: ClaimForm, locale: Locale): Draft {
  const amount: Draft['amount'] = {
    from: from.code,
    to: to.code,
    side: 'from',
    text: amountText(from.amount, locale),
    locale,
  };
  if (!owner) return { amount };
  const values = [from, to].flatMap(({ code, requisites }) =>
    requisites.map(({ name, kind, value }) => [`${code}.${name}`, written(kind, value)]),
  );
  return { amount, email, values: Object.fromEntries(values) };
}
