import { useTexts } from '../ui/index.ts';
import { Fact } from './Facts.tsx';
import type { Claim } from './types.ts';

/** Where cash changes hands; nothing without cash. */
export function MeetingPlace({ claim: { city } }: { claim: Claim }) {
  const { t } = useTexts();
  if (!city) return null;
  return <Fact name={t('claim.meeting')} value={`${city.name}, ${city.place ?? t('claim.meetingByAgreement')}`} />;
}
