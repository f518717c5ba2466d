import { useEffect } from 'react';
import { useLocation } from 'react-router';
import type { Pair } from '../../api/types';
import { BRAND } from '../../brand';
import { Announcement, AnnouncementText } from '../../components/Announcement';
import { Head } from '../../components/Head';
import { Icon } from '../../components/Icon';
import { useT } from '../../i18n/texts';
import { draftQuery } from '../../pair/draft';
import { useSite } from '../../site';
import { CalculatorNote } from './calculator/CalculatorNote';
import { type Calculator, useCalculator } from './calculator/useCalculator';
import { isOpen, type Market, useMarket } from './calculator/useMarket';
import styles from './HomePage.module.css';
import { Openings } from './sections/Openings';
import { PrerenderedQuestions } from './sections/PrerenderedQuestions';
import { Rates } from './sections/Rates';
import { Reserves } from './sections/Reserves';
import { Steps } from './sections/Steps';

export { CalculatorNote, useCalculator, useMarket };

export function Component() {
  const t = useT('home');
  const { siteName, isOpening } = useSite();
  const { search } = useLocation();
  const market = useMarket(search || draftQuery());
  const isClosed = market ? !isOpen(market) : isOpening;
  useHash(market !== null);
  return (
    <>
      <Head title={`${t('title')} | ${siteName}`} description={BRAND.description || t('description')} path="/" />
      {isClosed ? (
        <Announcement code="OPEN">
          <h1>{t('opening')}</h1>
          <AnnouncementText>{t('opening_text')}</AnnouncementText>
        </Announcement>
      ) : (
        <Exchange market={market} />
      )}
      <div className="wrap" key={`${isClosed}`}>
        <Openings directions={market?.directions ?? null} />
        <Steps />
        <Rates
          directions={market?.directions ?? null}
          ratesOf={market?.settings?.ratesOf ?? null}
          isClosed={isClosed}
        />
        <Reserves directions={market?.directions ?? null} isClosed={isClosed} />
      </div>
      <div className="wrap">
        <PrerenderedQuestions />
      </div>
    </>
  );
}

function Exchange({ market }: { market: Market | null }) {
  const t = useT('home');
  const calculator = useCalculator(market);
  return (
    <div className={styles.hero}>
      <div className={styles.wrap}>
        <div className={styles.head}>
          <Heading calculator={calculator} />
          <p>{t('promise')}</p>
        </div>
        <noscript>{import.meta.env.SSR ? 'AGIO_SLOT_DEFAULT_PAIR' : null}</noscript>
        <CalculatorNote calculator={calculator} />
      </div>
    </div>
  );
}

function Heading({ calculator: { from, to, pair } }: { calculator: Calculator }) {
  const t = useT('home');
  if (!from || !to) return <h1>{t('title')}</h1>;
  const card = pair && cardOf(pair);
  if (card) return <h1>{t('to_card', { give: from.name, card })}</h1>;
  return (
    <h1>
      {from.name}
      <Icon name="arrow" className={styles.arrow} />
      <span className="vh"> {t('to')} </span>
      {to.name}
    </h1>
  );
}

/** What a card of the bank is called after "card": from the label of its number, as in market_pages.rs of the server. */
function cardOf({ structure }: Pair): string | undefined {
  const input = structure.to.input.find(({ kind, receive }) => kind === 'card' && receive);
  const [, russian, english] = /^Номер карты (.+)|(.+) card number$/.exec(input?.label ?? '') ?? [];
  return russian ?? english;
}

/** Follows links to a section of this page, again when what is above it has been loaded. */
function useHash(isLoaded: boolean): void {
  const { hash, key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a second press on the same link counts again.
  useEffect(() => {
    if (hash) {
      document.getElementById(hash.slice(1))?.scrollIntoView();
    }
  }, [hash, key, isLoaded]);
}
