import { timeText } from '@agio/client/format';
import { Notice } from '../../../components/Notice';
import { useT } from '../../../i18n/texts';
import type { Line } from '../line/statusStream';

/** Shows a lost connection and the age of the status. While polling works, the stub's dot is enough. */
export function LineNotice({ line }: { line: Line }) {
  const t = useT('claim');
  if (line.state !== 'dropped' || line.polling) return null;
  const text = line.asOf === null ? t('line.droppedNever') : t('line.droppedText', { time: timeText(line.asOf) });
  return (
    <Notice tone="warning" live>
      {text}
    </Notice>
  );
}
