import DeleteOutlined from '@mui/icons-material/DeleteOutlined';
import { useGet } from '../api/index.ts';
import { Choice, Field, type Form, IconButton, useTexts } from '../ui/index.ts';
import css from './Currencies.module.css';
import type { CityDraft, CurrencyDraft } from './draft.ts';

const OWN = 'own';

/** Where cash changes hands, in the order customers see it. */
export function Cities({ draft, change, error }: Pick<Form<CurrencyDraft>, 'draft' | 'change' | 'error'>) {
  const { t, language } = useTexts();
  const known = useGet('/catalogue/cities').data ?? [];
  if (draft.kind !== 'cash') return null;
  const { cities } = draft;
  const set = (next: CityDraft[]) => change({ cities: next });
  const add = (wanted: string) => {
    const city = known.find(({ code }) => code === wanted);
    set([
      ...cities,
      { code: city?.code ?? '', ru: city?.name.ru ?? '', en: city?.name.en ?? '', placeRu: '', placeEn: '' },
    ]);
  };
  const others = known
    .filter(({ code }) => !cities.some((city) => city.code === code))
    .map(({ code, name }) => ({ value: code, label: `${name[language]} (${code})` }))
    .sort((one, other) => one.label.localeCompare(other.label, language));
  return (
    <>
      <h3 className={css.section}>{t('cities.title')}</h3>
      <p className={css.note}>{t('cities.help')}</p>
      {error('cities') && (
        <p className={css.bad} tabIndex={-1} data-refused>
          {error('cities')}
        </p>
      )}
      {cities.map((city, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a city is known only by its place.
        <fieldset key={index} className={css.row}>
          <legend className="visually-hidden">{city[language] || t('cities.number', { number: index + 1 })}</legend>
          <div className={css.rowHead}>
            <strong>{city[language] || t('cities.number', { number: index + 1 })}</strong>
            <IconButton
              aria-label={t('cities.remove', { city: city[language] || String(index + 1) })}
              onClick={() => set(cities.filter((_, at) => at !== index))}
            >
              <DeleteOutlined fontSize="small" />
            </IconButton>
          </div>
          <CityForm
            city={city}
            errorOf={(path) => error(`cities[${index}].${path}`)}
            onCity={(next) => set(cities.map((one, at) => (at === index ? next : one)))}
          />
        </fieldset>
      ))}
      <Choice
        label={t('cities.add')}
        value=""
        options={[...others, { value: OWN, label: t('cities.own') }]}
        onValue={add}
      />
    </>
  );
}

type FormProps = {
  city: CityDraft;
  errorOf: (path: string) => string | undefined;
  onCity: (city: CityDraft) => void;
};

function CityForm({ city, errorOf, onCity }: FormProps) {
  const { t } = useTexts();
  const field = (name: keyof CityDraft, path: string) => ({
    value: city[name],
    error: errorOf(path),
    onValue: (text: string) => onCity({ ...city, [name]: name === 'code' ? text.toUpperCase() : text }),
  });
  return (
    <div className={css.grid}>
      <div className={css.whole}>
        <Field label={t('cities.code')} help={t('cities.codeHelp')} {...field('code', 'code')} />
      </div>
      <Field label={t('fields.nameRu')} {...field('ru', 'name.ru')} />
      <Field label={t('fields.nameEn')} {...field('en', 'name.en')} />
      <Field label={t('cities.placeRu')} help={t('cities.placeHelp')} {...field('placeRu', 'place.ru')} />
      <Field label={t('cities.placeEn')} {...field('placeEn', 'place.en')} />
    </div>
  );
}
