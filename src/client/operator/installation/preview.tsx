/** The cost and the net amount of three tips by the next terms, beside those by the terms that hold until then. */
import type { PaidAndKept, TermsPreview } from '#shared/console/installation.ts';
import { When } from '../when.tsx';
import styles from './installation.module.css';
import { money } from './money.ts';

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
                  {money(after[sum], next)}
                  <Before sum={sum} before={before} after={after} written={(amount) => money(amount, next)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface BeforeProps {
  readonly sum: keyof PaidAndKept;
  readonly before: PaidAndKept | null;
  readonly after: PaidAndKept;
  readonly written: (amount: number) => string;
}

function Before({ sum, before, after, written }: BeforeProps) {
  if (before === null || before[sum] === after[sum]) return null;
  return <span className={styles.before}>was {written(before[sum])}</span>;
}
