import { Notice } from '../components/Notice';

/** Why a form did not get through, read out as soon as it appears. */
export function Failure({ text }: { text: string | null }) {
  return (
    <div aria-live="assertive">
      {text === null ? null : (
        <Notice tone="danger">
          <p>{text}</p>
        </Notice>
      )}
    </div>
  );
}
