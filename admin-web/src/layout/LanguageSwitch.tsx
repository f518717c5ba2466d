import { useQueryClient } from '@tanstack/react-query';
import { markStale } from '../api/index.ts';
import { Segments, useTexts } from '../ui/index.ts';

export function LanguageSwitch() {
  const { t, language, setLocale } = useTexts();
  const client = useQueryClient();
  const change = (locale: string) => {
    setLocale(locale);
    // The server's texts are in the language of the request.
    markStale(client, '*');
  };
  return (
    <Segments
      label={t('layout.language')}
      value={language}
      onValue={change}
      options={[
        { value: 'ru', label: 'RU', title: 'Русский' },
        { value: 'en', label: 'EN', title: 'English' },
      ]}
    />
  );
}
