import { api } from '../api/index.ts';
import { Field, FormDialog, useTexts } from '../ui/index.ts';
import css from './Content.module.css';
import type { Texts } from './EditorScreen.tsx';

type Props = {
  page: string;
  over: number;
  drafts: Texts;
  note: string;
  onPublished: () => void;
  onClose: () => void;
};

/** Asks for a note on the change before a text is published. */
export function PublishDialog({ page, over, drafts, note, onPublished, onClose }: Props) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('content.publishTitle')}
      initial={{ note }}
      required={['note']}
      save={(draft, once) =>
        api.POST('/content/{page}/versions', {
          ...once,
          params: { path: { page } },
          body: { over, ...drafts, note: draft.note.trim() },
        })
      }
      submit={t('action.publish')}
      done={({ version }) => t('content.done', { version: version.version })}
      stale={['/content*']}
      onDone={onPublished}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <p className={css.muted}>
            {t('content.publishText')} {page === 'rules' && t('content.publishRules', { version: over + 1 })}
          </p>
          <Field label={t('content.what')} autoFocus inputProps={{ maxLength: 300 }} {...field('note')} />
        </>
      )}
    </FormDialog>
  );
}
