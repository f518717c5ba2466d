import type { Schema } from '@agio/client/admin';
import { useRef, useState } from 'react';
import { api, useAction } from '../api/index.ts';
import dry from '../pairs/DryRun.module.css';
import { Button, DataTable, Modal, Refusal, SkeletonRows, useTexts } from '../ui/index.ts';
import { saveFile } from '../ui/saveFile.ts';

type Report = Schema<'MarketTableReport'>;
export type Table = 'currencies' | 'pairs';
type Format = Schema<'MarketTableFormat'>;

const FORMATS: Format[] = ['xlsx', 'csv'];
const MEDIA_TYPES: Record<Format, string> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv',
};
/** By its name: browsers do not know the types of all files. */
const formatOf = ({ name }: File): Format => (/\.xlsx$/i.test(name) ? 'xlsx' : 'csv');

/** More lines than these nobody reads. */
const SHOWN = 200;

const send = (table: Table, file: File, plan?: string) =>
  api.POST('/market/tables/{table}', {
    params: { path: { table }, query: plan === undefined ? {} : { plan } },
    body: '',
    bodySerializer: () => file,
    headers: { 'Content-Type': MEDIA_TYPES[formatOf(file)] },
  });

/** Currencies or directions as a table for spreadsheets: saved as a file, and read from one after a preview. */
export function TableDialog({ table, onClose }: { table: Table; onClose: () => void }) {
  const { t } = useTexts();
  const [file, setFile] = useState<File | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const download = useAction<Blob, Format>({
    run: async (format) => {
      const params = { path: { table }, query: { format } };
      const { data, response } = await api.GET('/market/tables/{table}', { params, parseAs: 'blob' });
      if (data) saveFile(`${table}.${format}`, data);
      return { data, response };
    },
    stale: [],
  });
  const preview = useAction<Report, File>({ run: (file) => send(table, file), stale: [] });
  const report = preview.data?.data;
  const apply = useAction<Report>({
    run: () => send(table, file as File, report?.plan ?? ''),
    done: (answer) => t('marketTable.applied', { smart_count: answer?.lines.length ?? 0 }),
    stale: ['/currencies', '/pairs', '/rates*', '/dashboard', '/setup'],
    onSettled: onClose,
  });
  const choose = (chosen: File | undefined) => {
    if (!chosen) return;
    setFile(chosen);
    apply.reset();
    preview.mutate(chosen);
  };
  const count = report?.plan ? report.lines.length : 0;
  return (
    <Modal
      open
      wide
      title={t(`marketTable.${table}`)}
      onClose={onClose}
      onSubmit={() => count > 0 && !apply.isPending && apply.mutate()}
      actions={
        <>
          <Refusal error={apply.error} />
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="contained" disabled={count === 0 || apply.isPending}>
            {apply.isPending
              ? t('action.saving')
              : count > 0
                ? t('marketTable.apply', { smart_count: count })
                : t('marketTable.idle')}
          </Button>
        </>
      }
    >
      <div className={dry.form}>
        <p className={dry.note}>{t('marketTable.help')}</p>
        <div className={dry.chips}>
          {FORMATS.map((format) => (
            <Button key={format} disabled={download.isPending} onClick={() => download.mutate(format)}>
              {t('marketTable.download', { format: format.toUpperCase() })}
            </Button>
          ))}
          <Button onClick={() => input.current?.click()}>{t('marketTable.choose')}</Button>
          <input
            ref={input}
            type="file"
            hidden
            accept={`.xlsx,.csv,${Object.values(MEDIA_TYPES)}`}
            aria-label={t('marketTable.choose')}
            onChange={(event) => {
              choose(event.target.files?.[0]);
              // The same file may be chosen again after it was corrected.
              event.target.value = '';
            }}
          />
        </div>
        <Refusal error={download.error ?? preview.error} />
        {preview.isPending && <SkeletonRows rows={4} />}
        {!preview.isPending && report && file && <TableReport name={file.name} report={report} />}
      </div>
    </Modal>
  );
}

/** What a file changes, or what is wrong in it, by its lines. */
function TableReport({ name, report }: { name: string; report: Report }) {
  const { t } = useTexts();
  const { errors, lines } = report;
  const values = lines.flatMap(({ line, subject, isNew, values }) =>
    values.map((value, place) => ({
      ...value,
      line,
      isNew,
      subject: place === 0 ? subject : '',
      key: `${line}-${value.column}`,
    })),
  );
  const rest = Math.max(errors.length, values.length) - SHOWN;
  return (
    <section aria-label={t('marketTable.report', { name })}>
      <h3 className={dry.title}>{t('marketTable.report', { name })}</h3>
      <p role="status">
        {errors.length > 0
          ? t('marketTable.errors', { smart_count: errors.length })
          : lines.length > 0
            ? t('marketTable.changes', { smart_count: lines.length })
            : t('marketTable.unchanged')}
      </p>
      {errors.length > 0 && (
        <DataTable
          within
          list={errors.slice(0, SHOWN).map((error, place) => ({ ...error, place }))}
          rowKey={(row) => row.place}
          columns={[
            { head: t('marketTable.line'), number: true, cell: (row) => row.line },
            { head: t('marketTable.column'), cell: (row) => row.column },
            { head: t('marketTable.wrong'), look: ['end'], cell: (row) => row.message },
          ]}
        />
      )}
      {values.length > 0 && (
        <DataTable
          within
          list={values.slice(0, SHOWN)}
          rowKey={(row) => row.key}
          columns={[
            { head: t('marketTable.line'), number: true, cell: (row) => row.line },
            {
              head: t('marketTable.subject'),
              cell: (row) => (row.subject && row.isNew ? t('marketTable.isNew', { name: row.subject }) : row.subject),
            },
            { head: t('marketTable.column'), cell: (row) => row.column },
            { head: t('fields.now'), look: ['muted'], cell: (row) => row.before ?? '—' },
            { head: t('fields.after'), cell: (row) => row.after ?? '—' },
          ]}
        />
      )}
      {rest > 0 && <p className={dry.note}>{t('newPairs.rest', { smart_count: rest })}</p>}
    </section>
  );
}
