import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { Field, FormDialog, useTexts } from '../ui/index.ts';
import type { Secret } from './SecretDialog.tsx';

type Props = { partner?: Schema<'PartnerSummary'>; onClose: () => void; onSecret?: (secret: Secret) => void };
type Saved = { data?: Schema<'PartnerSummary'> | Schema<'PartnerWithSecret'>; response: Response };

/** A new partner, or one to be changed. */
export function PartnerDialog({ partner, onClose, onSecret }: Props) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t(partner ? 'action.edit' : 'partners.add')}
      initial={{
        name: partner?.name ?? '',
        email: partner?.email ?? '',
        callbackUrl: partner?.callbackUrl ?? '',
      }}
      required={['name', 'email']}
      save={(draft, once): Promise<Saved> =>
        partner
          ? api.PATCH('/partners/{id}', {
              params: { path: { id: partner.id } },
              body: { ...draft, revision: partner.revision },
            })
          : api.POST('/partners', { ...once, body: draft })
      }
      done={t(partner ? 'partners.saved' : 'partners.added')}
      stale={['/partners*']}
      onDone={(saved) => {
        if ('secret' in saved) {
          onSecret?.({
            title: t('partners.webhookSecret'),
            text: t('partners.webhookSecretText'),
            secret: saved.secret,
          });
        }
      }}
      onClose={onClose}
    >
      {({ field }) => (
        <>
          <Field label={t('fields.name')} autoFocus autoComplete="off" {...field('name')} />
          <Field label={t('fields.email')} type="email" autoComplete="off" {...field('email')} />
          <Field
            label={t('partners.callback')}
            help={t('partners.callbackHelp')}
            type="url"
            autoComplete="off"
            {...field('callbackUrl')}
          />
        </>
      )}
    </FormDialog>
  );
}
