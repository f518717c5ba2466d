import { useT } from '../../../i18n/texts';
import css from './Ticket.module.css';
import skeleton from './TicketSkeleton.module.css';

/** A placeholder in the size of a ticket. */
export function TicketSkeleton() {
  const t = useT('claim');
  return (
    <div className={`skeleton-open ${css.ticket}`} role="status">
      <span className="vh">{t('loading')}</span>
      <div className={`${css.face} ${skeleton.face}`} aria-hidden="true">
        <span className={`skeleton ${skeleton.stations}`} />
        <span className={`skeleton ${skeleton.heading}`} />
        <span className={`skeleton ${skeleton.block}`} />
        <span className={`skeleton ${skeleton.button}`} />
      </div>
      <div className={css.perforation} aria-hidden="true">
        <i />
        <i />
      </div>
      <div className={skeleton.stub} aria-hidden="true">
        <span className={`skeleton ${skeleton.line}`} />
        <span className={`skeleton ${skeleton.line}`} />
        <span className={`skeleton ${skeleton.line}`} />
      </div>
    </div>
  );
}
