import { ButtonLink } from '../../../components/Button';
import { useT } from '../../../i18n/texts';
import { usePaths } from '../../../i18n/usePaths';
import { needsPhotos } from '../../../openClaims/progress';
import { useSendsEmails } from '../../../site';
import { Heading } from '../ticket/Ticket';
import { Actions, CancelClaim, MailLine, type StepProps } from './parts';
import css from './steps.module.css';

/** A verification before the payment; the time to pay does not run meanwhile. */
export function VerificationStep({ claim, action }: StepProps) {
  const t = useT('claim');
  const paths = usePaths();
  const { form, status } = claim;
  const isSent = !needsPhotos(status);
  const sent = useSendsEmails() ? 'state.verification.sent_text' : 'state.verification.sent_text_off';
  return (
    <>
      <Heading state={status.status}>{t(isSent ? 'state.verification.sent' : 'state.verification.heading')}</Heading>
      <p className={css.text}>{t(isSent ? sent : 'state.verification.text')}</p>
      <MailLine email={form.email} />
      <Actions>
        {status.verification !== null && (
          <ButtonLink
            look={isSent ? 'plain' : 'main'}
            className={isSent ? undefined : css.main}
            to={paths.verify(status.verification)}
          >
            {t(isSent ? 'state.verification.look' : 'state.verification.go')}
          </ButtonLink>
        )}
        <CancelClaim claim={claim} action={action} />
      </Actions>
    </>
  );
}
