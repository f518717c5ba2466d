import type { Schema } from '@agio/client/admin';
import type { ReactNode } from 'react';
import { api, fieldsOf, useAction, useGet, useMayEdit } from '../api/index.ts';
import { AuditLink, Button, Choice, Field, Loaded, Page, Refusal, Toggle, useFileUrl, useTexts } from '../ui/index.ts';
import { useKept } from '../ui/useKept.ts';
import '../../../public-web/src/styles/typefaces.css';
import css from './Brand.module.css';
import { BrandPreview } from './BrandPreview.tsx';
import { isColor } from './contrast.ts';
import {
  type BrandDetails,
  FAMILIES,
  familyOf,
  isChanged,
  LANGUAGES,
  PICTURES,
  type PictureKind,
  TYPEFACES,
} from './draft.ts';
import { Links } from './Links.tsx';
import { Picture } from './Picture.tsx';
import { WorkWeek } from './WorkWeek.tsx';

/** What makes the site the owner's: name, look, contacts. A preview stands beside it until it is saved. */
export default function BrandScreen() {
  const { t } = useTexts();
  const brand = useGet('/brand');
  return (
    <Page title={t('screens.brand')} line={t('brand.line')} actions={<AuditLink kind="brand" id="site" />}>
      <Loaded answer={brand} bones={{ rows: 10, height: 56 }}>
        {(data) => <Editing view={data} />}
      </Loaded>
    </Page>
  );
}

/** The picture as a URL of this page. Another revision may have another picture. */
function usePicture({ revision, pictures }: Schema<'BrandView'>, kind: PictureKind): string | null {
  const { url } = useFileUrl(
    `/brand/pictures/${kind}?${revision}`,
    () => api.GET('/brand/pictures/{kind}', { params: { path: { kind } }, parseAs: 'blob' }),
    pictures.includes(kind),
  );
  return pictures.includes(kind) ? url : null;
}

function Editing({ view }: { view: Schema<'BrandView'> }) {
  const { t } = useTexts();
  const mayEdit = useMayEdit('brand');
  // What is not edited follows what others save meanwhile.
  const [edited, setEdited] = useKept<Partial<BrandDetails>>('brand', {});
  const draft = { ...view.brand, ...edited };
  const save = useAction({
    run: () => api.PUT('/brand', { body: { revision: view.revision, brand: draft } }),
    done: t('brand.saved'),
    stale: ['/brand', '/settings', '/setup'],
    onDone: () => setEdited({}),
  });
  const refused = fieldsOf(save.error);
  const error = (path: string) => refused[path];
  const change = (part: Partial<BrandDetails>) => setEdited((now) => ({ ...now, ...part }));
  const urls = { logo: usePicture(view, 'logo'), icon: usePicture(view, 'icon'), card: usePicture(view, 'card') };
  const hasChanges = isChanged(draft, view.brand);
  const line = (name: 'siteName' | 'supportEmail' | 'telegram' | 'phone', help?: string) => (
    <Field
      label={t(`brand.fields.${name}`)}
      help={help}
      value={draft[name]}
      error={error(name)}
      disabled={!mayEdit}
      onValue={(value) => change({ [name]: value })}
    />
  );
  const text = (name: 'description' | 'hours' | 'note', multiline = false) =>
    (['ru', 'en'] as const).map((language) => (
      <Field
        key={language}
        label={t(`brand.fields.${name}`, { language: t(`brand.languages.${language}`) })}
        multiline={multiline}
        value={draft[name][language]}
        error={error(`${name}.${language}`)}
        disabled={!mayEdit}
        inputProps={{ lang: language }}
        onValue={(value) => change({ [name]: { ...draft[name], [language]: value } })}
      />
    ));
  const accent = (name: 'accent' | 'accentDark') => (
    <div className={css.accent}>
      <Field
        label={t(`brand.fields.${name}`)}
        help={t(`brand.${name}Help`)}
        placeholder="#0f766e"
        value={draft[name]}
        error={error(name)}
        disabled={!mayEdit}
        inputProps={{ maxLength: 7, spellCheck: false }}
        onValue={(value) => change({ [name]: value.trim() })}
      />
      <input
        type="color"
        aria-label={t('brand.pick', { name: t(`brand.fields.${name}`) })}
        value={isColor(draft[name]) ? draft[name] : '#ffd23f'}
        disabled={!mayEdit}
        onChange={({ target }) => change({ [name]: target.value })}
      />
    </div>
  );
  return (
    <div className={css.body}>
      <div className={css.groups}>
        <Group title={t('brand.groups.name')}>
          {line('siteName')}
          <Choice
            label={t('brand.fields.languages')}
            help={t('brand.languagesHelp')}
            options={LANGUAGES.map((value) => ({ value, label: t(`brand.languageChoices.${value}`) }))}
            value={draft.languages.join(' ')}
            error={error('languages')}
            disabled={!mayEdit}
            onValue={(value) => change({ languages: value.split(' ') as BrandDetails['languages'] })}
          />
          {text('description')}
        </Group>
        <Group title={t('brand.groups.accent')}>
          {accent('accent')}
          {accent('accentDark')}
        </Group>
        <Group title={t('brand.groups.typeface')}>
          <Choice
            label={t('brand.fields.typeface')}
            help={t('brand.typefaceHelp')}
            options={TYPEFACES.map((value) => ({
              value,
              label: <span style={{ fontFamily: familyOf(value) }}>{FAMILIES[value]}</span>,
            }))}
            value={draft.typeface}
            error={error('typeface')}
            disabled={!mayEdit}
            onValue={(typeface) => change({ typeface })}
          />
        </Group>
        <Group title={t('brand.groups.pictures')}>
          {PICTURES.map((kind) => (
            <Picture key={kind} kind={kind} url={urls[kind]} mayEdit={mayEdit} onChanged={save.reset} />
          ))}
          <Toggle
            label={t('brand.fields.logoHasName')}
            value={draft.logoHasName}
            disabled={!mayEdit}
            onValue={(logoHasName) => change({ logoHasName })}
          />
        </Group>
        <Group title={t('brand.groups.contacts')}>
          {line('supportEmail')}
          {line('telegram', t('brand.telegramHelp'))}
          {line('phone')}
        </Group>
        <Group title={t('brand.groups.hours')}>
          <WorkWeek
            week={draft.workWeek}
            error={error}
            disabled={!mayEdit}
            onWeek={(workWeek) => change({ workWeek })}
          />
          {text('hours')}
        </Group>
        <Group title={t('brand.groups.links')}>
          <Links links={draft.links} error={error} disabled={!mayEdit} onLinks={(links) => change({ links })} />
        </Group>
        <Group title={t('brand.groups.footer')}>
          {text('note', true)}
          <Toggle
            label={t('brand.fields.showsSoftware')}
            value={draft.showsSoftware}
            disabled={!mayEdit}
            onValue={(showsSoftware) => change({ showsSoftware })}
          />
        </Group>
      </div>
      <aside className={css.aside} aria-label={t('brand.preview')}>
        <h2 className={css.groupTitle}>{t('brand.preview')}</h2>
        <BrandPreview draft={draft} logo={urls.logo} />
        <Refusal error={save.error} />
        {mayEdit ? (
          <div className={css.buttons}>
            <Button variant="contained" disabled={save.isPending || !hasChanges} onClick={() => save.mutate()}>
              {t(save.isPending ? 'action.saving' : 'action.save')}
            </Button>
            {hasChanges && (
              <Button
                onClick={() => {
                  setEdited({});
                  save.reset();
                }}
              >
                {t('action.undo')}
              </Button>
            )}
          </div>
        ) : (
          <p className={css.help}>{t('settings.readOnly')}</p>
        )}
      </aside>
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.group} aria-label={title}>
      <h2 className={css.groupTitle}>{title}</h2>
      {children}
    </section>
  );
}
