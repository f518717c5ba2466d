import OutlinedInput from '@mui/material/OutlinedInput';
import Switch from '@mui/material/Switch';
import { useId } from 'react';
import { AuditLink, useTexts } from '../ui/index.ts';
import { isOutside, type Setting } from './drafts.ts';
import css from './Settings.module.css';

type Translate = (key: string) => string;

/** A value in words: yes and no for switches, a dash for nothing. */
export function shownValue(setting: Setting, value: string, t: Translate): string {
  if (setting.kind === 'bool') return t(value === 'true' ? 'state.yes' : 'state.no');
  return value === '' ? '—' : value;
}

type Props = {
  setting: Setting;
  value: string;
  error?: string;
  disabled: boolean;
  onValue: (value: string) => void;
};

/** What it is and what it does, its value, its default and who changed it last. */
export function SettingRow({ setting, value, error, disabled, onValue }: Props) {
  const { t, dateTimeText } = useTexts();
  const id = useId();
  const changed = value !== setting.value;
  const outside = isOutside(setting, value);
  const note = error ?? (outside && setting.range ? t('settings.range', setting.range) : undefined);
  return (
    <div className={changed ? css.rowChanged : css.row}>
      <div className={css.words}>
        <label htmlFor={id} className={css.title}>
          {setting.title}
        </label>
        <p id={`${id}-help`} className={css.help}>
          {setting.help}
        </p>
      </div>
      <div className={css.input}>
        {setting.kind === 'bool' ? (
          <Switch
            id={id}
            checked={value === 'true'}
            disabled={disabled}
            slotProps={{ input: { 'aria-describedby': `${id}-help` } }}
            onChange={(_, on) => onValue(String(on))}
          />
        ) : (
          <OutlinedInput
            id={id}
            fullWidth
            value={value}
            disabled={disabled}
            error={Boolean(note)}
            inputProps={{ 'aria-describedby': `${id}-help`, inputMode: setting.kind === 'int' ? 'numeric' : undefined }}
            onChange={(event) => onValue(event.target.value)}
          />
        )}
        {note && <p className={css.error}>{note}</p>}
      </div>
      <p className={css.history}>
        {t('settings.default', { value: shownValue(setting, setting.default, t) })}
        {setting.updatedAt && (
          <span>
            {' '}
            {t('settings.updated', { by: setting.updatedBy ?? '—', at: dateTimeText(setting.updatedAt) })}{' '}
            <AuditLink kind="setting" id={setting.key} />
          </span>
        )}
      </p>
    </div>
  );
}
