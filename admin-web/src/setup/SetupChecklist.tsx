import CheckCircleOutlined from '@mui/icons-material/CheckCircleOutlined';
import RadioButtonUncheckedOutlined from '@mui/icons-material/RadioButtonUncheckedOutlined';
import { Link, useNavigate } from 'react-router';
import { Button, useTexts } from '../ui/index.ts';
import css from './Setup.module.css';
import { PLACES, useSetup } from './steps.ts';

/** What is left to do before the exchange is open, until all of it is done or it is hidden in this browser. */
export function SetupChecklist() {
  const { t } = useTexts();
  const navigate = useNavigate();
  const { steps, guided, setGuided, hidden, setHidden } = useSetup();
  if (hidden || steps.length === 0) return null;
  const first = steps.find(({ done }) => !done)?.step;
  return (
    <section className={css.setup} aria-label={t('opening.title')}>
      <header className={css.head}>
        <h2 className={css.title}>{t('opening.title')}</h2>
        <span className={css.note}>
          {t('opening.progress', { done: steps.filter(({ done }) => done).length, all: steps.length })}
        </span>
        {first && first !== 'first_exchange' && !guided && (
          <Button
            variant="contained"
            onClick={() => {
              setGuided(first);
              navigate(PLACES[first]);
            }}
          >
            {t('opening.guide')}
          </Button>
        )}
        <Button size="small" onClick={() => setHidden(true)}>
          {t('opening.hide')}
        </Button>
      </header>
      <ol className={css.steps}>
        {steps.map(({ step, done }) => (
          <li key={step} className={done ? css.done : css.left}>
            {done ? <CheckCircleOutlined fontSize="small" /> : <RadioButtonUncheckedOutlined fontSize="small" />}
            <span className="visually-hidden">{t(done ? 'opening.done' : 'opening.left')}: </span>
            {step === 'first_exchange' ? (
              <a href="/">{t(`opening.steps.${step}`)}</a>
            ) : (
              <Link to={PLACES[step]}>{t(`opening.steps.${step}`)}</Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
