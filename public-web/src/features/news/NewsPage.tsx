import { useLocation, useParams } from 'react-router';
import { Head } from '../../components/Head';
import { LoadFailure } from '../../components/LoadFailure';
import { Skeleton } from '../../components/Skeleton';
import { Served } from '../../served/Served';
import { type ServedPage, useServedPage } from '../../served/servedPage';
import { useSite } from '../../site';
import styles from './NewsPage.module.css';

/** The server fills these for the list and for each post (platform/server/src/http/news_pages.rs). */
const SLOTS: ServedPage = {
  title: 'AGIO_SLOT_TITLE',
  description: 'AGIO_SLOT_DESCRIPTION',
  blocks: { news: 'AGIO_SLOT_NEWS' },
  data: { part: 'AGIO_SLOT_PART' },
};

export function Component() {
  const { pathname } = useLocation();
  return <News key={pathname} pathname={pathname} />;
}

function News({ pathname }: { pathname: string }) {
  const { siteName } = useSite();
  const { part } = useParams();
  const [answer, again] = useServedPage(pathname, SLOTS);
  const page = answer.state === 'ready' ? answer.value : null;
  return (
    <>
      <Head
        title={page?.title ?? siteName}
        description={page?.description}
        path={`/news${page ? (page.data.part ?? '') : part ? `/${part}` : ''}`}
      />
      <div className={`wrap ${styles.page}`}>
        {page ? (
          <Served name="news" className={styles.news} html={page.blocks.news ?? ''} data-part={page.data.part} />
        ) : null}
        {answer.state === 'loading' ? <Skeleton isOpen /> : null}
        {answer.state === 'failed' ? <LoadFailure error={answer.error} again={again} /> : null}
      </div>
    </>
  );
}
