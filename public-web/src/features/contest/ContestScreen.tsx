import { Rosette } from '../../components/Guilloche';
import { Head } from '../../components/Head';
import { Layout } from '../../components/Layout';
import { useT } from '../../i18n/texts';
import { useSite } from '../../site';
import { ContestPage } from './ContestPage';
import styles from './ContestPage.module.css';

/** The page of the contest. */
export function Component() {
  const t = useT('contest');
  const { siteName } = useSite();
  return (
    <Layout>
      <Head title={`${t('title')} | ${siteName}`} description={t('description')} path="/contest" />
      <div className={`wrap ${styles.page}`}>
        <Rosette from={{ code: 'CONTEST' }} to={{ code: 'AGIO' }} className={styles.print} />
        <h1>{t('title')}</h1>
        <ContestPage />
      </div>
    </Layout>
  );
}
