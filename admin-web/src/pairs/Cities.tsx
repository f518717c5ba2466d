import { useCurrencies } from '../api/index.ts';
import { Toggle, useTexts } from '../ui/index.ts';
import css from './PairDrawer.module.css';
import type { Side, TermsProps } from './Terms.tsx';

/** The cities in which a direction with cash works; none are all. */
export function Cities({ draft, from, to, errorOf, onChange, disabled }: TermsProps) {
  const { t, language } = useTexts();
  const citiesOf = useCitiesOf();
  const sides = [citiesOf(from), citiesOf(to)].filter((cities) => cities.length > 0);
  const cities = (sides[0] ?? []).filter(({ code }) => sides.every((side) => side.some((city) => city.code === code)));
  // Those the currency has lost since can only be taken away.
  const lost = draft.cities.filter((code) => !cities.some((city) => city.code === code));
  const rows = [...cities, ...lost.map((code) => ({ code, name: { ru: code, en: code } }))];
  if (rows.length === 0) return null;
  const error = draft.cities.map((_, place) => errorOf('', `cities[${place}]`)).find(Boolean);
  return (
    <>
      <h2 className={css.section}>{t('pairs.cities')}</h2>
      <p className={error ? css.refused : css.note}>{error ?? t('pairs.citiesHelp')}</p>
      <div className={css.cities}>
        {rows.map(({ code, name }) => (
          <Toggle
            key={code}
            label={name[language]}
            value={draft.cities.includes(code)}
            disabled={disabled}
            onValue={(on) =>
              onChange({ cities: on ? [...draft.cities, code] : draft.cities.filter((other) => other !== code) })
            }
          />
        ))}
      </div>
    </>
  );
}

/** The cities of a side: of its currency, or of all cash if it stands for several currencies. */
function useCitiesOf() {
  const currencies = useCurrencies();
  return ({ id }: Side) => {
    const all = currencies.filter((currency) => id === undefined || currency.id === id).flatMap(({ cities }) => cities);
    return [...new Map(all.map((city) => [city.code, city])).values()];
  };
}
