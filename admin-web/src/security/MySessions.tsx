import { api, useAction, useList } from '../api/index.ts';
import { ActionButton, List, Refusal, useTexts } from '../ui/index.ts';
import css from './Security.module.css';
import { SessionList } from './SessionList.tsx';

export function MySessions() {
  const { t } = useTexts();
  const list = useList('/me/sessions');
  const end = useAction({
    run: (id: string) => api.DELETE('/me/sessions/{id}', { params: { path: { id } } }),
    done: t('security.ended'),
    stale: ['/me/sessions'],
  });
  return (
    <section className={css.section} aria-labelledby="sessions">
      <h2 id="sessions" className={css.heading}>
        {t('security.sessions')}
      </h2>
      <List list={list} bones={{ rows: 2, height: 56 }}>
        {(sessions) => <SessionList sessions={sessions} busy={end.isPending} onEnd={({ id }) => end.mutate(id)} />}
      </List>
      <Refusal error={end.error} />
      {list.rows.length > 1 && (
        <div className={css.buttons}>
          <ActionButton
            label={t('security.endOthers')}
            run={() => api.DELETE('/me/sessions')}
            done={t('security.endedAll')}
            stale={['/me/sessions']}
          />
        </div>
      )}
    </section>
  );
}
