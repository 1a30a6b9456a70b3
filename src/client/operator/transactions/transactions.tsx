/** Tips: finding one, refunding it for somebody who cannot, ending a debt, and what payments leave to an operator. */
import { useState } from 'react';
import { Link } from 'wouter';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { consolePath } from '#shared/console/parts.ts';
import {
  DEBT_TEXTS,
  type FoundTipView,
  RETURN_TEXTS,
  SETTLED_DEBTS,
  type SettledDebt,
} from '#shared/console/transactions.ts';
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
import { StripeLink } from './stripe-link.tsx';
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
  const [asked, setAsked] = useState<'refund' | SettledDebt>();
  const { id, status, giver, receiver, payment, refundedAt, refundedBy, debts } = tip;
  const isHeld = payment?.state === 'authorised';
  const isRefundable = (status === 'completed' || isHeld) && (payment?.refundAskedAt ?? null) === null;
  const settled = SETTLED_DEBTS.filter((kind) => debts.some((debt) => debt.kind === kind));
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
        <Changes tip={tip} />
        <Acts acts={tip.acts} />
      </FactRows>
      {(isRefundable || settled.length > 0) && (
        <div className={styles.act}>
          {isRefundable && (
            <Button look="money" onClick={() => setAsked('refund')}>
              Refund Tip
            </Button>
          )}
          {settled.map((kind) => (
            <Button key={kind} look="quiet" onClick={() => setAsked(kind)}>
              {SETTLEMENTS[kind].button}
            </Button>
          ))}
        </div>
      )}
      {asked !== undefined && asked !== 'refund' && (
        <ActDialog
          title={SETTLEMENTS[asked].title}
          confirm={SETTLEMENTS[asked].button}
          act={(reason) => consoleApi.transactions.settle.mutate({ name: id, debt: asked, reason })}
          onDone={() => {
            setAsked(undefined);
            toastMessage(SETTLEMENTS[asked].told);
            onChange();
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>
            <Amount cents={debts.find(({ kind }) => kind === asked)?.cents ?? 0} of={tip} />.{' '}
            {SETTLEMENTS[asked].text}
          </p>
        </ActDialog>
      )}
      {asked === 'refund' && (
        <ActDialog
          title="Refund this tip?"
          confirm="Refund Tip"
          isMoney
          act={(reason) => consoleApi.transactions.refund.mutate({ name: id, reason })}
          onDone={({ outcome }) => {
            setAsked(undefined);
            toastMessage(
              outcome === 'refunded'
                ? 'The tip was refunded.'
                : 'The payment service does not answer. The refund is noted and will be tried again.',
            );
            onChange();
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>
            <Amount cents={left(tip).paidCents} of={tip} /> goes back to{' '}
            {giver ? <bdi>{giver.fullName}</bdi> : 'the guest'}, fees included.{' '}
            <Amount cents={left(tip).netAmountCents} of={tip} /> is taken from <bdi>{receiver.fullName}</bdi>.
          </p>
        </ActDialog>
      )}
    </section>
  );
}

/** What earlier refunds and disputes have left of a tip. */
function left({ amountCents, giverFeeCents, netAmountCents, changes }: FoundTipView) {
  return changes.reduce(
    (sums, change) => ({
      paidCents: sums.paidCents + change.paidCents,
      netAmountCents: sums.netAmountCents + change.netAmountCents,
    }),
    { paidCents: amountCents + giverFeeCents, netAmountCents: netAmountCents + 0 },
  );
}

const SETTLEMENTS: Readonly<
  Record<
    SettledDebt,
    { readonly title: string; readonly button: string; readonly text: string; readonly told: string }
  >
> = {
  owed_to_giver: {
    title: 'Was the customer paid?',
    button: 'Mark as Settled',
    text: 'You have paid it to the customer in another way. No money moves here.',
    told: 'Marked as settled.',
  },
  owed_by_receiver: {
    title: 'Write this debt off?',
    button: 'Write Off',
    text: 'The provider keeps it, and you bear the loss. The server stops trying to take it.',
    told: 'The debt is written off.',
  },
};

function Changes({ tip }: { readonly tip: FoundTipView }) {
  return (
    <>
      {tip.changes.map(({ kind, at, paidCents, netAmountCents, source }) => (
        <Fact key={`${kind} ${source}`} term={RETURN_TEXTS[kind]}>
          <When iso={at} />: customer <Amount cents={paidCents} of={tip} />, provider{' '}
          <Amount cents={netAmountCents} of={tip} />
          <br />
          <Id>{source}</Id>
        </Fact>
      ))}
      {tip.debts.map(({ kind, cents }) => (
        <Fact key={kind} term="Owed">
          <Amount cents={cents} of={tip} />. {DEBT_TEXTS[kind]}
        </Fact>
      ))}
    </>
  );
}

function Payment({ payment }: { readonly payment: NonNullable<FoundTipView['payment']> }) {
  const { state, changedAt, expiresAt, chargeId, checkoutId, refundAskedAt, capturesAt, url } = payment;
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
        {capturesAt !== null && (
          <>
            ; it is charged at <When iso={capturesAt} />
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
  authorised: 'Held on the card',
  cancelled: 'Not charged',
};
