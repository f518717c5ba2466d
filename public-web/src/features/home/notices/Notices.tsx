import { useEffect, useRef, useState } from 'react';
import type { Notice, Pair } from '../../../api/types';
import { usePart } from '../../../session/usePart';

const loadModal = async () => (await import('./NoticeModal')).default;

/** Shows the pair's notices in turn, each once: the general one, the given currency's, the received one's. */
export function Notices({ pair }: { pair: Pair | null }) {
  const shown = useRef(new Set<string>());
  const [queue, setQueue] = useState<Notice[]>([]);
  useEffect(() => {
    const all = pair ? [pair.notify, pair.from.notify, pair.to.notify] : [];
    const fresh = all.filter((notice): notice is Notice => notice !== null && !shown.current.has(textOf(notice)));
    for (const notice of fresh) {
      shown.current.add(textOf(notice));
    }
    if (fresh.length > 0) {
      setQueue((waiting) => [...waiting, ...fresh]);
    }
  }, [pair]);
  const [first] = queue;
  const NoticeModal = usePart(first !== undefined, loadModal, undefined, 'common');
  return first && NoticeModal ? (
    <NoticeModal key={textOf(first)} notice={first} onClose={() => setQueue(queue.slice(1))} />
  ) : null;
}

function textOf({ title, message }: Notice): string {
  return `${title}\n${message}`;
}
