import type { Currency, MonitorDirection } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { Choice } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { EmptyNote, ErrorNote, Refusal } from '../ui/States.tsx';
import css from '../ui/Table.module.css';
import { Toggle } from '../ui/Toggle.tsx';
import { useSaved } from '../ui/useSaved.ts';
import { useWords } from '../ui/useWords.ts';
import { MarkSet } from './MarkSet.tsx';
import own from './Monitors.module.css';

/** What monitors get of each direction from a currency. */
export function Directions({
  currencies,
  marks,
  mayEdit,
}: {
  currencies: Currency[];
  marks: string[];
  mayEdit: boolean;
}) {
  const { t } = useWords();
  const [from, setFrom] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.monitorDirections(Number(from)),
    queryFn: () => api.monitorDirections(Number(from)),
    enabled: from !== '',
  });
  const sent = currencies.filter((currency) => currency.send);
  const options = [
    { value: '', label: t('monitors.choose') },
    ...sent.map((currency) => ({ value: String(currency.id), label: currency.code })),
  ];
  const code = sent.find((currency) => String(currency.id) === from)?.code ?? '';
  return (
    <section>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('monitors.directions')}</h2>
      </div>
      <p className={own.text}>{t('monitors.directionsText')}</p>
      <div className={own.choice}>
        <Choice label={t('monitors.from')} value={from} options={options} onValue={setFrom} />
      </div>
      {error && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <EmptyNote title={t('monitors.noDirections')} />}
      {data && data.length > 0 && <Rows key={from} from={code} rows={data} all={marks} mayEdit={mayEdit} />}
    </section>
  );
}

function Rows({
  from,
  rows,
  all,
  mayEdit,
}: {
  from: string;
  rows: MonitorDirection[];
  all: string[];
  mayEdit: boolean;
}) {
  const { t } = useWords();
  const saved = useSaved();
  const [editing, setEditing] = useState<MonitorDirection | null>(null);
  const set = useMutation({
    mutationFn: ({ row, listed, marks }: { row: MonitorDirection; listed: boolean; marks: string[] }) =>
      api.setMonitorDirection(row.fromId, row.toId, { listed, marks }),
    onSuccess: () => {
      saved(t('monitors.saved'), [...KEYS.monitors]);
      setEditing(null);
    },
  });
  return (
    <>
      {!editing && <Refusal error={set.error} />}
      <div className={css.wrap}>
        <table className={`${css.table} ${css.stacks}`}>
          <thead>
            <tr>
              <th scope="col">{t('monitors.to')}</th>
              <th scope="col">{t('monitors.marks')}</th>
              <th scope="col">{t('monitors.listed')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('monitors.edit')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.toId} className={row.listed ? undefined : css.off}>
                <td>
                  <strong>{row.to}</strong>
                </td>
                <td>
                  {[...row.marks, ...row.ownMarks].join(', ') || t('monitors.none')}
                  {!row.set && <span className={css.small}> {t('monitors.usual')}</span>}
                </td>
                <td>
                  <Toggle
                    hidden
                    label={t('monitors.listedLabel', { code: row.to })}
                    value={row.listed}
                    disabled={!mayEdit || set.isPending}
                    onValue={(listed) => set.mutate({ row, listed, marks: row.marks })}
                  />
                </td>
                <td className={css.actions}>
                  {mayEdit && (
                    <Button onClick={() => setEditing(row)} aria-label={`${t('monitors.marks')}: ${row.to}`}>
                      {t('monitors.marks')}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {editing && (
        <MarksDialog
          title={t('monitors.directionTitle', { from, to: editing.to })}
          row={editing}
          all={all}
          error={set.error}
          isPending={set.isPending}
          onClose={() => setEditing(null)}
          onSave={(marks) => set.mutate({ row: editing, listed: editing.listed, marks })}
        />
      )}
    </>
  );
}

function MarksDialog({
  title,
  row,
  all,
  error,
  isPending,
  onClose,
  onSave,
}: {
  title: string;
  row: MonitorDirection;
  all: string[];
  error: unknown;
  isPending: boolean;
  onClose: () => void;
  onSave: (marks: string[]) => void;
}) {
  const { t } = useWords();
  const [marks, setMarks] = useState(row.marks);
  return (
    <Modal
      open
      onClose={onClose}
      onSubmit={() => !isPending && onSave(marks)}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={isPending}>
            {t(isPending ? 'action.saving' : 'action.save')}
          </Button>
        </>
      }
    >
      <MarkSet legend={t('monitors.marks')} all={all} marks={marks} onMarks={setMarks} />
      <Refusal error={error} />
    </Modal>
  );
}
