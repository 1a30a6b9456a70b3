/** The takings of each service and its share of all, as a table with a bar in each row. */
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { Insights } from '#shared/records.ts';
import { Money } from '../../ui/money.tsx';
import { shareInWords } from './format.ts';
import styles from './service-shares.module.css';

export function ServiceShares({ takings }: { readonly takings: Insights }) {
  const { byService, netCents: all } = takings;
  const services = byService.toSorted((one, other) => other.netCents - one.netCents);
  return (
    <div className={styles.frame}>
      <table className={styles.services}>
        <caption className="visually-hidden">Takings by service, the largest first</caption>
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">Tips</th>
            <th scope="col">Takings</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {services.map(({ serviceCategory, count, netCents }) => (
            <tr key={serviceCategory}>
              <th scope="row">
                {CATEGORY_LABELS[serviceCategory]}
                <svg className={styles.track} aria-hidden="true">
                  <rect className={styles.bar} width={`${(100 * netCents) / all}%`} height="100%" />
                </svg>
              </th>
              <td>{count.toLocaleString('en-US')}</td>
              <td className={styles.sum}>
                <Money amountCents={netCents} />
              </td>
              <td>{shareInWords(netCents, all)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
