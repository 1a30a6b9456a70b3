/** Payments that wait longer than they should, disputes, debts, and money that went back by itself. */
import { debtText, type PaymentTroubles, RETURN_TEXTS, STUCK_TEXTS } from '#shared/console/transactions.ts';
import { Button } from '../../ui/button.tsx';
import { consoleHooks } from '../console-api.ts';
import { Fact, FactRows } from '../facts.tsx';
import { Loaded } from '../loaded.tsx';
import { Amount } from '../parties.tsx';
import { When } from '../when.tsx';
import { StripeLink } from './stripe-link.tsx';
import styles from './troubles.module.css';

export function Troubles({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const query = consoleHooks.transactions.troubles.useQuery();
  const { data } = query;
  return (
    <>
      <section className={styles.section}>
        <h2>Waiting too long</h2>
        <Loaded query={query} title="Payments could not be read">
          {(troubles) => <Stuck of={troubles} onOpen={onOpen} />}
        </Loaded>
      </section>
      {data && <Disputes of={data} onOpen={onOpen} />}
      {data && <Debts of={data} onOpen={onOpen} />}
      {data && data.arriving.count > 0 && (
        <section className={styles.section}>
          <h2>Arriving</h2>
          <p>
            {data.arriving.count === 1 ? '1 tip' : `${data.arriving.count} tips`},{' '}
            <Amount cents={data.arriving.paidCents} of={data} />. Not charged yet.
          </p>
        </section>
      )}
      {data && <Returned of={data} onOpen={onOpen} />}
    </>
  );
}

interface Part {
  readonly of: PaymentTroubles;
  readonly onOpen: (id: string) => void;
}

function Stuck({ of, onOpen }: Part) {
  if (of.stuck.length === 0) {
    return (
      <p className={styles.soft}>
        {of.paymentMode === 'simulated'
          ? 'Payments are simulated: each is completed at once, and none can wait.'
          : 'No payment waits longer than it should.'}
      </p>
    );
  }
  return (
    <FactRows>
      {of.stuck.map(({ id, why, since, paidCents }) => (
        <Fact key={id} term={STUCK_TITLES[why]}>
          <Amount cents={paidCents} of={of} />, since <When at={since} />
          <p className={styles.soft}>{STUCK_TEXTS[why]}</p>
          <Open id={id} onOpen={onOpen} />
        </Fact>
      ))}
    </FactRows>
  );
}

function Disputes({ of, onOpen }: Part) {
  if (of.disputes.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>Disputes</h2>
      <FactRows>
        {of.disputes.map(({ id, paidCents, openedAt, answerBy, isDeadlineKnown, url }) => (
          <Fact key={id} term="Dispute">
            <Amount cents={paidCents} of={of} />, since <When at={openedAt} />
            <p>
              {answerBy !== null ? (
                <strong>
                  Answer by <When at={answerBy} />
                </strong>
              ) : isDeadlineKnown ? (
                'There is nothing to answer now.'
              ) : (
                'Stripe does not tell the deadline now.'
              )}
            </p>
            <p className={styles.ways}>
              <StripeLink href={url} /> <Open id={id} onOpen={onOpen} />
            </p>
          </Fact>
        ))}
      </FactRows>
    </section>
  );
}

const DEBT_TITLES = {
  owed_by_receiver: 'Owed by provider',
  owed_to_giver: 'Owed to customer',
  owed_to_receiver: 'Owed to provider',
} as const;

function Debts({ of, onOpen }: Part) {
  if (of.debts.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>Debts</h2>
      <FactRows>
        {of.debts.map(({ id, kind, isOfKeys, dueCents, receiverName, since, attempts }) => (
          <Fact key={`${id} ${kind}`} term={DEBT_TITLES[kind]}>
            <Amount cents={dueCents} of={of} />, tip for <bdi>{receiverName}</bdi>, since <When at={since} />
            {attempts > 0 && `, tried ${attempts === 1 ? 'once' : `${attempts} times`}`}
            <p className={styles.soft}>{debtText({ kind, isOfKeys })}</p>
            <Open id={id} onOpen={onOpen} />
          </Fact>
        ))}
      </FactRows>
    </section>
  );
}

function Returned({ of, onOpen }: Part) {
  if (of.returned.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>Changed at the payment service</h2>
      <p className={styles.soft}>
        Refunds that were made there, disputes, and what became of them. The latest 20.
      </p>
      <FactRows>
        {of.returned.map(({ id, kind, at, paidCents }) => (
          <Fact key={`${id} ${kind} ${at}`} term={RETURN_TEXTS[kind]}>
            {paidCents !== 0 && (
              <>
                <Amount cents={paidCents} of={of} />,{' '}
              </>
            )}
            <When at={at} />
            <br />
            <Open id={id} onOpen={onOpen} />
          </Fact>
        ))}
      </FactRows>
    </section>
  );
}

const STUCK_TITLES = {
  no_page: 'Never began',
  no_end: 'No answer',
  refund: 'Refund under way',
  capture: 'Not charged yet',
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
