import { serialText } from '../../../components/amounts';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import { useLength, useMoment } from '../model/useFormats';
import { useIsOver } from '../ticket/Deadline';
import type { StepProps } from './parts';
import css from './steps.module.css';

/** How long the present step usually takes, and what to do when it takes longer. Nothing where too little is known. */
export function Waiting({ claim: { status } }: Pick<StepProps, 'claim'>) {
  if (status.waiting === null) return null;
  return <Expected waiting={status.waiting} publicId={status.publicId} />;
}

interface ExpectedProps {
  waiting: NonNullable<StepProps['claim']['status']['waiting']>;
  publicId: number;
}

function Expected({ waiting: { since, medianSeconds, usualSeconds }, publicId }: ExpectedProps) {
  const t = useT('claim');
  const length = useLength();
  const when = useMoment();
  const until = new Date(Date.parse(since) + usualSeconds * 1000).toISOString();
  const isOver = useIsOver(until);
  const usual = length(usualSeconds);
  if (isOver) {
    return (
      <Notice tone="warning" title={t('waiting.over.title')} live>
        <p>{t('waiting.over.text', { usual, number: serialText(publicId) })}</p>
      </Notice>
    );
  }
  return <p className={css.note}>{t('waiting.usual', { median: length(medianSeconds), usual, time: when(until) })}</p>;
}
