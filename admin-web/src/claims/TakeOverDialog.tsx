import { FormDialog, useTexts } from '../ui/index.ts';
import type { Claim } from './types.ts';
import { type ClaimActions, STALE_BY_CLAIM } from './useClaimActions.ts';

type Props = { claim: Claim; actions: ClaimActions; onClose: () => void };

/** Another may be in the middle of a payment: a take-over is asked for first. */
export function TakeOverDialog({ claim, actions, onClose }: Props) {
  const { t } = useTexts();
  return (
    <FormDialog
      title={t('takeOver.title', { number: claim.publicId })}
      initial={{}}
      save={actions.takeOverAsked}
      submit={t('claim.takeOver')}
      stale={STALE_BY_CLAIM}
      onClose={onClose}
    >
      {() => <p>{t('takeOver.text', { name: claim.holder?.name ?? '' })}</p>}
    </FormDialog>
  );
}
