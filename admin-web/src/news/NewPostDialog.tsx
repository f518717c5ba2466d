import { api } from '../api/index.ts';
import { Field, FormDialog, useTexts } from '../ui/index.ts';
import { slugOf } from './slug.ts';

type Props = {
  onCreated: (id: string) => void;
  onClose: () => void;
};

/** Creates a draft with its headings and its address. */
export function NewPostDialog({ onCreated, onClose }: Props) {
  const { t } = useTexts();
  const text = (title: string) => ({ title, description: '', markdown: `${title}\n` });
  return (
    <FormDialog
      title={t('news.add')}
      initial={{ ru: '', en: '', slug: '' }}
      required={['ru', 'en']}
      save={(draft, once) =>
        api.POST('/news', {
          ...once,
          body: { slug: draft.slug || slugOf(draft.en), state: 'draft', ru: text(draft.ru), en: text(draft.en) },
        })
      }
      submit={t('news.create')}
      stale={['/news*']}
      onDone={({ post }) => onCreated(post.id)}
      onClose={onClose}
    >
      {({ draft, field, error }) => (
        <>
          <Field
            label={t('news.headingRu')}
            autoFocus
            inputProps={{ maxLength: 120 }}
            {...field('ru')}
            error={error('ru') ?? error('ru.title')}
          />
          <Field
            label={t('news.headingEn')}
            inputProps={{ maxLength: 120 }}
            {...field('en')}
            error={error('en') ?? error('en.title')}
          />
          <Field
            label={t('fields.address')}
            help={t('news.addressHelp', { slug: draft.slug || slugOf(draft.en) })}
            inputProps={{ maxLength: 60 }}
            {...field('slug')}
          />
        </>
      )}
    </FormDialog>
  );
}
