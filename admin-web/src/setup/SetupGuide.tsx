import CheckCircleOutlined from '@mui/icons-material/CheckCircleOutlined';
import { useEffect } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { useGet } from '../api/hooks.ts';
import { Button, useTexts } from '../ui/index.ts';
import css from './Setup.module.css';
import { PLACES, useSetup } from './steps.ts';

/** Leads through the steps of the set-up: stands above the screen where the current one is done. */
export function SetupGuide() {
  const { t } = useTexts();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { steps, guided, beginning, setGuided } = useSetup();
  const { data: settings } = useGet('/settings', { enabled: guided === 'base_currency' });
  const currency = settings?.find(({ key }) => key === 'rates.base')?.value ?? '…';
  const first = pathname === '/' ? beginning : undefined;
  useEffect(() => {
    if (!first || first === 'first_exchange') return;
    setGuided(first);
    navigate(PLACES[first]);
  }, [first, setGuided, navigate]);
  const place = steps.findIndex(({ step }) => step === guided);
  const current = steps[place];
  if (!current) return null;
  const go = (to: number) => {
    const step = steps[to]?.step;
    if (!step) return;
    setGuided(step);
    navigate(step === 'first_exchange' ? '/' : PLACES[step]);
  };
  const following = steps.findIndex(({ done }, index) => index > place && !done);
  const { step, done } = current;
  return (
    <section className={css.guide} aria-label={t('opening.guideTitle')}>
      <span className={css.note}>{t('opening.place', { place: place + 1, all: steps.length })}</span>
      <p className={css.hint} role="status">
        <strong>
          {done && <CheckCircleOutlined fontSize="inherit" className={css.tick} />}
          {done && <span className="visually-hidden">{t('opening.done')}: </span>}
          {t(`opening.steps.${step}`)}
        </strong>{' '}
        {t(`opening.hints.${step}`, { currency })}
      </p>
      <div className={css.buttons}>
        {step !== 'first_exchange' && PLACES[step].split('?')[0] !== pathname && (
          <Button variant={done ? 'outlined' : 'contained'} component={Link} to={PLACES[step]}>
            {t('opening.open')}
          </Button>
        )}
        {place > 0 && <Button onClick={() => go(place - 1)}>{t('opening.back')}</Button>}
        {following > place && (
          <Button variant={done ? 'contained' : 'outlined'} onClick={() => go(following)}>
            {t(done ? 'opening.next' : 'opening.skip')}
          </Button>
        )}
        {step === 'first_exchange' && (
          <Button variant="contained" href="/">
            {t('opening.toSite')}
          </Button>
        )}
        <Button onClick={() => setGuided(null)}>{t('opening.leave')}</Button>
      </div>
    </section>
  );
}
