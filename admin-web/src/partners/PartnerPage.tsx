import type { Partner, PartnerRow } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCanAccess } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { AuditLink } from '../ui/AuditLink.tsx';
import { Page } from '../ui/Page.tsx';
import { ErrorNote, Refusal, SkeletonRows } from '../ui/States.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { Commission } from './Commission.tsx';
import { Decision } from './Decision.tsx';
import { KeyDialog } from './KeyDialog.tsx';
import { Keys } from './Keys.tsx';
import { PARTNERS, partnerOf } from './keys.ts';
import { News } from './News.tsx';
import { PartnerDialog } from './PartnerDialog.tsx';
import css from './Partners.module.css';
import { SecretDialog, type Shown } from './SecretDialog.tsx';
import { Turnover } from './Turnover.tsx';

/** A partner: keys, what was exchanged through them, and what they were told. */
export function PartnerPage({ id }: { id: string }) {
  const { t } = useWords();
  const { data, error, isPending, refetch } = useQuery({ queryKey: partnerOf(id), queryFn: () => api.partner(id) });
  return (
    <Page title={data?.partner.name ?? t('partners.title')} line={<Link to="/partners">{t('partners.back')}</Link>}>
      {isPending && <SkeletonRows height={52} />}
      {!data && error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data && <Whole whole={data} />}
    </Page>
  );
}

function Whole({ whole }: { whole: Partner }) {
  const { t } = useWords();
  const { canAccess: mayEdit = false } = useCanAccess({ resource: 'partners', action: 'edit' });
  const [open, setOpen] = useState<'edit' | 'key' | null>(null);
  const [secret, setSecret] = useState<Shown | null>(null);
  const { partner } = whole;
  const close = () => setOpen(null);
  return (
    <>
      <section className={css.part} aria-label={t('partners.facts')}>
        <dl className={css.facts}>
          <dt>{t('partners.email')}</dt>
          <dd>{partner.email}</dd>
          {partner.site && (
            <>
              <dt>{t('partners.site')}</dt>
              <dd>{partner.site}</dd>
              <dt>{t('partners.account')}</dt>
              <dd>{partner.customerEmail}</dd>
            </>
          )}
          <dt>{t('partners.callback')}</dt>
          <dd>{partner.callbackUrl || t('partners.noCallback')}</dd>
        </dl>
        {partner.standing === 'declined' && (
          <p>
            <span className={css.error}>{t('partners.standings.declined')}</span>: {partner.reason}
          </p>
        )}
        {partner.standing === 'requested' && mayEdit && <Decision key={partner.revision} partner={partner} />}
        {mayEdit && <Steps partner={partner} onEdit={() => setOpen('edit')} onSecret={setSecret} />}
        <AuditLink kind="partner" id={partner.id} />
      </section>
      <section className={css.part}>
        <div className={css.head}>
          <h2 className={css.heading}>{t('partners.keys')}</h2>
          {mayEdit && <Button onClick={() => setOpen('key')}>{t('partners.newKey')}</Button>}
        </div>
        <Keys partner={partner.id} rows={whole.keys} mayEdit={mayEdit} />
      </section>
      <section className={css.part}>
        <h2 className={css.heading}>{t('partners.turnover')}</h2>
        <Turnover rows={whole.turnover} />
      </section>
      <section className={css.part}>
        <Commission whole={whole} mayEdit={mayEdit} />
      </section>
      <section className={css.part}>
        <h2 className={css.heading}>{t('partners.news')}</h2>
        <News partner={partner.id} mayEdit={mayEdit} />
      </section>
      {open === 'edit' && <PartnerDialog partner={partner} onClose={close} />}
      {open === 'key' && <KeyDialog id={partner.id} onClose={close} onMade={setSecret} />}
      {secret && <SecretDialog shown={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

function Steps({
  partner,
  onEdit,
  onSecret,
}: {
  partner: PartnerRow;
  onEdit: () => void;
  onSecret: (shown: Shown) => void;
}) {
  const { t } = useWords();
  const saved = useSaved();
  const [sure, setSure] = useState(false);
  const turn = useMutation({
    mutationFn: (enabled: boolean) => api.changePartner(partner.id, { enabled, revision: partner.revision }),
    onSuccess: ({ enabled }) =>
      saved(t(enabled ? 'partners.nowOn' : 'partners.nowOff'), PARTNERS, partnerOf(partner.id)),
  });
  const renew = useMutation({
    mutationFn: () => api.changePartnerSecret(partner.id),
    onSuccess: ({ secret }) => {
      setSure(false);
      saved(t('partners.secretChanged'), partnerOf(partner.id));
      onSecret({ title: t('partners.newsSecret'), text: t('partners.newsSecretText'), secret });
    },
  });
  return (
    <>
      <Toggle
        label={t('partners.enabled')}
        value={partner.enabled}
        disabled={turn.isPending}
        onValue={(enabled) => turn.mutate(enabled)}
      />
      <div className={css.buttons}>
        <Button onClick={onEdit}>{t('partners.edit')}</Button>
        <Button
          color={sure ? 'error' : 'primary'}
          disabled={renew.isPending}
          onClick={() => (sure ? renew.mutate() : setSure(true))}
        >
          {t(sure ? 'partners.sure' : 'partners.renewSecret')}
        </Button>
      </div>
      {sure && <p className={css.muted}>{t('partners.renewText')}</p>}
      <Refusal error={turn.error ?? renew.error} />
    </>
  );
}
