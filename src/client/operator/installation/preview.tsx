/** The cost and the net amount of three tips by the next terms, beside those by the terms that hold until then. */
import type { TermsPreview } from '#shared/console/installation.ts';
import { When } from '../when.tsx';
import styles from './installation.module.css';
import { fullMoney, money } from './money.ts';

export function Preview({ preview }: { readonly preview: TermsPreview }) {
  const { next, from, examples, replaced } = preview;
  return (
    <>
      <p>
        They hold from <When at={from} /> on, for tips from {money(next.minTipCents, next)} to{' '}
        {money(next.maxTipCents, next)}. Tips given before stay as they are.
      </p>
      {replaced.map((each) => (
        <p key={each.version}>
          Version {each.version}, from <When at={each.from} />, never holds then.
        </p>
      ))}
      <table className={styles.preview}>
        <thead>
          <tr>
            <th scope="col">Tip</th>
            <th scope="col">Giver pays</th>
            <th scope="col">Provider keeps</th>
          </tr>
        </thead>
        <tbody>
          {examples.map(({ amountCents, before, after }) => (
            <tr key={amountCents}>
              <th scope="row">{money(amountCents, next)}</th>
              {(['paidCents', 'keptCents'] as const).map((sum) => (
                <td key={sum}>
                  {fullMoney(after[sum], next)}
                  {before !== null && before[sum] !== after[sum] && (
                    <span className={styles.before}>was {fullMoney(before[sum], next)}</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
