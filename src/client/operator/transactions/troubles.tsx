/** Payments that wait longer than they should, and those that went back at the payment service by themselves. */
import { STUCK_TEXTS } from '#shared/console/transactions.ts';
import { Button } from '../../ui/button.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { consoleHooks, failureOf } from '../console-api.ts';
import { Fact, FactRows } from '../facts.tsx';
import { Amount, When } from '../parties.tsx';
import styles from './troubles.module.css';

export function Troubles({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const { data, error, refetch } = consoleHooks.transactions.troubles.useQuery();
  return (
    <>
      <section className={styles.section}>
        <h2>Waiting Too Long</h2>
        {error ? (
          <Problem title="Payments could not be read" onRetry={() => void refetch()}>
            <p>{failureOf(error).detail}</p>
          </Problem>
        ) : !data ? (
          <Loading />
        ) : data.stuck.length > 0 ? (
          <FactRows>
            {data.stuck.map(({ id, why, since, paidCents }) => (
              <Fact key={id} term={STUCK_TITLES[why]}>
                <Amount cents={paidCents} of={data} />, since <When iso={since} />
                <p className={styles.soft}>{STUCK_TEXTS[why]}</p>
                <Open id={id} onOpen={onOpen} />
              </Fact>
            ))}
          </FactRows>
        ) : (
          <p className={styles.soft}>
            {data.paymentMode === 'simulated'
              ? 'Payments are simulated: each is completed at once, and none can wait.'
              : 'No payment waits longer than it should.'}
          </p>
        )}
      </section>
      {data && data.returned.length > 0 && (
        <section className={styles.section}>
          <h2>Returned at the Payment Service</h2>
          <p className={styles.soft}>Refunds that were made there, and disputes. The latest 20.</p>
          <FactRows>
            {data.returned.map(({ id, at, paidCents }) => (
              <Fact key={id} term="Returned">
                <Amount cents={paidCents} of={data} />, <When iso={at} />
                <br />
                <Open id={id} onOpen={onOpen} />
              </Fact>
            ))}
          </FactRows>
        </section>
      )}
    </>
  );
}

const STUCK_TITLES = {
  no_page: 'Never began',
  no_end: 'No answer',
  refund: 'Refund under way',
  other_keys: 'Other keys',
} as const;

function Open({ id, onOpen }: { readonly id: string; readonly onOpen: (id: string) => void }) {
  return (
    <Button
      look="quiet"
      aria-label={`Show ${id}`}
      onClick={() => {
        onOpen(id);
        window.scrollTo(0, 0);
      }}
    >
      Show
    </Button>
  );
}
