import type { Schema } from '@agio/client/admin';
import { api } from '../api/index.ts';
import { Field, FormDialog, NumberField, Toggle, useTexts } from '../ui/index.ts';
import css from './Partners.module.css';
import type { Secret } from './SecretDialog.tsx';

/** What a key may do, from the least; the last is a protocol that only some partners need. */
const SCOPES = ['read', 'quote', 'claim', 'trustee'] as const;
const USUAL_SCOPES: Schema<'CreatePartnerKeyRequest'>['scopes'] = ['read', 'quote', 'claim'];

/** A new key of a partner. */
export function KeyDialog({
  id,
  onClose,
  onSecret,
}: {
  id: string;
  onClose: () => void;
  onSecret: (secret: Secret) => void;
}) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('partners.newKey')}
      initial={{ title: '', sandbox: true, scopes: USUAL_SCOPES, networks: '', perMinute: '600' }}
      required={['title']}
      isReady={({ scopes }) => scopes.length > 0}
      save={({ title, networks, perMinute, ...rest }, once) =>
        api.POST('/partners/{id}/keys', {
          ...once,
          params: { path: { id } },
          body: {
            ...rest,
            title: title.trim(),
            // Typed with spaces, commas or on lines of their own.
            networks: networks.split(/[\s,]+/).filter((network) => network !== ''),
            perMinute: Number.parseInt(perMinute, 10) || 0,
          },
        })
      }
      submit={t('partners.createKey')}
      done={t('partners.keyCreated')}
      stale={[`/partners/${id}`]}
      onDone={({ key, secret }) =>
        onSecret({ title: t('partners.keySecret'), text: t('partners.keySecretText'), name: key.name, secret })
      }
      onClose={onClose}
    >
      {({ field, toggle, error, draft, change }) => (
        <>
          <Field
            label={t('partners.keyTitle')}
            help={t('partners.keyTitleHelp')}
            autoFocus
            autoComplete="off"
            {...field('title')}
          />
          <div>
            <Toggle label={t('partners.sandbox')} {...toggle('sandbox')} />
            <p className={css.muted}>{t('partners.sandboxHelp')}</p>
          </div>
          <div>
            {SCOPES.map((scope) => (
              <Toggle
                key={scope}
                label={t(`partners.scopes.${scope}`)}
                value={draft.scopes.includes(scope)}
                onValue={(on) =>
                  change({ scopes: SCOPES.filter((name) => (name === scope ? on : draft.scopes.includes(name))) })
                }
              />
            ))}
            {error('scopes') && <p className={css.error}>{error('scopes')}</p>}
          </div>
          <Field
            label={t('partners.networks')}
            help={t('partners.networksHelp')}
            autoComplete="off"
            {...field('networks')}
          />
          <NumberField label={t('partners.perMinute')} {...field('perMinute')} />
        </>
      )}
    </FormDialog>
  );
}
