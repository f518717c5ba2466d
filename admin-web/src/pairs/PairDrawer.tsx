import CloseOutlined from '@mui/icons-material/CloseOutlined';
import { useState } from 'react';
import { api, useAction } from '../api/index.ts';
import { AuditLink, Button, IconButton, Refusal, Rosette, useKeys, useTexts } from '../ui/index.ts';
import { ArchivePair } from './ArchivePair.tsx';
import { draftOf, type PairDraft, type PairPatch, patchOf } from './draft.ts';
import { type Causes, type Currency, type Pair, readableRate, stateText } from './matrix.ts';
import { NoticesPreview } from './NoticesPreview.tsx';
import css from './PairDrawer.module.css';
import { PairRates, PairSuspension } from './PairRates.tsx';
import { Preview, usePreview } from './Preview.tsx';
import { Terms, useTermsFields } from './Terms.tsx';

type Props = {
  pair: Pair;
  currencies: Currency[];
  mayEdit: boolean;
  /** It covers the matrix, so its name is the heading of the page. */
  alone: boolean;
  causes: Causes;
  /** Makes new pairs with the terms of this one. */
  onLike: () => void;
  onClose: () => void;
};

/** One direction: its rate and the explanation, its terms, and a preview of the change. */
export function PairDrawer({ pair, currencies, mayEdit, alone, causes, onLike, onClose }: Props) {
  const { t } = useTexts();
  const [draft, setDraft] = useState<PairDraft>(() => draftOf(pair));
  const change = (part: Partial<PairDraft>) => setDraft({ ...draft, ...part });
  const save = useAction({
    run: async (body: PairPatch) => {
      const result = await api.PATCH('/pairs/{id}', { params: { path: { id: pair.id } }, body });
      setDraft(draftOf(result.response.status === 202 ? pair : (result.data as Pair)));
      return result;
    },
    done: t('pairs.saved'),
    stale: ['/pairs', '/dashboard'],
  });
  useKeys({ escape: onClose });
  const { wrong, ...fields } = useTermsFields(draft, change, save.error);
  const patch = wrong.length === 0 ? patchOf(pair, draft) : null;
  const preview = usePreview(pair, patch);
  const shown = (patch && preview.data) ?? pair;
  const [archiving, setArchiving] = useState(false);
  const find = (id: number) => currencies.find((currency) => currency.id === id);
  const [from, to] = [find(pair.giveId), find(pair.receiveId)];
  if (!from || !to) return null;
  const name = `${from.code} → ${to.code}`;
  return (
    <section className={css.drawer} aria-label={name}>
      <Head pair={pair} from={from} to={to} alone={alone} causes={causes} onClose={onClose} />
      <div className={css.body}>
        <PairSuspension pairId={pair.id} name={name} />
        <fieldset className={css.fields} disabled={!mayEdit}>
          <legend className="visually-hidden">{t('pairs.terms')}</legend>
          <Terms {...fields} from={from} to={to} disabled={!mayEdit} />
        </fieldset>
        <NoticesPreview notices={shown.notices} terms={shown.customerTerms} />
        <PairRates pairId={pair.id} name={name} />
      </div>
      {mayEdit && (
        <footer className={css.footer}>
          {patch && <Preview preview={preview} from={from} to={to} />}
          <Refusal error={save.error} />
          <div className={css.buttons}>
            <Button
              variant="contained"
              size="large"
              disabled={!patch || save.isPending}
              onClick={() => patch && save.mutate(patch)}
            >
              {t(save.isPending ? 'action.saving' : 'action.save')}
            </Button>
            <Button size="large" disabled={!patch && wrong.length === 0} onClick={() => setDraft(draftOf(pair))}>
              {t('action.undo')}
            </Button>
            <Button size="large" onClick={onLike}>
              {t('pairs.like')}
            </Button>
            <Button size="large" color={pair.archived ? 'primary' : 'error'} onClick={() => setArchiving(true)}>
              {t(pair.archived ? 'pairs.unarchive' : 'pairs.archive')}
            </Button>
            {wrong.length > 0 && <span className={css.note}>{t('pairs.wrong')}</span>}
            {!patch && wrong.length === 0 && <span className={css.note}>{t('pairs.unchanged')}</span>}
          </div>
        </footer>
      )}
      {archiving && (
        <ArchivePair
          pair={pair}
          name={name}
          // Else the form would put it back where it was.
          onDone={({ archived, enabled }) => change({ archived, enabled })}
          onClose={() => setArchiving(false)}
        />
      )}
    </section>
  );
}

type HeadProps = {
  pair: Pair;
  from: Currency;
  to: Currency;
  alone: boolean;
  causes: Causes;
  onClose: () => void;
};

function Head({ pair, from, to, alone, causes, onClose }: HeadProps) {
  const { t, amountText, dateTimeText, longDayText } = useTexts();
  const readable = pair.rate === null ? null : readableRate(pair.rate);
  const [one, many] = readable?.inverted ? [to, from] : [from, to];
  const Name = alone ? 'h1' : 'h2';
  return (
    <header className={css.head}>
      <Rosette className={css.rosette} />
      <div className={css.line}>
        <Name className={css.name}>
          {from.code} → {to.code}
        </Name>
        <IconButton aria-label={t('action.close')} title="Esc" onClick={onClose}>
          <CloseOutlined fontSize="small" />
        </IconButton>
      </div>
      {readable ? (
        <p className={css.rate}>
          <strong>{amountText(readable.text)}</strong>
          <span>{t('pairs.perOne', { many: many.ticker, one: one.ticker })}</span>
        </p>
      ) : (
        <p className={css.suspended}>{t(`pairState.${stateText(pair, causes)}`)}</p>
      )}
      {readable && pair.state !== 'ok' && <p className={css.suspended}>{t(`pairState.${stateText(pair, causes)}`)}</p>}
      {pair.explanation && <p className={css.note}>{pair.explanation}</p>}
      <p className={css.note}>
        {pair.ratesOf && `${t('claim.ratesOf', { day: longDayText(pair.ratesOf) })} · `}
        {t('pairs.updated', { at: dateTimeText(pair.updatedAt) })} · <AuditLink kind="pair" id={pair.id} />
      </p>
    </header>
  );
}
