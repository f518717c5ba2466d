import { Field, FormDialog, useTexts } from '../ui/index.ts';
import { type ClaimActions, STALE_BY_CLAIM } from './useClaimActions.ts';

const LENGTH_MAX = 2_000;

/** A note for staff. */
export function NoteDialog({ actions, onClose }: { actions: ClaimActions; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('note.title')}
      initial={{ text: '' }}
      required={['text']}
      save={({ text }, once) => actions.addNote(text.trim(), once)}
      submit={t('note.save')}
      stale={STALE_BY_CLAIM}
      onClose={onClose}
    >
      {({ field }) => (
        <Field
          label={t('fields.text')}
          help={t('note.help')}
          multiline
          minRows={3}
          autoFocus
          inputProps={{ maxLength: LENGTH_MAX }}
          {...field('text')}
        />
      )}
    </FormDialog>
  );
}
