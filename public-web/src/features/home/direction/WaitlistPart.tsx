import { useState } from 'react';
import { Button } from '../../../components/Button';
import { useT } from '../../../i18n/texts';
import { usePart } from '../../../session/usePart';
import styles from './DirectionPage.module.css';

const loadForm = async () => (await import('../../waitlist/WaitlistForm')).WaitlistForm;

interface WaitlistPartProps {
  /** "yes" where the exchange sends such emails. The style sheet hides the part otherwise: the page is filled before React runs. */
  offered: string | undefined;
  give: string;
  receive: string;
}

/** "Notify me of a rate or reserve": the form is loaded once it is wanted. */
export function WaitlistPart({ offered, give, receive }: WaitlistPartProps) {
  const t = useT('home');
  const [isWanted, setWanted] = useState(false);
  const Form = usePart(isWanted, loadForm, () => setWanted(false), ['account', 'waitlist']);
  return (
    <section className={styles.waitlist} data-offered={offered}>
      {Form ? (
        <Form give={give} receive={receive} />
      ) : (
        <Button aria-disabled={isWanted || undefined} onClick={() => setWanted(true)}>
          {t('waitlist')}
        </Button>
      )}
    </section>
  );
}
