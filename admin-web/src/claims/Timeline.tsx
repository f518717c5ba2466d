import { AuditLink, Button, Kbd, useTexts } from '../ui/index.ts';
import css from './Facts.module.css';
import { Section } from './Facts.tsx';
import type { Claim } from './types.ts';

/** The events of a claim, the newest first. */
export function Timeline({ claim, onNote }: { claim: Claim; onNote: (() => void) | null }) {
  const { t } = useTexts();
  const entries = [...claim.timeline].reverse();
  return (
    <Section
      title={t('claim.timeline')}
      aside={
        <>
          <AuditLink kind="claim" id={claim.publicId} />{' '}
          {onNote && (
            <Button variant="text" onClick={onNote} endIcon={<Kbd>M</Kbd>}>
              {t('claim.addNote')}
            </Button>
          )}
        </>
      }
    >
      <ol className={css.steps}>
        {entries.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: counted from the oldest, so a step keeps its number.
          <Step key={entries.length - index} entry={entry} isLast={index === 0} />
        ))}
      </ol>
    </Section>
  );
}

function Step({ entry, isLast }: { entry: Claim['timeline'][number]; isLast: boolean }) {
  const { t, dateTimeText } = useTexts();
  const { actor } = entry;
  const isOurs = actor.kind !== 'customer';
  // A late payment may be taken as it was agreed, without asking the customer.
  const step = entry.action === 'accept' && actor.kind === 'system' ? 'accept_system' : entry.action;
  return (
    <li className={`${css.step} ${isOurs ? css.ours : ''} ${isLast ? css.last : ''}`}>
      <time className={css.time} dateTime={entry.at}>
        {dateTimeText(entry.at)}
      </time>
      <span className={css.dot} aria-hidden="true" />
      <div>
        <p>
          {t(`steps.${step}`, { _: entry.to ? t(`status.${entry.to}`) : entry.action })}{' '}
          <span className={css.actor}>{actor.name ?? t(`actors.${actor.kind}`)}</span>
        </p>
        {entry.reason && <p className={css.why}>{t(`reasons.${entry.reason}`, { _: entry.reason })}</p>}
        {entry.note && <p className={css.noted}>{entry.note}</p>}
      </div>
    </li>
  );
}
