/** Tips: finding one, refunding it for somebody who cannot, and the payments that do not come to an end. */
import { useState } from 'react';
import { Link } from 'wouter';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { consolePath } from '#shared/console/parts.ts';
import type { FoundTipView } from '#shared/console/transactions.ts';
import { toastMessage } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi, consoleHooks } from '../console-api.ts';
import { Fact, FactRows } from '../facts.tsx';
import styles from '../finding.module.css';
import { Finding, useName } from '../finding.tsx';
import { Acts, Amount, Id, When, Who } from '../parties.tsx';
import { Troubles } from './troubles.tsx';

const STATUSES: Readonly<Record<FoundTipView['status'], string>> = {
  completed: 'Completed',
  refunded: 'Refunded',
  pending: 'Pending',
  failed: 'Failed',
  expired: 'Expired',
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
  payment_service: 'at the payment service (a refund made there, or a dispute)',
};

export function Transactions() {
  const [name, setName] = useName();
  const query = consoleHooks.transactions.find.useQuery({ name }, { enabled: name !== '' });
  const utils = consoleHooks.useUtils();
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
        {query.data && (
          <Tip key={query.data.id} tip={query.data} onChange={() => void utils.transactions.invalidate()} />
        )}
      </Finding>
      <Troubles onOpen={setName} />
    </>
  );
}

function Tip({ tip, onChange }: { readonly tip: FoundTipView; readonly onChange: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const { id, status, giver, receiver, payment, refundedAt, refundedBy } = tip;
  const isRefundable = status === 'completed' && (payment?.refundAskedAt ?? null) === null;
  return (
    <section className={[card.card, styles.found].join(' ')}>
      <div className={styles.title}>
        <h2>
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
          <When iso={tip.createdAt} />
        </Fact>
        <Fact term="From">{giver ? <Who person={giver} /> : 'A guest, without an account'}</Fact>
        <Fact term="To">
          <Who person={receiver} />
        </Fact>
        <Fact term="Code">
          <Link href={`${consolePath('codes')}?find=${tip.qrCodeId}`}>{tip.qrCodeId}</Link>,{' '}
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
            <When iso={refundedAt} /> {refundedBy && REFUNDERS[refundedBy]}
          </Fact>
        )}
        <Acts acts={tip.acts} />
      </FactRows>
      {isRefundable && (
        <div className={styles.act}>
          <Button look="money" onClick={() => setAsking(true)}>
            Refund Tip
          </Button>
        </div>
      )}
      {isAsking && (
        <ActDialog
          title="Refund this tip?"
          confirm="Refund Tip"
          isMoney
          act={(reason) => consoleApi.transactions.refund.mutate({ name: id, reason })}
          onDone={({ outcome }) => {
            setAsking(false);
            toastMessage(
              outcome === 'refunded'
                ? 'The tip was refunded.'
                : 'The payment service does not answer. The refund is noted and will be tried again.',
            );
            onChange();
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            <Amount cents={tip.amountCents + tip.giverFeeCents} of={tip} /> goes back to{' '}
            {giver ? <bdi>{giver.fullName}</bdi> : 'the guest'}, fees included.{' '}
            <Amount cents={tip.netAmountCents} of={tip} /> is taken from <bdi>{receiver.fullName}</bdi>.
          </p>
        </ActDialog>
      )}
    </section>
  );
}

function Payment({ payment }: { readonly payment: NonNullable<FoundTipView['payment']> }) {
  const { state, changedAt, expiresAt, chargeId, checkoutId, refundAskedAt } = payment;
  const isOpen = state === 'created' || state === 'pending';
  return (
    <>
      <Fact term="Payment">
        {STATES[state]}, since <When iso={changedAt} />
        {isOpen && (
          <>
            ; it can be paid until <When iso={expiresAt} />
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
      </Fact>
      {refundAskedAt !== null && (
        <Fact term="Refund asked for">
          <When iso={refundAskedAt} />; the payment service has not made it yet
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
};
