import Button from '@mui/material/Button';
import { useState } from 'react';
import { Modal } from './Modal.tsx';
import css from './PictureDialog.module.css';
import { useTexts } from './useTexts.ts';

type Props = { url: string; name: string; alt?: string; onClose: () => void };

/** A picture as large as fits, to be rotated. */
export function PictureDialog({ url, name, alt = name, onClose }: Props) {
  const { t } = useTexts();
  const [turns, setTurns] = useState(0);
  return (
    <Modal
      open
      onClose={onClose}
      title={name}
      wide
      actions={<Button onClick={() => setTurns(turns + 1)}>{t('action.rotate')}</Button>}
    >
      <div className={css.frame}>
        <img className={css.large} data-turns={turns % 4} src={url} alt={alt} />
      </div>
    </Modal>
  );
}
