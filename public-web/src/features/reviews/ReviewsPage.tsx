import { useLocation } from 'react-router';
import { Head } from '../../components/Head';
import { LoadFailure } from '../../components/LoadFailure';
import { Skeleton } from '../../components/Skeleton';
import { useT } from '../../i18n/texts';
import { Served } from '../../served/Served';
import { type ServedPage, useServedPage } from '../../served/servedPage';
import { useSite } from '../../site';
import styles from './ReviewsPage.module.css';

/** The server fills these for each page of reviews (platform/server/src/http/review_pages.rs). */
const SLOTS: ServedPage = {
  title: '',
  description: '',
  blocks: { reviews: 'AGIO_SLOT_REVIEWS' },
  data: { part: 'AGIO_SLOT_PART' },
};

export function Component() {
  const { pathname } = useLocation();
  return <Reviews key={pathname} pathname={pathname} />;
}

function Reviews({ pathname }: { pathname: string }) {
  const t = useT('reviews');
  const { siteName } = useSite();
  const [answer, again] = useServedPage(pathname, SLOTS);
  const page = answer.state === 'ready' ? answer.value : null;
  return (
    <>
      <Head
        title={`${t('title')} | ${siteName}`}
        description={t('description')}
        path={`/reviews${page?.data.part ?? ''}`}
      />
      <div className={`wrap ${styles.page}`}>
        <h1>{t('heading')}</h1>
        <p className="muted">{t('lead')}</p>
        {page ? (
          <Served
            name="reviews"
            className={styles.reviews}
            html={page.blocks.reviews ?? ''}
            data-part={page.data.part}
          />
        ) : null}
        {answer.state === 'loading' ? <Skeleton isOpen /> : null}
        {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
      </div>
    </>
  );
}
