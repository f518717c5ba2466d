import { cx } from '../../../components/cx';
import { useT } from '../../../i18n/texts';
import { useSite } from '../../../site';
import styles from './sections.module.css';

const QUESTIONS = ['rate', 'amount', 'network', 'time', 'aml', 'complain'] as const;

export function Questions() {
  const t = useT('questions');
  const { supportEmail } = useSite();
  return (
    <section className={cx('questions', styles.section, styles.questions)} aria-labelledby="questions">
      <div>
        <h2 id="questions">{t('title')}</h2>
        {supportEmail ? (
          <p className={styles.ask}>
            {t('contact')} <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
          </p>
        ) : null}
      </div>
      <div>
        {QUESTIONS.map((name, index) => (
          <details key={name} open={index === 0}>
            <summary>{t(`question_${name}`)}</summary>
            <p>{t(`answer_${name}`)}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
