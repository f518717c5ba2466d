import { useId } from 'react';
import { useT } from '../../../i18n/texts';
import styles from './CityChoice.module.css';
import type { Calculator } from './useCalculator';

interface Props {
  calculator: Calculator;
  error: string | undefined;
  onChoose: () => void;
}

/** Where cash changes hands: chosen before anything is typed. Nothing without cash. */
export function CityChoice({ calculator: { pair, city, chooseCity }, error, onChoose }: Props) {
  const t = useT('home');
  const id = useId();
  if (!pair || pair.cities.length === 0) return null;
  const choose = (code: string) => {
    chooseCity(code);
    onChoose();
  };
  return (
    <div className={styles.choice}>
      <label htmlFor={id}>{t('city')}</label>
      <select
        id={id}
        value={city?.code ?? ''}
        onChange={(event) => choose(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-place`}
      >
        {city === null ? <option value="">{t('city_choose')}</option> : null}
        {pair.cities.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      <p id={`${id}-place`} className={error ? styles.error : styles.place} aria-live="polite">
        {error ?? (city ? (city.place ?? t('city_by_agreement')) : t('city_hint'))}
      </p>
    </div>
  );
}
