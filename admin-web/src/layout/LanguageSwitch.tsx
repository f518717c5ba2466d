import { Segments } from '../ui/Segments.tsx';
import { useWords } from '../ui/useWords.ts';

export function LanguageSwitch() {
  const { t, language, setLocale } = useWords();
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
