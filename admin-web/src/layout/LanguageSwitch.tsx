import { Segments, useTexts } from '../ui/index.ts';

export function LanguageSwitch() {
  const { t, language, setLocale } = useTexts();
  return (
    <Segments
      label={t('layout.language')}
      value={language}
      onValue={setLocale}
      options={[
        { value: 'ru', label: 'RU', title: 'Русский' },
        { value: 'en', label: 'EN', title: 'English' },
      ]}
    />
  );
}
