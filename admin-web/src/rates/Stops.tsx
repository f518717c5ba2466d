import type { Currency, Pair, RateStop } from '@agio/client/admin';
import { useQuery } from '@tanstack/react-query';
import { useGetList } from 'react-admin';
import { Link } from 'react-router';
import { api } from '../api/api.ts';
import { KEYS } from '../api/queries.ts';
import { momentText } from '../ui/format.ts';
import css from '../ui/Table.module.css';
import { useWords } from '../ui/useWords.ts';

const FRESH_MS = 10_000;

/** Pairs that their rates stopped, each with its reason; its own screen lets it go on. */
export function Stops() {
  const { t } = useWords();
  const { data: stops = [] } = useQuery({
    queryKey: KEYS.rateStops,
    queryFn: api.rateStops,
    refetchInterval: FRESH_MS,
  });
  const { data: pairs = [] } = useGetList<Pair>('pairs');
  const { data: currencies = [] } = useGetList<Currency>('currencies');
  if (stops.length === 0) return null;
  const code = (id?: number) => currencies.find((currency) => currency.id === id)?.code ?? '';
  const name = (stop: RateStop) => {
    const pair = pairs.find((found) => found.id === stop.pairId);
    return `${code(pair?.fromId)} → ${code(pair?.toId)}`;
  };
  return (
    <>
      <div className={css.chips}>
        <h2 className={css.asideTitle}>{t('live.stops', { smart_count: stops.length })}</h2>
      </div>
      <div className={css.wrap}>
        <table className={`${css.table} ${css.stacks}`}>
          <thead>
            <tr>
              <th scope="col">{t('rates.pair')}</th>
              <th scope="col">{t('live.why')}</th>
              <th scope="col">{t('live.since')}</th>
            </tr>
          </thead>
          <tbody>
            {stops.map((stop) => (
              <Stopped key={stop.pairId} stop={stop} name={name(stop)} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Stopped({ stop, name }: { stop: RateStop; name: string }) {
  const { language } = useWords();
  return (
    <tr>
      <td>
        <Link to={`/pairs?pair=${stop.pairId}`}>{name}</Link>
      </td>
      <td className={`${css.bad} ${css.full}`}>{stop.text}</td>
      <td>{momentText(stop.since, language)}</td>
    </tr>
  );
}
