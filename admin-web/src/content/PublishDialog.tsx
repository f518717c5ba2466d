import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { KEYS } from '../api/queries.ts';
import { Field } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
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

/** The last look before a text is on the site: what changed, said for colleagues. */
export function PublishDialog({ page, over, drafts, note: begun, onPublished, onClose }: Props) {
  const { t } = useWords();
  const saved = useSaved();
  const [note, setNote] = useState(begun);
  const key = useRef(crypto.randomUUID());
  const publish = useMutation({
    mutationFn: () => api.publishContent(page, { over, ...drafts, note: note.trim() }, key.current),
    onSuccess: ({ version }) => {
      saved(t('content.done', { version: version.version }), KEYS.content);
      onPublished();
      onClose();
    },
  });
  const errors = fieldsOf(publish.error);
  const ready = note.trim() !== '' && !publish.isPending;
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && publish.mutate()}
      title={t('content.publishTitle')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t('content.publishDo')}
          </Button>
        </>
      }
    >
      <p className={css.muted}>
        {t('content.publishText')} {page === 'rules' && t('content.publishRules', { version: over + 1 })}
      </p>
      <Field
        label={t('content.what')}
        value={note}
        error={errors.note}
        autoFocus
        onValue={(words) => {
          key.current = crypto.randomUUID();
          setNote(words);
        }}
        inputProps={{ maxLength: 300 }}
      />
      {!errors.note && <Refusal error={publish.error} />}
      {Object.entries(errors)
        .filter(([field]) => field !== 'note')
        .map(([field, words]) => (
          <p key={field} className={css.error}>
            {field}: {words}
          </p>
        ))}
    </Modal>
  );
}
