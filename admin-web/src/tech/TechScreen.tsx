import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api, useAction, useGet, useMayEdit } from '../api/index.ts';
import { useNow } from '../ui/clock.ts';
import { Button, Choice, Loaded, Page, Refusal, useTexts } from '../ui/index.ts';
import css from './Tech.module.css';

const MINUTES = ['15', '30', '60', '120', '240'];
/** No time is promised. */
const OPEN = 'open';

/** Stops new claims for a while, and shows the effects before. */
export default function TechScreen() {
  const { t } = useTexts();
  const tech = useGet('/tech');
  return (
    <Page title={t('tech.title')} line={tech.data && t(tech.data.on ? 'tech.lineOn' : 'tech.lineOff')}>
      <Loaded answer={tech} bones={{ rows: 4 }}>
        {(data) => <Switching tech={data} />}
      </Loaded>
    </Page>
  );
}

function Switching({ tech }: { tech: Schema<'TechnicalMode'> }) {
  const { t, dateTimeText } = useTexts();
  const mayEdit = useMayEdit('tech');
  const now = useNow();
  const [minutes, setMinutes] = useState('30');
  const set = useAction({
    run: (body: Schema<'TechnicalMode'>) => api.PUT('/tech', { body }),
    done: ({ on }) => t(on ? 'tech.nowOn' : 'tech.nowOff'),
    stale: ['/tech', '/dashboard'],
  });
  const until = minutes === OPEN ? null : new Date(now + Number(minutes) * 60_000).toISOString();
  return (
    <div className={css.body}>
      <section className={tech.on ? css.on : css.off}>
        <h2 className={css.state}>{t(tech.on ? 'state.on' : 'state.off')}</h2>
        {tech.on && <p>{tech.time ? t('tech.until', { time: dateTimeText(tech.time, now) }) : t('tech.open')}</p>}
        {mayEdit && (
          <div className={css.form}>
            {!tech.on && (
              <Choice
                label={t('tech.back')}
                value={minutes}
                onValue={setMinutes}
                options={[...MINUTES, OPEN].map((value) => ({ value, label: t(`tech.in.${value}`) }))}
                help={until ? t('tech.backAt', { time: dateTimeText(until, now) }) : t('tech.backOpen')}
              />
            )}
            <Button
              variant={tech.on ? 'contained' : 'outlined'}
              color={tech.on ? 'inherit' : 'error'}
              size="large"
              disabled={set.isPending}
              onClick={() => set.mutate(tech.on ? { on: false, time: null } : { on: true, time: until })}
            >
              {t(tech.on ? 'tech.switchOff' : 'tech.switchOn')}
            </Button>
          </div>
        )}
        {!mayEdit && <p className={css.note}>{t('tech.readOnly')}</p>}
        <Refusal error={set.error} />
      </section>
      <section className={css.effects}>
        <h2 className={css.title}>{t('tech.effects')}</h2>
        <ul>
          {['new', 'open', 'aggregators', 'console'].map((effect) => (
            <li key={effect}>{t(`tech.effect.${effect}`)}</li>
          ))}
        </ul>
      </section>
    </div>
  );
}
