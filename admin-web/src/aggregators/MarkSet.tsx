import type { Schema } from '@agio/client/admin';
import { Toggle, useTexts } from '../ui/index.ts';
import own from './Aggregators.module.css';

export type Mark = Schema<'Aggregator'>['marks'][number];

/** Marks to choose from, each with what aggregators call it. */
export function MarkSet({
  legend,
  all,
  marks,
  onMarks,
}: {
  legend: string;
  all: Mark[];
  marks: Mark[];
  onMarks: (marks: Mark[]) => void;
}) {
  const { t } = useTexts();
  return (
    <fieldset className={own.set}>
      <legend className={own.legend}>{legend}</legend>
      <div className={own.marks}>
        {all.map((mark) => (
          <Toggle
            key={mark}
            label={`${mark}: ${t(`aggregators.mark.${mark}`)}`}
            value={marks.includes(mark)}
            onValue={(on) => onMarks(on ? [...marks, mark] : marks.filter((other) => other !== mark))}
          />
        ))}
      </div>
    </fieldset>
  );
}
