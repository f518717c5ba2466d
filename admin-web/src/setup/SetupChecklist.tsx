import type { Schema } from '@agio/client/admin';
import CheckCircleOutlined from '@mui/icons-material/CheckCircleOutlined';
import RadioButtonUncheckedOutlined from '@mui/icons-material/RadioButtonUncheckedOutlined';
import Button from '@mui/material/Button';
import { useCanAccess, useStore } from 'react-admin';
import { Link } from 'react-router';
import { useGet } from '../api/hooks.ts';
import { useTexts } from '../ui/useTexts.ts';
import css from './Setup.module.css';

/** Where each step is done; the first exchange, on the public site. */
const PLACES: Record<Exclude<Schema<'SetupStep'>, 'first_exchange'>, string> = {
  contacts: '/settings',
  mail: '/mail',
  currencies: '/currencies?new',
  rates: '/rates',
  pairs: '/pairs',
  reserves: '/reserves',
  payment_details: '/requisites',
  second_factor: '/security',
};

/** What is left to do before the exchange is open, until all of it is done or it is hidden in this browser. */
export function SetupChecklist() {
  const { t } = useTexts();
  const { canAccess = false } = useCanAccess({ resource: 'settings', action: 'read' });
  const [hidden, setHidden] = useStore('setup.hidden', false);
  const { data } = useGet('/setup', { enabled: canAccess && !hidden });
  if (hidden || !data || data.completed) return null;
  const { steps } = data;
  return (
    <section className={css.setup} aria-label={t('opening.title')}>
      <header className={css.head}>
        <h2 className={css.title}>{t('opening.title')}</h2>
        <span className={css.note}>
          {t('opening.progress', { done: steps.filter(({ done }) => done).length, all: steps.length })}
        </span>
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
