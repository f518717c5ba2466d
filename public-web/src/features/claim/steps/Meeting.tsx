import { useT } from '../../../i18n/texts';
import { Row } from '../ticket/CopyRow';
import css from './Meeting.module.css';
import type { StepProps } from './parts';

/** Where cash changes hands and, once there is cash to collect, what the customer says there. Nothing without cash. */
export function Meeting({ claim: { form, status } }: Pick<StepProps, 'claim'>) {
  const t = useT('claim');
  const { city } = form;
  if (city === null) return null;
  return (
    <section className={css.meeting} data-lined aria-label={t('meeting.place')}>
      <Row label={t('meeting.place')}>
        <span className={css.city}>{city.name}</span>
        <span className={css.place}>{city.place ?? t('meeting.byAgreement')}</span>
      </Row>
      {status.meetingCode !== null && (
        <Row label={t('meeting.code')}>
          <span className={css.code}>{status.meetingCode}</span>
          <span className={css.place}>{t('meeting.codeText')}</span>
        </Row>
      )}
    </section>
  );
}
