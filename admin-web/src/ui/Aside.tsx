import CloseOutlined from '@mui/icons-material/CloseOutlined';
import IconButton from '@mui/material/IconButton';
import type { ReactNode } from 'react';
import css from './Table.module.css';
import { useTexts } from './useTexts.ts';

type Props = { title: string; onClose: () => void; children: ReactNode };

/** An open record beside its list, within `.columns`. */
export function Aside({ title, onClose, children }: Props) {
  const { t } = useTexts();
  return (
    <aside className={css.aside} aria-label={title}>
      <div className={css.asideHead}>
        <h2 className={css.asideTitle}>{title}</h2>
        <IconButton aria-label={t('action.close')} onClick={onClose}>
          <CloseOutlined fontSize="small" />
        </IconButton>
      </div>
      {children}
    </aside>
  );
}
