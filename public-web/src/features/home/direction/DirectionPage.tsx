import { useLocation, useParams } from 'react-router';
import { cx } from '../../../components/cx';
import { Head } from '../../../components/Head';
import { LoadFailure } from '../../../components/LoadFailure';
import { Skeleton } from '../../../components/Skeleton';
import { Served } from '../../../served/Served';
import { type ServedPage, useServedPage } from '../../../served/servedPage';
import { useSite } from '../../../site';
// From the home page, so that both share one chunk.
import { CalculatorNote, useCalculator, useMarket } from '../HomePage';
import styles from './DirectionPage.module.css';
import { WaitlistPart } from './WaitlistPart';

/** The server fills these for each direction (platform/server/src/http/market_pages.rs). */
const SLOTS: ServedPage = {
  title: 'AGIO_SLOT_TITLE',
  description: 'AGIO_SLOT_DESCRIPTION',
  blocks: { lead: 'AGIO_SLOT_LEAD', details: 'AGIO_SLOT_DETAILS' },
  data: {
    from: 'AGIO_SLOT_FROM',
    to: 'AGIO_SLOT_TO',
    city: 'AGIO_SLOT_CITY',
    cash: 'AGIO_SLOT_CASH',
    open: 'AGIO_SLOT_OPEN',
    waitlist: 'AGIO_SLOT_WAITLIST',
  },
};

export function Component() {
  const { pathname } = useLocation();
  return <Direction key={pathname} pathname={pathname} />;
}

function Direction({ pathname }: { pathname: string }) {
  const { siteName } = useSite();
  const { slug, city } = useParams();
  const [answer, again] = useServedPage(pathname, SLOTS);
  const page = answer.state === 'ready' ? answer.value : null;
  return (
    <>
      <Head
        title={page?.title ?? siteName}
        description={page?.description}
        path={`/exchange/${slug}/${city ? `${city}/` : ''}`}
      />
      {page ? <Content page={page} /> : null}
      {answer.state === 'loading' ? (
        <div className={styles.page}>
          <Skeleton isOpen />
        </div>
      ) : null}
      {answer.state === 'failed' ? (
        <div className={styles.page}>
          <LoadFailure error={answer.error} again={again} />
        </div>
      ) : null}
    </>
  );
}

const headingOf = (from: string, to: string, city = '') => `${from} → ${to}${city && `, ${city}`}`;

function Content({ page: { blocks, data } }: { page: ServedPage }) {
  const market = useMarket(`?cur_from=${data.from}&cur_to=${data.to}`);
  const calculator = useCalculator(market, data.city);
  const { from, to, city } = calculator;
  const isOtherCity = Boolean(data.city) && city !== null && city.code !== data.city;
  const isOtherPair = from !== null && to !== null && (from.code !== data.from || to.code !== data.to);
  // The visitor chose something else: the texts of this one would mislead.
  const isOther = isOtherPair || isOtherCity;
  return (
    <div className={styles.page}>
      <Served
        name="lead"
        className={styles.lead}
        html={blocks.lead ?? ''}
        data-from={data.from}
        data-to={data.to}
        data-city={data.city}
        data-cash={data.cash}
        data-open={data.open}
        data-waitlist={data.waitlist}
        hidden={isOther}
      />
      {isOther && from && to ? <h1 className={styles.lead}>{headingOf(from.name, to.name, city?.name)}</h1> : null}
      <div className={styles.calculator}>
        <CalculatorNote calculator={calculator} />
      </div>
      {isOther ? null : <WaitlistPart offered={data.waitlist} give={data.from ?? ''} receive={data.to ?? ''} />}
      <Served name="details" className={cx('questions', styles.details)} html={blocks.details ?? ''} hidden={isOther} />
    </div>
  );
}
