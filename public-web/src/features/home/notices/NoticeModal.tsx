import { useMemo } from 'react';
import type { Notice } from '../../../api/types';
import { Modal } from '../../../components/Modal';
import { sanitised } from './sanitise';

interface Props {
  /** At least one, whose title is the dialog's. */
  notices: Notice[];
  onClose: () => void;
}

export default function NoticeModal({ notices, onClose }: Props) {
  return (
    <Modal title={notices[0]?.title ?? ''} onClose={onClose}>
      {notices.map(({ title, message }, index) => (
        <section key={`${title}\n${message}`}>
          {index > 0 ? <h3>{title}</h3> : null}
          <Message text={message} />
        </section>
      ))}
    </Modal>
  );
}

function Message({ text }: { text: string }) {
  return useMemo(() => sanitised(text), [text]);
}
