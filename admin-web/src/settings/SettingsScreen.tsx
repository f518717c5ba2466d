import { useState } from 'react';
import { Link } from 'react-router';
import { api, fieldsOf, useAction, useGet, useMayEdit } from '../api/index.ts';
import { Button, EmptyNote, Field, Loaded, Modal, Page, Refusal, useTexts } from '../ui/index.ts';
import { useKept } from '../ui/useKept.ts';
import { type Drafts, grouped, isOutside, matching, type Setting, unconfirmedOf, withDraft } from './drafts.ts';
import { QuoteKeys } from './QuoteKeys.tsx';
import { SettingRow, shownValue } from './SettingRow.tsx';
import css from './Settings.module.css';
import { useIsOnlyOwner } from './useIsOnlyOwner.ts';

/** All settings by group; changes are listed at the side until they are saved. */
export default function SettingsScreen() {
  const { t } = useTexts();
  const settings = useGet('/settings');
  return (
    <Page title={t('screens.settings')} line={t('settings.line')}>
      <Loaded answer={settings} bones={{ rows: 10, height: 56 }}>
        {(data) => <Editing settings={data} />}
      </Loaded>
    </Page>
  );
}

function Editing({ settings }: { settings: Setting[] }) {
  const { t } = useTexts();
  const mayEdit = useMayEdit('settings');
  const [sought, setSought] = useState('');
  const [drafts, setDrafts] = useKept<Drafts>('settings', {});
  const save = useAction({
    run: (confirm: string | undefined) => api.PUT('/settings', { params: { query: { confirm } }, body: drafts }),
    done: t('settings.saved'),
    stale: ['/settings', '/dashboard'],
    onSettled: () => setDrafts({}),
  });
  const unconfirmed = unconfirmedOf(save.error, settings);
  const errors = unconfirmed ? {} : fieldsOf(save.error);
  const changed = settings.filter((setting) => setting.key in drafts);
  const wrong = changed.some((setting) => isOutside(setting, drafts[setting.key] ?? ''));
  const found = matching(settings, sought);
  const isAlone = useIsOnlyOwner(drafts['approvals.two_person'] === 'true');
  return (
    <div className={css.body}>
      <div className={css.groups}>
        <search className={css.search}>
          <Field
            label={t('settings.find')}
            type="search"
            value={sought}
            onValue={setSought}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setSought('');
            }}
          />
          <p className="visually-hidden" role="status">
            {sought.trim() !== '' && t('settings.found', { smart_count: found.length })}
          </p>
        </search>
        {found.length === 0 && <EmptyNote title={t('settings.notFound')} text={t('settings.notFoundText')} />}
        {grouped(found).map((group) => (
          <section key={group.name} className={css.group} aria-labelledby={`group-${group.name}`}>
            <h2 id={`group-${group.name}`} className={css.groupTitle}>
              {t(`settings.groups.${group.name}`, { _: group.name })}
            </h2>
            {group.settings.map((setting) => (
              <SettingRow
                key={setting.key}
                setting={setting}
                value={drafts[setting.key] ?? setting.value}
                error={errors[setting.key]}
                disabled={!mayEdit}
                onValue={(value) => setDrafts(withDraft(drafts, setting, value))}
              />
            ))}
          </section>
        ))}
        {sought.trim() === '' && <QuoteKeys mayEdit={mayEdit} />}
      </div>
      <aside
        className={changed.length === 0 && mayEdit ? css.noChanges : css.changes}
        aria-label={t('settings.changes')}
      >
        <h2 className={css.groupTitle}>{t('settings.changes')}</h2>
        {changed.length === 0 && <p className={css.muted}>{t(mayEdit ? 'settings.none' : 'settings.readOnly')}</p>}
        <ul>
          {changed.map((setting) => (
            <li key={setting.key} className={css.change}>
              <strong>{setting.title}</strong>
              <span>
                <s className={css.muted}>{shownValue(setting, setting.value, t)}</s> →{' '}
                {shownValue(setting, drafts[setting.key] ?? '', t)}
              </span>
            </li>
          ))}
        </ul>
        <Refusal error={unconfirmed ? null : save.error} />
        {changed.length > 0 && (
          <div className={css.buttons}>
            <Button onClick={() => setDrafts({})}>{t('action.undo')}</Button>
            <Button
              variant="contained"
              disabled={save.isPending || wrong || isAlone}
              onClick={() => save.mutate(undefined)}
            >
              {t(save.isPending ? 'action.saving' : 'settings.save', { smart_count: changed.length })}
            </Button>
          </div>
        )}
        {wrong && <p className={css.muted}>{t('settings.wrong')}</p>}
        {isAlone && (
          <p role="alert">
            {t('settings.onlyOwner')} <Link to="/staff">{t('settings.toStaff')}</Link>
          </p>
        )}
      </aside>
      {unconfirmed && (
        <Modal
          open
          onClose={save.reset}
          onSubmit={() => save.mutate(unconfirmed.key)}
          title={unconfirmed.title}
          actions={
            <>
              <Button onClick={save.reset}>{t('action.cancel')}</Button>
              <Button type="submit" variant="outlined" color="error">
                {t('settings.confirm')}
              </Button>
            </>
          }
        >
          <p>{t(`settings.dangers.${dotless(unconfirmed.key)}`, { _: unconfirmed.help })}</p>
          <p>
            <s className={css.muted}>{shownValue(unconfirmed, unconfirmed.value, t)}</s> →{' '}
            <strong>{shownValue(unconfirmed, drafts[unconfirmed.key] ?? '', t)}</strong>
          </p>
        </Modal>
      )}
    </div>
  );
}

/** A name of a setting within a path of words, where a dot would lead on. */
const dotless = (key: string) => key.replaceAll('.', '_');
