/** Tips: finding one, refunding it for somebody who cannot, ending a debt, and what payments leave to an operator. */
import { useRef } from 'react';
import { Link } from 'wouter';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { consolePath } from '#shared/console/parts.ts';
import { debtText, type FoundTipView, RETURN_TEXTS } from '#shared/console/transactions.ts';
import { showQrCodeId } from '#shared/ids.ts';
import { Badge } from '../../ui/badge.tsx';
import card from '../../ui/card.module.css';
import { consoleHooks } from '../console-api.ts';
import { Fact, FactRows } from '../facts.tsx';
import styles from '../finding.module.css';
import { Finding, useName } from '../finding.tsx';
import { Acts, Amount, Id, Who } from '../parties.tsx';
import { When } from '../when.tsx';
import { StripeLink } from './stripe-link.tsx';
import { TipActs } from './tip-acts.tsx';
import { Troubles } from './troubles.tsx';

const STATUSES: Readonly<Record<FoundTipView['status'], string>> = {
  completed: 'Completed',
  refunded: 'Refunded',
  pending: 'Pending',
  failed: 'Failed',
  expired: 'Expired',
  disputed: 'Disputed',
};

const MODES: Readonly<Record<FoundTipView['paymentMode'], string>> = {
  live: 'Real payment',
  test: 'Test payment',
  simulated: 'Simulated',
};

const REFUNDERS: Readonly<Record<NonNullable<FoundTipView['refundedBy']>, string>> = {
  giver: 'by the customer',
  receiver: 'by the provider',
  operator: 'by an operator',
  payment_service: 'at the payment service',
};

export function Transactions() {
  const [name, setName] = useName();
  const query = consoleHooks.transactions.find.useQuery({ name }, { enabled: name !== '' });
  return (
    <>
      <Finding
        label="Tip"
        hint="Its id, the link of its receipt, or the payment’s id at your payment service."
        none="There is no tip with this id or link."
        name={name}
        onFind={setName}
        query={query}
      >
        {query.data && <Tip key={query.data.id} tip={query.data} />}
      </Finding>
      <Troubles onOpen={setName} />
    </>
  );
}

function Tip({ tip }: { readonly tip: FoundTipView }) {
  const { id, status, giver, receiver, payment, refundedAt, refundedBy } = tip;
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <section className={[card.card, styles.found].join(' ')}>
      <div className={styles.title}>
        <h2 ref={heading} tabIndex={-1}>
          <Amount cents={tip.amountCents} of={tip} /> tip
        </h2>
        <Badge>{STATUSES[status]}</Badge>
        <Badge>{MODES[tip.paymentMode]}</Badge>
      </div>
      <FactRows>
        <Fact term="Tip">
          <Id>{id}</Id>
        </Fact>
        <Fact term="Given">
          <When at={tip.createdAt} />
        </Fact>
        <Fact term="From">{giver ? <Who person={giver} /> : 'A guest, without an account'}</Fact>
        <Fact term="To">
          <Who person={receiver} />
        </Fact>
        <Fact term="Code">
          <Link href={`${consolePath('codes')}?find=${tip.qrCodeId}`}>{showQrCodeId(tip.qrCodeId)}</Link>,{' '}
          {CATEGORY_LABELS[tip.serviceCategory]}
        </Fact>
        <Fact term="Customer paid">
          <Amount cents={tip.amountCents + tip.giverFeeCents} of={tip} />, with a fee of{' '}
          <Amount cents={tip.giverFeeCents} of={tip} />
        </Fact>
        <Fact term="Provider received">
          <Amount cents={tip.netAmountCents} of={tip} />, after a fee of{' '}
          <Amount cents={tip.receiverFeeCents} of={tip} />
        </Fact>
        {payment && <Payment payment={payment} />}
        {refundedAt !== null && (
          <Fact term="Refunded">
            <When at={refundedAt} /> {refundedBy && REFUNDERS[refundedBy]}
          </Fact>
        )}
        <Changes tip={tip} />
        <Acts acts={tip.acts} />
      </FactRows>
      <TipActs
        tip={tip}
        // The pressed button goes with what it was for.
        onDone={() => heading.current?.focus()}
      />
    </section>
  );
}

function Changes({ tip }: { readonly tip: FoundTipView }) {
  return (
    <>
      {tip.changes.map(({ kind, at, paidCents, netAmountCents, source }) => (
        <Fact key={`${kind} ${source}`} term={RETURN_TEXTS[kind]}>
          <When at={at} />: customer <Amount cents={paidCents} of={tip} />, provider{' '}
          <Amount cents={netAmountCents} of={tip} />
          <br />
          <Id>{source}</Id>
        </Fact>
      ))}
      {tip.debts.map((debt) => (
        <Fact key={debt.kind} term="Owed">
          <Amount cents={debt.dueCents} of={tip} />. {debtText(debt)}
        </Fact>
      ))}
    </>
  );
}

function Payment({ payment }: { readonly payment: NonNullable<FoundTipView['payment']> }) {
  const { state, changedAt, expiresAt, chargeId, checkoutId, capturesAt, url, otherKeys } = payment;
  const { refundAskedAt } = payment;
  const isOpen = state === 'created' || state === 'pending';
  return (
    <>
      <Fact term="Payment">
        {STATES[state]}, since <When at={changedAt} />
        {isOpen && (
          <>
            ; it can be paid until <When at={expiresAt} />
          </>
        )}
        {capturesAt !== null && (
          <>
            ; {otherKeys ? 'it was to be charged on' : 'it is charged on'} <When at={capturesAt} />
          </>
        )}
        {[chargeId, checkoutId].map(
          (name) =>
            name !== null && (
              <span key={name}>
                <br />
                <Id>{name}</Id>
              </span>
            ),
        )}
        {url !== null && (
          <>
            <br />
            <StripeLink href={url} />
          </>
        )}
      </Fact>
      {refundAskedAt !== null && (
        <Fact term="Refund asked for">
          <When at={refundAskedAt} />; the payment service has not made it yet
        </Fact>
      )}
    </>
  );
}

const STATES: Readonly<Record<NonNullable<FoundTipView['payment']>['state'], string>> = {
  created: 'Begun',
  pending: 'Waiting for the customer',
  succeeded: 'Paid',
  failed: 'Failed',
  expired: 'Not paid in time',
  refunded: 'Refunded',
  authorised: 'Held on the card',
  cancelled: 'Not charged',
};
