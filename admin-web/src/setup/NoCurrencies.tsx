import { Link } from 'react-router';
import { useMayEdit } from '../api/index.ts';
import { Button, EmptyNote, useTexts } from '../ui/index.ts';

/** Where nothing can be there without currencies: a way to the first one. */
export function NoCurrencies({ title, text }: { title: string; text?: string }) {
  const { t } = useTexts();
  const mayEdit = useMayEdit('currencies');
  return (
    <EmptyNote title={title} text={text ?? t('opening.noCurrencies')}>
      {mayEdit && (
        <Button variant="contained" component={Link} to="/currencies?new">
          {t('opening.toCurrencies')}
        </Button>
      )}
    </EmptyNote>
  );
}
