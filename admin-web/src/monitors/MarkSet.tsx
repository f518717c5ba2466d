import { Toggle } from '../ui/Toggle.tsx';
import { useWords } from '../ui/useWords.ts';
import own from './Monitors.module.css';

/** Marks to choose from, each with the monitor's own word for it. */
export function MarkSet({
  legend,
  all,
  marks,
  onMarks,
}: {
  legend: string;
  all: string[];
  marks: string[];
  onMarks: (marks: string[]) => void;
}) {
  const { t } = useWords();
  return (
    <fieldset className={own.set}>
      <legend className={own.legend}>{legend}</legend>
      <div className={own.marks}>
        {all.map((mark) => (
          <Toggle
            key={mark}
            label={`${mark}: ${t(`monitors.mark.${mark}`)}`}
            value={marks.includes(mark)}
            onValue={(on) => onMarks(on ? [...marks, mark] : marks.filter((other) => other !== mark))}
          />
        ))}
      </div>
    </fieldset>
  );
}
