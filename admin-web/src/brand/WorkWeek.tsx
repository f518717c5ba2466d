import { ownTimeZone } from '../ui/dateTime.ts';
import { Field, TimeZoneField, useTexts } from '../ui/index.ts';
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
  const days = WEEKDAYS.map((_, index) => week.days[index] ?? { from: '', to: '' });
  const change = (index: number, part: Partial<BrandWorkDay>) =>
    onWeek({
      timeZone: week.timeZone || ownTimeZone(),
      days: days.map((day, at) => (at === index ? { ...day, ...part } : day)),
    });
  return (
    <>
      <p className={css.help}>{t('brand.workWeekHelp')}</p>
      <TimeZoneField
        label={t('brand.timeZone')}
        help={t('brand.timeZoneHelp')}
        value={week.timeZone}
        error={error('workWeek.timeZone')}
        disabled={disabled}
        onValue={(timeZone) => onWeek({ ...week, timeZone })}
      />
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
