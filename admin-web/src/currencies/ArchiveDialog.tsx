import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { FormDialog, useTexts } from '../ui/index.ts';
import { STALE } from './CurrencyDialog.tsx';

/** Takes a currency out of the offer, or brings it back, once it is said what happens then. */
export function ArchiveDialog({ currency, onClose }: { currency: Schema<'CurrencyDetails'>; onClose: () => void }) {
  const { t } = useTexts();
  const { id, code, archived } = currency;
  const deed = archived ? 'unarchive' : 'archive';
  return (
    <FormDialog
      title={t(`currencies.${deed}Title`, { code })}
      initial={{}}
      save={(_, once) => api.POST(`/currencies/{id}/${deed}`, { ...once, params: { path: { id } } })}
      submit={t(`currencies.${deed}`)}
      danger={!archived}
      done={t(`currencies.${deed}Done`, { code })}
      stale={STALE}
      onClose={onClose}
    >
      {() => <p>{t(`currencies.${deed}Text`)}</p>}
    </FormDialog>
  );
}
