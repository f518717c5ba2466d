import type { TechnicalMode } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { useNow } from '../ui/clock.ts';
import { Choice } from '../ui/Field.tsx';
import { momentText, timeText } from '../ui/format.ts';
import { Page } from '../ui/Page.tsx';
import { ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import css from './Tech.module.css';

const MINUTES = ['15', '30', '60', '120', '240'];
/** No time is promised. */
const OPEN = 'open';

/** Stops new claims for a while, and says what that means before it is done. */
export default function TechScreen() {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({ queryKey: KEYS.tech, queryFn: api.tech });
  return (
    <Page title={t('tech.title')} line={data && t(data.on ? 'tech.lineOn' : 'tech.lineOff')}>
      {isPending && <SkeletonRows rows={4} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <Switching tech={data} />}
    </Page>
  );
}

function Switching({ tech }: { tech: TechnicalMode }) {
  const { t, language } = useWords();
  const { canAccess = false } = useCanAccess({ resource: 'tech', action: 'edit' });
  const saved = useSaved();
  const now = useNow();
  const [minutes, setMinutes] = useState('30');
  const set = useMutation({
    mutationFn: api.setTech,
    onSuccess: (after) => saved(t(after.on ? 'tech.nowOn' : 'tech.nowOff'), KEYS.tech, KEYS.dashboard),
  });
  const until = minutes === OPEN ? null : new Date(now + Number(minutes) * 60_000).toISOString();
  return (
    <div className={css.body}>
      <section className={tech.on ? css.on : css.off}>
        <h2 className={css.state}>{t(tech.on ? 'tech.on' : 'tech.off')}</h2>
        {tech.on && (
          <p>{tech.time ? t('tech.until', { time: momentText(tech.time, language, now) }) : t('tech.open')}</p>
        )}
        {canAccess && (
          <div className={css.form}>
            {!tech.on && (
              <Choice
                label={t('tech.back')}
                value={minutes}
                onValue={setMinutes}
                options={[...MINUTES, OPEN].map((value) => ({ value, label: t(`tech.in.${value}`) }))}
                help={until ? t('tech.backAt', { time: timeText(until, language) }) : t('tech.backOpen')}
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
        {!canAccess && <p className={css.note}>{t('tech.readOnly')}</p>}
        <Refusal error={set.error} />
      </section>
      <section className={css.effects}>
        <h2 className={css.title}>{t('tech.effects')}</h2>
        <ul>
          {['new', 'open', 'monitors', 'console'].map((effect) => (
            <li key={effect}>{t(`tech.effect.${effect}`)}</li>
          ))}
        </ul>
      </section>
    </div>
  );
}
