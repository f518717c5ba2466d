import { Kbd, Modal, useTexts } from '../ui/index.ts';
import css from './KeysDialog.module.css';

const KEYS = [
  ['J', 'next'],
  ['K', 'previous'],
  ['Enter', 'open'],
  ['Esc', 'close'],
  ['N', 'takeNext'],
  ['T', 'take'],
  ['R', 'release'],
  ['Y', 'main'],
  ['H', 'hold'],
  ['X', 'reject'],
  ['B', 'refund'],
  ['M', 'note'],
  ['/', 'search'],
  ['F', 'filters'],
  ['1–7', 'groups'],
  ['?', 'help'],
];

export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTexts();
  return (
    <Modal open={open} onClose={onClose} title={t('keys.title')}>
      <p className={css.line}>{t('keys.layout')}</p>
      <dl className={css.keys}>
        {KEYS.map(([key, name]) => (
          <div key={key} className={css.pair}>
            <dt>
              <Kbd>{key}</Kbd>
              <span className="visually-hidden">{key}</span>
            </dt>
            <dd>{t(`keys.${name}`)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
