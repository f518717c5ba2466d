import { api } from '../api/index.ts';
import { FormDialog, useTexts } from '../ui/index.ts';
import type { Pair } from './matrix.ts';

type Props = { pair: Pair; name: string; onDone: (saved: Pair) => void; onClose: () => void };

/** Takes a direction out of the offer for good, or brings it back, once it is said what happens then. */
export function ArchivePair({ pair, name, onDone, onClose }: Props) {
  const { t } = useTexts();
  const { id, revision, archived } = pair;
  const deed = archived ? 'unarchive' : 'archive';
  return (
    <FormDialog
      title={t(`pairs.${deed}Title`, { name })}
      initial={{}}
      save={() => api.PATCH('/pairs/{id}', { params: { path: { id } }, body: { revision, archived: !archived } })}
      submit={t(`pairs.${deed}`)}
      danger={!archived}
      done={t(`pairs.${deed}Done`, { name })}
      stale={['/pairs', '/rates*', '/dashboard']}
      onDone={(saved) => onDone(saved as Pair)}
      onClose={onClose}
    >
      {() => <p>{t(`pairs.${deed}Text`)}</p>}
    </FormDialog>
  );
}
