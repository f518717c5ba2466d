import { useMemo } from 'react';
import type { Notice } from '../../../api/types';
import { Modal } from '../../../components/Modal';
import { sanitised } from './sanitise';

export default function NoticeModal({ notice, onClose }: { notice: Notice; onClose: () => void }) {
  const message = useMemo(() => sanitised(notice.message), [notice.message]);
  return (
    <Modal title={notice.title} onClose={onClose}>
      {message}
    </Modal>
  );
}
