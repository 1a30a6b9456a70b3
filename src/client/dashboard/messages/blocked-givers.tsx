/** The givers whom a receiver has blocked, and can unblock. */
import { useRef } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { formatMoney } from '#shared/money.ts';
import type { BlockedGiver } from '#shared/tips.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import care from '../account/account-care.module.css';
import { useQuestion } from '../question.ts';
import styles from './messages.module.css';

export function BlockedGivers() {
  const query = trpc.messages.blocked.useQuery(undefined, FRESH);
  const utils = trpc.useUtils();
  const list = useRef<HTMLDivElement>(null);
  const { asked, ask, close } = useQuestion<BlockedGiver>(list);
  const unblocking = trpc.messages.unblock.useMutation({
    onSuccess: () => toastSuccess('Unblocked'),
    onError: (error) => toastError(failureOf(error).detail ?? unanswered('they were unblocked')),
    async onSettled() {
      // After a refusal too, because the giver may have been unblocked already.
      await utils.messages.blocked.invalidate();
      close();
    },
  });
  const blocked = partOf(query, (data) => data);

  if (blocked.status === 'loading') return <Loading />;
  if (blocked.status === 'failed') {
    return (
      <Problem title="Your blocked list could not be loaded" onRetry={() => void query.refetch()}>
        <p>Check your connection and try again.</p>
      </Problem>
    );
  }
  return (
    <div ref={list} tabIndex={-1}>
      {blocked.data.length === 0 ? (
        <p className={styles.note}>
          You haven’t blocked anyone. To block someone, open one of their tips in Transactions.
        </p>
      ) : (
        <ul className={care.sessions}>
          {blocked.data.map((one) => (
            <li key={`${one.giverId} ${one.serviceCategory}`} className={care.session}>
              <p className={care.words}>
                <strong>
                  <bdi>{nameOf(one)}</bdi>
                </strong>
                <br />
                <span className={care.since}>
                  blocked on <time dateTime={one.blockedAt}>{shortDateTime(one.blockedAt)}</time>, for{' '}
                  {CATEGORY_LABELS[one.serviceCategory]}
                </span>
              </p>
              <Button look="quiet" aria-label={`Unblock ${nameOf(one)}`} onClick={() => ask(one)}>
                Unblock
              </Button>
            </li>
          ))}
        </ul>
      )}
      {asked && (
        <Confirmation
          title="Unblock this person?"
          confirm={unblocking.isPending ? 'Unblocking...' : 'Unblock'}
          isUnderWay={unblocking.isPending}
          onConfirm={() => unblocking.mutate({ giverId: asked.giverId })}
          onCancel={close}
        >
          <p>
            <bdi>{nameOf(asked)}</bdi>
          </p>
          <p>They can tip you and write to you again on all of your pages. They won’t be told.</p>
        </Confirmation>
      )}
    </div>
  );
}

function nameOf({ tip }: BlockedGiver): string {
  const { giverName, amountCents, serviceCategory, createdAt } = tip;
  return (
    giverName ??
    `${formatMoney(amountCents)} tip (${CATEGORY_LABELS[serviceCategory]}), ${shortDateTime(createdAt)}`
  );
}
