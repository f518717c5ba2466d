import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, useAction, useGet, useMayEdit } from '../api/index.ts';
import { ActionButton, AuditLink, Button, Facts, Loaded, Page, Refusal, Toggle, useTexts } from '../ui/index.ts';
import { Commission } from './Commission.tsx';
import { Decision } from './Decision.tsx';
import { KeyDialog } from './KeyDialog.tsx';
import { Keys } from './Keys.tsx';
import { PartnerDialog } from './PartnerDialog.tsx';
import css from './Partners.module.css';
import { type Secret, SecretDialog } from './SecretDialog.tsx';
import { Turnover } from './Turnover.tsx';
import { WebhookDeliveries } from './WebhookDeliveries.tsx';

/** A partner: keys, turnover, commission and webhooks. */
export function PartnerPage({ id }: { id: string }) {
  const { t } = useTexts();
  const answer = useGet('/partners/{id}', { path: { id } });
  return (
    <Page
      title={answer.data?.partner.name ?? t('screens.partners')}
      line={<Link to="/partners">{t('partners.back')}</Link>}
    >
      <Loaded answer={answer} bones={{ height: 52 }}>
        {(details) => <Details details={details} />}
      </Loaded>
    </Page>
  );
}

function Details({ details }: { details: Schema<'PartnerDetails'> }) {
  const { t } = useTexts();
  const mayEdit = useMayEdit('partners');
  const [open, setOpen] = useState<'edit' | 'key' | null>(null);
  const [secret, setSecret] = useState<Secret | null>(null);
  const { partner } = details;
  const close = () => setOpen(null);
  return (
    <>
      <section className={css.part} aria-label={t('partners.facts')}>
        <Facts
          facts={[
            [t('fields.email'), partner.email],
            partner.site !== null && partner.site !== '' && [t('partners.site'), partner.site],
            partner.site !== null && partner.site !== '' && [t('partners.account'), partner.customerEmail],
            [t('partners.callback'), partner.callbackUrl || t('partners.noCallback')],
          ]}
        />
        {partner.status === 'declined' && (
          <p>
            <span className={css.error}>{t('partners.statuses.declined')}</span>: {partner.reason}
          </p>
        )}
        {partner.status === 'requested' && mayEdit && <Decision key={partner.revision} partner={partner} />}
        {mayEdit && <Access partner={partner} onEdit={() => setOpen('edit')} onSecret={setSecret} />}
        <AuditLink kind="partner" id={partner.id} />
      </section>
      <section className={css.part}>
        <div className={css.head}>
          <h2 className={css.heading}>{t('partners.keys')}</h2>
          {mayEdit && <Button onClick={() => setOpen('key')}>{t('partners.newKey')}</Button>}
        </div>
        <Keys partner={partner.id} rows={details.keys} mayEdit={mayEdit} />
      </section>
      <section className={css.part}>
        <h2 className={css.heading}>{t('partners.turnover')}</h2>
        <Turnover rows={details.turnover} />
      </section>
      <section className={css.part}>
        <Commission details={details} mayEdit={mayEdit} />
      </section>
      <section className={css.part}>
        <h2 className={css.heading}>{t('partners.webhooks')}</h2>
        <WebhookDeliveries partner={partner.id} mayEdit={mayEdit} />
      </section>
      {open === 'edit' && <PartnerDialog partner={partner} onClose={close} />}
      {open === 'key' && <KeyDialog id={partner.id} onClose={close} onSecret={setSecret} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

type AccessProps = {
  partner: Schema<'PartnerSummary'>;
  onEdit: () => void;
  onSecret: (secret: Secret) => void;
};

function Access({ partner: { id, enabled, revision }, onEdit, onSecret }: AccessProps) {
  const { t } = useTexts();
  const [isSure, setSure] = useState(false);
  const params = { path: { id } };
  const turn = useAction({
    run: (on: boolean) => api.PATCH('/partners/{id}', { params, body: { enabled: on, revision } }),
    done: (partner) => t(partner.enabled ? 'partners.nowOn' : 'partners.nowOff'),
    stale: ['/partners*'],
  });
  return (
    <>
      <Toggle
        label={t('partners.enabled')}
        value={enabled}
        disabled={turn.isPending}
        onValue={(on) => turn.mutate(on)}
      />
      <div className={css.buttons}>
        <Button onClick={onEdit}>{t('action.edit')}</Button>
        <ActionButton
          label={t('partners.renewSecret')}
          sure={t('action.sure')}
          onSure={setSure}
          run={() => api.POST('/partners/{id}/secret', { params })}
          done={t('partners.secretChanged')}
          stale={[`/partners/${id}`]}
          onDone={({ secret }) =>
            onSecret({ title: t('partners.webhookSecret'), text: t('partners.webhookSecretText'), secret })
          }
        />
      </div>
      {isSure && <p className={css.muted}>{t('partners.renewText')}</p>}
      <Refusal error={turn.error} />
    </>
  );
}
