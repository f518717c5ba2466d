import { useId } from 'react';
import { Field } from '../ui/Field.tsx';
import { useTexts } from '../ui/useTexts.ts';
import css from './Brand.module.css';
import { type BrandWorkDay, type BrandWorkWeek, WEEKDAYS } from './draft.ts';

type Props = {
  week: BrandWorkWeek;
  error: (path: string) => string | undefined;
  disabled: boolean;
  onWeek: (week: BrandWorkWeek) => void;
};

/** The hours of each day of the week and their time zone. */
export function WorkWeek({ week, error, disabled, onWeek }: Props) {
  const { t } = useTexts();
  const zones = useId();
  const days = WEEKDAYS.map((_, index) => week.days[index] ?? { from: '', to: '' });
  const change = (index: number, part: Partial<BrandWorkDay>) =>
    onWeek({
      // Most owners work where their browser is.
      timeZone: week.timeZone || Intl.DateTimeFormat().resolvedOptions().timeZone,
      days: days.map((day, at) => (at === index ? { ...day, ...part } : day)),
    });
  return (
    <>
      <p className={css.help}>{t('brand.workWeekHelp')}</p>
      <Field
        label={t('brand.timeZone')}
        help={t('brand.timeZoneHelp')}
        placeholder="Europe/Moscow"
        value={week.timeZone}
        error={error('workWeek.timeZone')}
        disabled={disabled}
        inputProps={{ list: zones, spellCheck: false }}
        onValue={(timeZone) => onWeek({ ...week, timeZone })}
      />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {WEEKDAYS.map((weekday, index) => (
        <div key={weekday} className={css.workDay}>
          {(['from', 'to'] as const).map((end) => (
            <Field
              key={end}
              type="time"
              label={t(`brand.workDay.${end}`, { day: t(`brand.weekdays.${weekday}`) })}
              value={days[index]?.[end] ?? ''}
              error={error(`workWeek.days.${index}.${end}`)}
              disabled={disabled}
              onValue={(time) => change(index, { [end]: time })}
            />
          ))}
        </div>
      ))}
      {error('workWeek.days') && <p className={css.error}>{error('workWeek.days')}</p>}
    </>
  );
}
