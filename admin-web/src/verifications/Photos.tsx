import type { Verification, VerificationPhoto } from '@agio/client/admin';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/api.ts';
import { Section } from '../claims/Facts.tsx';
import { momentText, sizeText } from '../ui/format.ts';
import { Modal } from '../ui/Modal.tsx';
import { Refusal } from '../ui/States.tsx';
import { useWords } from '../ui/useWords.ts';
import css from './Verifications.module.css';

/** The photos of the present round; earlier ones wait until somebody wants to see them, since every look is recorded. */
export function Photos({ verification, mayLook }: { verification: Verification; mayLook: boolean }) {
  const { t } = useWords();
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

type PhotoProps = { of: string; photo: VerificationPhoto; mayLook: boolean; shown?: boolean };

function Photo({ of, photo, mayLook, shown = false }: PhotoProps) {
  const { t, language } = useWords();
  const [wanted, setWanted] = useState(shown);
  const [large, setLarge] = useState(false);
  const { address, error } = usePhotoAddress(of, photo.id, wanted && mayLook && !photo.deleted);
  return (
    <figure className={css.photo}>
      {address ? (
        <button
          type="button"
          className={css.preview}
          onClick={() => setLarge(true)}
          aria-label={t('verifications.open', { name: photo.name })}
        >
          <img src={address} alt="" />
        </button>
      ) : (
        <div className={css.preview}>
          {mayLook && !photo.deleted && !wanted && (
            <Button onClick={() => setWanted(true)}>{t('verifications.show')}</Button>
          )}
        </div>
      )}
      <figcaption className={css.caption}>
        <span>{photo.name}</span>
        <span>
          {momentText(photo.createdAt, language)} · {sizeText(photo.size, language)}
        </span>
        <span>
          {photo.deleted
            ? t('verifications.deleted')
            : t('verifications.deletes', { at: momentText(photo.deleteAfter, language) })}
        </span>
        {photo.repeat && <span className={css.repeat}>{t('verifications.repeat')}</span>}
        {error && <Refusal error={error} />}
      </figcaption>
      {large && address && <Large address={address} name={photo.name} onClose={() => setLarge(false)} />}
    </figure>
  );
}

function Large({ address, name, onClose }: { address: string; name: string; onClose: () => void }) {
  const { t } = useWords();
  const [turns, setTurns] = useState(0);
  return (
    <Modal
      open
      onClose={onClose}
      title={name}
      wide
      actions={<Button onClick={() => setTurns(turns + 1)}>{t('verifications.rotate')}</Button>}
    >
      <div className={css.frame}>
        <img className={css.large} data-turns={turns % 4} src={address} alt={name} />
      </div>
    </Modal>
  );
}

/** The photo as an address of this page, for as long as it is shown. */
function usePhotoAddress(of: string, photo: string, wanted: boolean) {
  const { data, error } = useQuery({
    queryKey: ['photo', of, photo],
    queryFn: () => api.verificationPhoto(of, photo),
    enabled: wanted,
    // Each reading is a look that is written down: one is enough.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(data);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return { address, error };
}
