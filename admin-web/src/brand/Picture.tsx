import { useId } from 'react';
import { api, useAction } from '../api/index.ts';
import { Button, PictureInput, Refusal, useTexts } from '../ui/index.ts';
import css from './Brand.module.css';
import type { PictureKind } from './draft.ts';

type Props = { kind: PictureKind; url: string | null; mayEdit: boolean; onChanged: () => void };

/** A picture with what it is for; it is in force as soon as it is uploaded. */
export function Picture({ kind, url, mayEdit, onChanged }: Props) {
  const { t } = useTexts();
  const id = useId();
  const params = { path: { kind } };
  const upload = useAction<unknown, File>({
    run: (file) => {
      const form = new FormData();
      form.append('file', file);
      return api.PUT('/brand/pictures/{kind}', { params, body: { file: '' }, bodySerializer: () => form });
    },
    done: t('brand.uploaded'),
    stale: ['/brand'],
    onSettled: onChanged,
  });
  const remove = useAction({
    run: () => api.DELETE('/brand/pictures/{kind}', { params }),
    done: t('brand.deleted'),
    stale: ['/brand'],
    onSettled: onChanged,
  });
  const isPending = upload.isPending || remove.isPending;
  return (
    <section className={css.picture} aria-labelledby={id}>
      <div className={css.frame}>{url ? <img src={url} alt={t(`brand.pictures.${kind}`)} /> : t('brand.standard')}</div>
      <div>
        <h3 id={id} className={css.name}>
          {t(`brand.pictures.${kind}`)}
        </h3>
        <p className={css.help}>{t(`brand.pictures.${kind}Help`)}</p>
        {mayEdit && (
          <div className={css.buttons}>
            <PictureInput
              label={t(`brand.pictures.${kind}`)}
              accept={kind === 'card' ? 'image/png,image/webp,image/jpeg' : 'image/png,image/webp'}
              disabled={isPending}
              onFile={(file) => upload.mutate(file)}
            >
              {t(upload.isPending ? 'brand.uploading' : 'brand.upload')}
            </PictureInput>
            {url && (
              <Button disabled={isPending} onClick={() => remove.mutate()}>
                {t('action.delete')}
              </Button>
            )}
          </div>
        )}
        <Refusal error={upload.error ?? remove.error} field="file" />
      </div>
    </section>
  );
}
