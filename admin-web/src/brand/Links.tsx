import { Button, Choice, Field, useTexts } from '../ui/index.ts';
import css from './Brand.module.css';
import { type BrandLink, LINKS_MAX } from './draft.ts';

type Props = {
  links: BrandLink[];
  error: (path: string) => string | undefined;
  disabled: boolean;
  onLinks: (links: BrandLink[]) => void;
};

/** Social networks and reviews, in the order of the footer. */
export function Links({ links, error, disabled, onLinks }: Props) {
  const { t } = useTexts();
  const change = (index: number, part: Partial<BrandLink>) =>
    onLinks(links.map((link, at) => (at === index ? { ...link, ...part } : link)));
  return (
    <>
      <p className={css.help}>{t('brand.linksHelp')}</p>
      {links.map((link, index) => (
        // Links have no identity but their place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={index} className={css.link}>
          <Choice
            label={t('fields.kind')}
            value={link.kind}
            disabled={disabled}
            options={(['social', 'review'] as const).map((value) => ({ value, label: t(`brand.linkKinds.${value}`) }))}
            onValue={(kind) => change(index, { kind })}
          />
          <Field
            label={t('brand.linkLabel')}
            value={link.label}
            error={error(`links.${index}.label`)}
            disabled={disabled}
            onValue={(label) => change(index, { label })}
          />
          <Field
            label={t('fields.address')}
            placeholder="https://"
            value={link.url}
            error={error(`links.${index}.url`)}
            disabled={disabled}
            inputProps={{ inputMode: 'url', spellCheck: false }}
            onValue={(url) => change(index, { url })}
          />
          {!disabled && (
            <Button onClick={() => onLinks(links.filter((_, at) => at !== index))}>{t('action.delete')}</Button>
          )}
        </div>
      ))}
      {error('links') && <p className={css.error}>{error('links')}</p>}
      {!disabled && links.length < LINKS_MAX && (
        <div className={css.buttons}>
          <Button
            variant="outlined"
            onClick={() => onLinks([...links, { kind: 'social', label: '', url: 'https://' }])}
          >
            {t('brand.linkAdd')}
          </Button>
        </div>
      )}
    </>
  );
}
