import { useT } from '../../../i18n/texts';
import { useSendsEmails } from '../../../site';
import styles from './sections.module.css';

const STEPS = ['1', '2', '3'] as const;

export function Steps() {
  const t = useT('home');
  const isSent = useSendsEmails();
  return (
    <section className={styles.section} aria-labelledby="steps">
      <div className={styles.head}>
        <h2 id="steps">{t('steps')}</h2>
      </div>
      <ol className={styles.steps}>
        {STEPS.map((step) => (
          <li key={step}>
            <div className={styles.number}>
              <span className="num" aria-hidden="true">
                {step}
              </span>
              <small>{t(step === '3' && !isSent ? 'step_3_time_off' : `step_${step}_time`)}</small>
            </div>
            <h3>{t(`step_${step}`)}</h3>
            <p className="muted">{t(`step_${step}_text`)}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
