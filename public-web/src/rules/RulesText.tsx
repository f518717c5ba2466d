import { Modal } from '../components/Modal';
import { Points } from '../components/Points';
import { type TextKey, useT } from '../i18n/texts';
import type { Rules } from './useRules';

const POINTS: Readonly<Record<Rules, readonly TextKey<'rules'>[]>> = {
  terms: ['terms.points.1', 'terms.points.2', 'terms.points.3', 'terms.points.4', 'terms.points.5', 'terms.points.6'],
  aml: ['aml.points.1', 'aml.points.2', 'aml.points.3', 'aml.points.4'],
};

/** The exchange rules or the AML policy, over the page that asks to agree to them. */
export default function RulesText({ of, onClose }: { of: Rules; onClose: () => void }) {
  const t = useT('rules');
  return (
    <Modal title={t(`${of}.title`)} button={t(`${of}.close`)} onClose={onClose}>
      <Points texts={POINTS[of].map((key) => t(key))} />
    </Modal>
  );
}
