import DownloadOutlined from '@mui/icons-material/DownloadOutlined';
import KeyboardOutlined from '@mui/icons-material/KeyboardOutlined';
import Tooltip from '@mui/material/Tooltip';
import { Link } from 'react-router';
import { Button, IconButton, Kbd, useTexts } from '../ui/index.ts';
import css from './ClaimsQueue.module.css';
import type { ClaimCounts } from './groups.ts';

type Props = {
  /** With a claim open the heading belongs to the claim. */
  brief: boolean;
  counts?: ClaimCounts;
  q: string;
  /** The list without the search. */
  toAll: string;
  canTake: boolean;
  /** Takes the next claim; none for staff who only read. */
  onTake: (() => void) | null;
  /** Whether the filters are shown; none while a search goes through all claims. */
  filtering: boolean | null;
  onFilter: () => void;
  onHelp: () => void;
  /** Saves the list as a table; none while there is nothing to save. */
  onDownload: (() => void) | null;
};

export function QueueHeader(props: Props) {
  const { brief, counts, q, toAll, canTake, onTake, filtering, onFilter, onHelp, onDownload } = props;
  const { t } = useTexts();
  const found = q && (
    <>
      {t('claims.found', { q })} <Link to={toAll}>{t('claims.clearSearch')}</Link>
    </>
  );
  if (brief) return found && <p className={css.found}>{found}</p>;
  return (
    <header className={css.head}>
      <div className={css.words}>
        <h1 className={css.title}>{t('screens.claims')}</h1>
        <p className={css.line}>{found || (counts && t('claims.line', { smart_count: counts.open }))}</p>
      </div>
      <div className={css.actions}>
        <Tooltip title={t('keys.title')}>
          <IconButton className={css.help} aria-label={t('keys.title')} onClick={onHelp}>
            <KeyboardOutlined fontSize="small" />
          </IconButton>
        </Tooltip>
        <Button size="large" disabled={!onDownload} startIcon={<DownloadOutlined />} onClick={() => onDownload?.()}>
          {t('claims.downloadTable')}
        </Button>
        {filtering !== null && (
          <Button size="large" aria-expanded={filtering} onClick={onFilter} endIcon={<Kbd>F</Kbd>}>
            {t('claims.filters')}
          </Button>
        )}
        {onTake && (
          <Button variant="contained" size="large" disabled={!canTake} onClick={onTake} endIcon={<Kbd>N</Kbd>}>
            {t('claims.takeNext')}
          </Button>
        )}
      </div>
    </header>
  );
}
