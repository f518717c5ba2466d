import type { PartnerKeyInput } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { fieldsOf } from '../api/problem.ts';
import { Field, NumberField } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { partnerOf, SCOPES, USUAL_SCOPES } from './keys.ts';
import css from './Partners.module.css';
import type { Shown } from './SecretDialog.tsx';

type Draft = { title: string; sandbox: boolean; scopes: string[]; networks: string; perMinute: string };

/** A key as it is sent: networks are typed with spaces, commas or on lines of their own. */
const input = (draft: Draft): PartnerKeyInput => ({
  title: draft.title.trim(),
  sandbox: draft.sandbox,
  scopes: draft.scopes,
  networks: draft.networks.split(/[\s,]+/).filter((network) => network !== ''),
  perMinute: Number.parseInt(draft.perMinute, 10) || 0,
});

/** A new key of a partner. */
export function KeyDialog({
  id,
  onClose,
  onMade,
}: {
  id: string;
  onClose: () => void;
  onMade: (shown: Shown) => void;
}) {
  const { t } = useWords();
  const saved = useSaved();
  const [draft, setDraft] = useState<Draft>({
    title: '',
    sandbox: true,
    scopes: USUAL_SCOPES,
    networks: '',
    perMinute: '600',
  });
  // One key for one filled-in dialog: sent twice, it still makes one.
  const key = useRef(crypto.randomUUID());
  const change = (part: Partial<Draft>) => {
    key.current = crypto.randomUUID();
    setDraft({ ...draft, ...part });
  };
  const make = useMutation({
    mutationFn: () => api.addPartnerKey(id, input(draft), key.current),
    onSuccess: (made) => {
      saved(t('partners.keyMade'), partnerOf(id));
      onClose();
      onMade({
        title: t('partners.keySecret'),
        text: t('partners.keySecretText'),
        name: made.key.name,
        secret: made.secret,
      });
    },
  });
  const errors = fieldsOf(make.error);
  const ready = draft.title.trim() !== '' && draft.scopes.length > 0 && !make.isPending;
  const allow = (scope: string, on: boolean) =>
    change({ scopes: SCOPES.filter((name) => (name === scope ? on : draft.scopes.includes(name))) });
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => ready && make.mutate()}
      title={t('partners.newKey')}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={!ready}>
            {t('partners.makeKey')}
          </Button>
        </>
      }
    >
      <Field
        label={t('partners.keyTitle')}
        help={t('partners.keyTitleHelp')}
        autoFocus
        autoComplete="off"
        value={draft.title}
        error={errors.title}
        onValue={(title) => change({ title })}
      />
      <div>
        <Toggle label={t('partners.sandbox')} value={draft.sandbox} onValue={(sandbox) => change({ sandbox })} />
        <p className={css.muted}>{t('partners.sandboxHelp')}</p>
      </div>
      <div>
        {SCOPES.map((scope) => (
          <Toggle
            key={scope}
            label={t(`partners.scopes.${scope}`)}
            value={draft.scopes.includes(scope)}
            onValue={(on) => allow(scope, on)}
          />
        ))}
        {errors.scopes && <p className={css.error}>{errors.scopes}</p>}
      </div>
      <Field
        label={t('partners.networks')}
        help={t('partners.networksHelp')}
        autoComplete="off"
        value={draft.networks}
        error={errors.networks}
        onValue={(networks) => change({ networks })}
      />
      <NumberField
        label={t('partners.perMinute')}
        value={draft.perMinute}
        error={errors.perMinute}
        onValue={(perMinute) => change({ perMinute })}
      />
      {Object.keys(errors).length === 0 && <Refusal error={make.error} />}
    </Modal>
  );
}
