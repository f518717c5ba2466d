import { useCallback } from 'react';
import type { KeptRequisites } from '../../../api/account';
import { call } from '../../../api/client';
import { wordsFor } from '../../../api/errors';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { Check } from '../../../components/Field';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { written } from '../../../requisites/typing';
import styles from './Kept.module.css';
import type { Stub } from './useStub';

/** What a signed-in customer keeps of the currencies on the page, and the choice to keep what is typed now. */
export function Kept({ stub, confirmed }: { stub: Stub; confirmed: boolean }) {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/requisites/', { quiet: true }), [locale]);
  const [answer] = useAnswer(ask);
  const fitting = answer.state === 'here' ? answer.value.items.filter((kept) => fits(kept, stub)) : [];
  const use = async ({ id, code }: KeptRequisites) => {
    try {
      const { fields } = await call(locale, 'GET /users/me/requisites/{id}/', { path: { id } });
      for (const { name, value } of fields) {
        const field = stub.fields.find(({ memory }) => memory === `${code}.${name}`);
        if (field) stub.setValue(field, written(field.kind, value));
      }
    } catch (error) {
      toast(wordsFor(error, common));
    }
  };
  return (
    <div className={styles.kept}>
      {fitting.length > 0 ? (
        <fieldset className={styles.ways} aria-label={t('kept.choose')}>
          <span className="small muted">{t('kept.use')}</span>
          {fitting.map((kept) => (
            <Button key={kept.id} size="small" className="num" onClick={() => use(kept)}>
              {kept.fields[0]?.value}
            </Button>
          ))}
        </fieldset>
      ) : null}
      {confirmed ? (
        <Check
          label={t('kept.keep')}
          checked={stub.consents.keep}
          onChange={(event) => stub.setConsent('keep', event.target.checked)}
        />
      ) : null}
    </div>
  );
}

/** Whether some of it is asked for now. */
function fits({ code, fields }: KeptRequisites, stub: Stub): boolean {
  return fields.some(({ name }) => stub.fields.some(({ memory }) => memory === `${code}.${name}`));
}
