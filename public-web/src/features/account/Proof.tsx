import type { AccountConfirmation, Customer } from '../../api/types';
import { PasswordField } from '../../forms/PasswordField';
import type { Form } from '../../forms/useForm';
import { useT } from '../../i18n/texts';
import { CodeField } from './CodeField';

/** The fields that confirm the account: a code only where there is a second factor. */
export function Proof({ form, customer }: { form: Pick<Form<'password' | 'code'>, 'field'>; customer: Customer }) {
  const account = useT('account');
  return (
    <>
      <PasswordField {...form.field('password')} label={account('password.present')} autoComplete="current-password" />
      {customer.totp ? <CodeField {...form.field('code')} /> : null}
    </>
  );
}

export const proofOf = ({ password, code }: { password: string; code: string }): AccountConfirmation =>
  code.trim() === '' ? { password } : { password, code: code.trim() };
