import type { Verification } from '../../../api/types';
import css from './verify.module.css';

/** A drawing of the photo: the card with its middle covered beside a note, or the document beside its owner. */
export function Pattern({ kind, number }: { kind: Verification['kind']; number: string }) {
  return kind === 'card' ? (
    <svg className={css.pattern} viewBox="0 0 320 180" aria-hidden="true">
      <rect className={css.frame} x="4" y="4" width="312" height="172" rx="10" />
      <rect className={css.thing} x="24" y="34" width="168" height="106" rx="10" />
      <rect className={css.chip} x="40" y="58" width="26" height="20" rx="4" />
      <text className={css.digits} x="40" y="108">
        2200
      </text>
      <rect className={css.cover} x="82" y="92" width="62" height="22" rx="3" />
      <text className={css.digits} x="150" y="108">
        04
      </text>
      <path className={css.line} d="M40 124h70" />
      <rect className={css.note} x="208" y="56" width="92" height="62" rx="3" />
      <text className={css.digits} x="254" y="92" textAnchor="middle">
        {number || '№'}
      </text>
    </svg>
  ) : (
    <svg className={css.pattern} viewBox="0 0 320 180" aria-hidden="true">
      <rect className={css.frame} x="4" y="4" width="312" height="172" rx="10" />
      <rect className={css.thing} x="24" y="40" width="128" height="96" rx="8" />
      <circle className={css.line} cx="58" cy="76" r="13" />
      <path className={css.line} d="M38 112a20 18 0 0 1 40 0M90 68h44M90 84h44M90 100h30" />
      <circle className={css.line} cx="236" cy="66" r="26" />
      <path className={css.line} d="M190 158a46 46 0 0 1 92 0" />
      <rect className={css.note} x="262" y="104" width="42" height="32" rx="4" />
    </svg>
  );
}
