import { useState } from 'react';
import { call } from '../../../api/client';
import type { ClaimReview } from '../../../api/types';
import { Button } from '../../../components/Button';
import { Field, TextArea } from '../../../components/Field';
import { Failure } from '../../../forms/Failure';
import { useForm } from '../../../forms/useForm';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { ActionButton, Actions } from './parts';
import css from './Review.module.css';

const RATINGS = [1, 2, 3, 4, 5];

/** The customer's review of a completed exchange: a form until staff have decided. */
export function Review({ id, loaded }: { id: string; loaded: ClaimReview }) {
  const t = useT('claim');
  const [review, setReview] = useState(loaded);
  const [isOpen, setOpen] = useState(loaded.state === 'unwritten');
  return (
    <section className={css.review} aria-labelledby="review-title">
      <h2 id="review-title">{t('success.review.title')}</h2>
      {isOpen ? (
        <ReviewForm
          id={id}
          review={review}
          onWritten={(written) => {
            setReview(written);
            setOpen(false);
          }}
        />
      ) : (
        <>
          {review.state === 'unwritten' ? null : <p role="status">{t(`success.review.state.${review.state}`)}</p>}
          {review.reason ? <p>{t('success.review.reason', { reason: review.reason })}</p> : null}
          <p className={css.stars} role="img" aria-label={t('success.review.stars', { count: review.rating ?? 0 })}>
            {stars(review.rating ?? 0)}
          </p>
          <p className={css.text}>{review.text}</p>
          {review.reply ? <p className={css.text}>{t('success.review.reply', { reply: review.reply })}</p> : null}
          {review.state === 'pending' ? (
            <Button onClick={() => setOpen(true)}>{t('success.review.change')}</Button>
          ) : null}
        </>
      )}
    </section>
  );
}

const stars = (rating: number) => '★'.repeat(rating) + '☆'.repeat(5 - rating);

interface FormProps {
  id: string;
  review: ClaimReview;
  onWritten: (review: ClaimReview) => void;
}

function ReviewForm({ id, review, onWritten }: FormProps) {
  const t = useT('claim');
  const locale = useLocale();
  const form = useForm({
    initial: { rating: review.rating ? `${review.rating}` : '', text: review.text, name: review.name },
    optional: ['name'],
    send: async ({ rating, text, name }) => {
      const body = { rating: Number(rating), text, ...(name.trim() && { name }) };
      onWritten(await call(locale, 'PUT /claim/{id}/review/', { path: { id }, body }));
    },
  });
  const rating = form.field('rating');
  return (
    <form noValidate onSubmit={form.submit}>
      <fieldset className={css.rating} aria-describedby={rating.error ? 'review-rating-error' : undefined}>
        <legend>{t('success.review.rating')}</legend>
        {RATINGS.map((value) => (
          <label key={value}>
            <input
              type="radio"
              name="rating"
              value={value}
              checked={rating.value === `${value}`}
              aria-invalid={rating.error ? true : undefined}
              onChange={rating.onChange}
            />
            <span aria-hidden="true">{Number(rating.value) >= value ? '★' : '☆'}</span>
            <span className={css.hidden}>{t('success.review.stars', { count: value })}</span>
          </label>
        ))}
      </fieldset>
      <p id="review-rating-error" className={css.error} aria-live="polite">
        {rating.error}
      </p>
      <TextArea
        {...form.field('text')}
        label={t('success.review.text')}
        rows={5}
        maxLength={2000}
        aria-required="true"
      />
      <Field
        {...form.field('name')}
        label={t('success.review.name')}
        hint={t('success.review.hint')}
        maxLength={40}
        autoComplete="nickname"
      />
      <Failure text={form.failure} />
      <Actions>
        <ActionButton submit busy={form.busy}>
          {t(form.busy ? 'success.review.sending' : 'success.review.send')}
        </ActionButton>
      </Actions>
    </form>
  );
}
