import SearchOutlined from '@mui/icons-material/SearchOutlined';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { Kbd, useKeys, useTexts } from '../ui/index.ts';
import css from './TopBar.module.css';

/** Finds claims from anywhere: by number, link, email, payment details, transaction or amount. */
export function SearchBox() {
  const { t } = useTexts();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const query = params.get('q') ?? '';
  const [text, setText] = useState(query);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(query), [query]);
  useKeys({ '/': () => input.current?.focus() });

  const find = (event: FormEvent) => {
    event.preventDefault();
    const q = text.trim();
    navigate(q ? `/claims?q=${encodeURIComponent(q)}` : '/claims');
    input.current?.blur();
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is not known to the browsers we support.
    <form className={css.search} role="search" onSubmit={find}>
      <SearchOutlined className={css.glass} />
      <input
        ref={input}
        className={css.input}
        type="search"
        value={text}
        aria-label={t('layout.search')}
        placeholder={t('layout.searchHint')}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && input.current?.blur()}
      />
      <span className={css.slash}>
        <Kbd>/</Kbd>
      </span>
    </form>
  );
}
