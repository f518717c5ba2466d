import { Skeleton } from '../../components/Skeleton';
import { usePart } from '../../session/usePart';
import styles from './contact.module.css';

const loadForm = async () => (await import('./ContactForm')).ContactForm;

/** The form needs a script for its captcha anyway; without one the text names the address to write to. */
export function ContactPart() {
  const Form = usePart(true, loadForm, () => {});
  return Form ? <Form /> : <Skeleton className={styles.blank} />;
}
