import type { Schema } from '@agio/client/admin';
import { useState } from 'react';
import { api } from '../api/index.ts';
import { Section } from '../claims/Facts.tsx';
import { Button, PictureDialog, Refusal, useFileUrl, useTexts } from '../ui/index.ts';
import type { Verification } from './DecisionDialog.tsx';
import css from './Verifications.module.css';

/** The photos of the current round; earlier ones load on request, since each view is audited. */
export function Photos({ verification, mayLook }: { verification: Verification; mayLook: boolean }) {
  const { t } = useTexts();
  const { id, photos, round } = verification;
  const present = photos.filter((photo) => photo.round === round);
  const earlier = photos.filter((photo) => photo.round !== round);
  return (
    <div>
      <Section title={t('verifications.photos')}>
        {!mayLook && <p className={css.text}>{t('verifications.noAccess')}</p>}
        {present.length === 0 && <p className={css.text}>{t('verifications.none')}</p>}
        <div className={css.photos}>
          {present.map((photo) => (
            <Photo key={photo.id} of={id} photo={photo} mayLook={mayLook} shown />
          ))}
        </div>
      </Section>
      {earlier.length > 0 && (
        <Section title={t('verifications.earlier')}>
          <div className={css.photos}>
            {earlier.map((photo) => (
              <Photo key={photo.id} of={id} photo={photo} mayLook={mayLook} />
            ))}
          </div>
        </Section>
      )}
    </div>
  );
}

type PhotoProps = { of: string; photo: Schema<'VerificationPhotoDetails'>; mayLook: boolean; shown?: boolean };

function Photo({ of, photo, mayLook, shown = false }: PhotoProps) {
  const { t, dateTimeText, sizeText } = useTexts();
  const [requested, setRequested] = useState(shown);
  const [large, setLarge] = useState(false);
  const { url, error } = useFileUrl(
    `/verifications/${of}/photos/${photo.id}`,
    () =>
      api.GET('/verifications/{id}/photos/{photo}', { params: { path: { id: of, photo: photo.id } }, parseAs: 'blob' }),
    // Each download is audited.
    requested && mayLook && !photo.deleted,
  );
  return (
    <figure className={css.photo}>
      {url ? (
        <button
          type="button"
          className={css.preview}
          onClick={() => setLarge(true)}
          aria-label={t('verifications.open', { name: photo.name })}
        >
          <img src={url} alt="" />
        </button>
      ) : (
        <div className={css.preview}>
          {mayLook && !photo.deleted && !requested && (
            <Button onClick={() => setRequested(true)}>{t('verifications.show')}</Button>
          )}
        </div>
      )}
      <figcaption className={css.caption}>
        <span>{photo.name}</span>
        <span>
          {dateTimeText(photo.createdAt)} · {sizeText(photo.size)}
        </span>
        <span>
          {photo.deleted
            ? t('verifications.deleted')
            : t('verifications.deletes', { at: dateTimeText(photo.deleteAfter) })}
        </span>
        {photo.repeat && <span className={css.repeat}>{t('verifications.repeat')}</span>}
        {error && <Refusal error={error} />}
      </figcaption>
      {large && url && <PictureDialog url={url} name={photo.name} onClose={() => setLarge(false)} />}
    </figure>
  );
}
