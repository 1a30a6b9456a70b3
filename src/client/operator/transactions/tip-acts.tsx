/** What an operator can do about a tip: refund it, or end a debt that it has left. Each act asks why. */
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { DEBTS, type DebtKind, type FoundTipView } from '#shared/console/transactions.ts';
import { toastMessage } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi, consoleHooks } from '../console-api.ts';
import styles from '../finding.module.css';
import { Amount } from '../parties.tsx';
import { When } from '../when.tsx';

const SETTLEMENTS: Readonly<
  Record<
    DebtKind,
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
  owed_to_receiver: {
    title: 'Was the provider paid?',
    button: 'Mark Provider as Paid',
    text: 'You have paid it to the provider in another way. No money moves here, and the server stops trying to pay it.',
    told: 'Marked as paid.',
  },
};

/** @param onDone is called after an act, when its question is gone. */
export function TipActs({ tip, onDone }: { readonly tip: FoundTipView; readonly onDone: () => void }) {
  const [asked, setAsked] = useState<'refund' | DebtKind>();
  const maintenance = consoleHooks.installation.settings.useQuery().data?.maintenance ?? null;
  const { id, status, giver, receiver, payment, debts } = tip;
  const isHeld = payment?.state === 'authorised';
  const isPaid = status === 'completed' || isHeld;
  const otherKeys = payment?.otherKeys ?? null;
  const isRefundable = isPaid && (otherKeys ? otherKeys.canEnd : (payment?.refundAskedAt ?? null) === null);
  const isStuck = isPaid && otherKeys !== null && !otherKeys.canEnd;
  const act = otherKeys ? 'End Tip' : 'Refund Tip';
  const debt = debts.find(({ kind }) => kind === asked);
  const settled = DEBTS.filter((kind) => debts.some((one) => one.kind === kind));
  return (
    <>
      {(isRefundable || isStuck || settled.length > 0) && (
        <div className={styles.act}>
          {isStuck && <OfOtherKeys endsFrom={otherKeys.endsFrom} />}
          {isRefundable && maintenance && (
            <p>
              Maintenance is on{maintenance.until !== null && ' until '}
              {maintenance.until !== null && <When at={maintenance.until} />}. The tip can be{' '}
              {otherKeys ? 'ended' : 'refunded'} when it is over.
            </p>
          )}
          {isRefundable && !maintenance && (
            <Button look={otherKeys ? 'quiet' : 'money'} onClick={() => setAsked('refund')}>
              {act}
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
          act={(reason) =>
            consoleApi.transactions.settle.mutate({ name: id, debt: asked, cents: debt?.cents ?? 0, reason })
          }
          onDone={() => {
            flushSync(() => setAsked(undefined));
            toastMessage(SETTLEMENTS[asked].told);
            onDone();
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>
            <Amount cents={debt?.dueCents ?? 0} of={tip} />. {SETTLEMENTS[asked].text}
          </p>
        </ActDialog>
      )}
      {asked === 'refund' && (
        <ActDialog
          title={otherKeys ? 'End this tip?' : 'Refund this tip?'}
          confirm={act}
          isMoney={!otherKeys}
          act={(reason) => consoleApi.transactions.refund.mutate({ name: id, reason })}
          onDone={({ outcome }) => {
            flushSync(() => setAsked(undefined));
            toastMessage(
              outcome === 'refunded'
                ? otherKeys
                  ? 'The tip has ended: it was never charged.'
                  : 'The tip was refunded.'
                : 'The payment service does not answer. The refund is noted and will be tried again.',
            );
            onDone();
          }}
          onClose={() => setAsked(undefined)}
        >
          {otherKeys ? (
            <p>
              No money moves. The customer and the provider then see that the tip was never charged. If you
              captured it at the payment service yourself, leave it as it is.
            </p>
          ) : (
            <p>
              <Amount cents={left(tip).paidCents} of={tip} /> goes back to{' '}
              {giver ? <bdi>{giver.fullName}</bdi> : 'the guest'}, fees included.{' '}
              <Amount cents={left(tip).netAmountCents} of={tip} /> is taken from{' '}
              <bdi>{receiver.fullName}</bdi>.
            </p>
          )}
        </ActDialog>
      )}
    </>
  );
}

/** Why nothing can be done about a tip here, and what can be done elsewhere or later. */
function OfOtherKeys({ endsFrom }: { readonly endsFrom: string | null }) {
  if (endsFrom === null)
    return <p>It was paid with keys that the server no longer has. Refund it at the payment service.</p>;
  return (
    <p>
      Nobody charges it, because the server no longer has the keys with which it was held. From{' '}
      <When at={endsFrom} /> on you can end it here.
    </p>
  );
}

function left({ amountCents, giverFeeCents, netAmountCents, changes }: FoundTipView) {
  return changes.reduce(
    (sums, change) => ({
      paidCents: sums.paidCents + change.paidCents,
      netAmountCents: sums.netAmountCents + change.netAmountCents,
    }),
    { paidCents: amountCents + giverFeeCents, netAmountCents: netAmountCents + 0 },
  );
}
