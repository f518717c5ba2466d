import { useEffect, useRef, useState } from 'react';
import type { Notice, Pair } from '../../../api/types';
import { usePart } from '../../../session/usePart';

const loadModal = async () => (await import('./NoticeModal')).default;

/** Shows the pair's notices in one dialog, each once: the general one, the given currency's, the received one's. */
export function Notices({ pair }: { pair: Pair | null }) {
  const shown = useRef(new Set<string>());
  const [notices, setNotices] = useState<Notice[]>([]);
  useEffect(() => {
    const all = pair ? [pair.notify, pair.from.notify, pair.to.notify] : [];
    const fresh = all.filter((notice): notice is Notice => notice !== null && !shown.current.has(textOf(notice)));
    for (const notice of fresh) {
      shown.current.add(textOf(notice));
    }
    if (fresh.length > 0) {
      setNotices((now) => [...now, ...fresh]);
    }
  }, [pair]);
  const NoticeModal = usePart(notices.length > 0, loadModal, undefined, 'common');
  return NoticeModal && notices.length > 0 ? <NoticeModal notices={notices} onClose={() => setNotices([])} /> : null;
}

function textOf({ title, message }: Notice): string {
  return `${title}\n${message}`;
}
