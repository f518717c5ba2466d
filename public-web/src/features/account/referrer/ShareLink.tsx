import type { Referral } from '../../../api/types';
import { CopyButton } from '../../../components/CopyButton';
import { Qr } from '../../../components/Qr';
import { useT } from '../../../i18n/texts';
import styles from './referrer.module.css';

/** The referral link, with a QR code. */
export function ShareLink({ referral: { link, code } }: { referral: Referral }) {
  const t = useT('account');
  return (
    <div className={styles.share}>
      <div className={styles.address}>
        <p className={styles.link}>{link}</p>
        <CopyButton value={link} what={t('referrer.the_link')} />
        <p className="small muted">
          {t('referrer.code')} <b className="num">{code}</b>
        </p>
      </div>
      <div className={styles.qr}>
        <Qr text={link} label={t('referrer.qr')} />
      </div>
    </div>
  );
}
