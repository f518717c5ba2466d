import { useCallback } from 'react';
import { call } from '../../../api/client';
import { errorText } from '../../../api/errors';
import type { SavedRequisites } from '../../../api/types';
import { useAnswer } from '../../../api/useAnswer';
import { Button } from '../../../components/Button';
import { Check } from '../../../components/Field';
import { toast } from '../../../components/toasts';
import { useLocale } from '../../../i18n/locale';
import { useT } from '../../../i18n/texts';
import { written } from '../../../requisites/typing';
import styles from './Saved.module.css';
import type { Stub } from './useStub';

/** The saved requisites that fit the pair, and the choice to save those typed. */
export function Saved({ stub, confirmed }: { stub: Stub; confirmed: boolean }) {
  const t = useT('account');
  const common = useT('common');
  const locale = useLocale();
  const ask = useCallback(() => call(locale, 'GET /users/me/requisites/', { quiet: true }), [locale]);
  const [answer] = useAnswer(ask);
  const fitting = answer.state === 'ready' ? answer.value.items.filter((saved) => fits(saved, stub)) : [];
  const use = async ({ id, code }: SavedRequisites) => {
    try {
      const { fields } = await call(locale, 'GET /users/me/requisites/{id}/', { path: { id } });
      for (const { name, value } of fields) {
        const field = stub.fields.find(({ memory }) => memory === `${code}.${name}`);
        if (field) stub.setValue(field, written(field.kind, value));
      }
    } catch (error) {
      toast(errorText(error, common));
    }
  };
  return (
    <div className={styles.saved}>
      {fitting.length > 0 ? (
        <fieldset className={styles.choices} aria-label={t('saved.choose')}>
          <span className="small muted">{t('saved.use')}</span>
          {fitting.map((saved) => (
            <Button key={saved.id} size="small" className="num" onClick={() => use(saved)}>
              {saved.fields[0]?.value}
            </Button>
          ))}
        </fieldset>
      ) : null}
      {confirmed ? (
        <Check
          label={t('saved.keep')}
          checked={stub.consents.keep}
          onChange={(event) => stub.setConsent('keep', event.target.checked)}
        />
      ) : null}
    </div>
  );
}

/** Whether the pair requires some of them. */
function fits({ code, fields }: SavedRequisites, stub: Stub): boolean {
  return fields.some(({ name }) => stub.fields.some(({ memory }) => memory === `${code}.${name}`));
}
