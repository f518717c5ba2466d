import { Skeleton } from '../../components/Skeleton';
import { usePart } from '../../session/usePart';
import styles from './contact.module.css';

const loadForm = async () => (await import('./ContactForm')).ContactForm;

/** The captcha needs a script; without one the text names the support address. */
export function ContactPart() {
  const Form = usePart(true, loadForm, () => {});
  return Form ? <Form /> : <Skeleton isOpen className={styles.blank} />;
}
