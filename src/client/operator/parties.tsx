/** How parts of the console show amounts, ids, people, and what operators did. */
import type { ActDone, Party } from '#shared/console/parties.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { Badge } from '../ui/badge.tsx';
import { Fact } from './facts.tsx';
import styles from './parties.module.css';
import { STATE_LABELS } from './states.ts';
import { When } from './when.tsx';

interface AmountProps {
  readonly cents: number;
  readonly of: { readonly currency: string; readonly exponent: number };
}

export function Amount({ cents, of: { currency, exponent } }: AmountProps) {
  const digits = { minimumFractionDigits: exponent, maximumFractionDigits: exponent };
  const text = (cents / 10 ** exponent).toLocaleString(PAGE_LANGUAGE, {
    style: 'currency',
    currency,
    ...digits,
  });
  return <span className={styles.amount}>{text}</span>;
}

/** A tap selects all of it, to be copied. */
export function Id({ children }: { readonly children: string }) {
  return <code className={styles.id}>{children}</code>;
}

export function Who({ person }: { readonly person: Party }) {
  return (
    <>
      <bdi>{person.fullName}</bdi>
      {person.username !== null && (
        <>
          {' '}
          <bdi>@{person.username}</bdi>
          <br />
          <bdi>{person.email}</bdi>
          {person.state !== 'open' && (
            <>
              <br />
              <Badge>{STATE_LABELS[person.state]}</Badge>
            </>
          )}
        </>
      )}
      <br />
      <Id>{person.id}</Id>
    </>
  );
}

export function Acts({ acts }: { readonly acts: readonly ActDone[] }) {
  return acts.map(({ text, by, reason, at }) => (
    <Fact key={`${at} ${text}`} term={text}>
      <When at={at} /> by <bdi>{by}</bdi>
      <br />
      {reason === null ? 'No reason was given.' : <bdi>{reason}</bdi>}
    </Fact>
  ));
}
