/** Blocks the giver of a tip, who is not told. */
import { useEffect, useRef } from 'react';
import type { Transaction } from '#shared/tips.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { focusIfLost, useQuestion } from '../question.ts';
import { useFailure } from './message-changes.ts';
import styles from './messages.module.css';

export function BlockGiver({ tip }: { readonly tip: Transaction }) {
  const { id, giverId, serviceCategory } = tip;
  const utils = trpc.useUtils();
  const heading = useRef<HTMLHeadingElement>(null);
  const question = useQuestion<Transaction>(heading);
  const { failure, forget, tell } = useFailure();
  const blocked = trpc.messages.blocked.useQuery(undefined, { enabled: giverId !== null });
  const blocking = trpc.messages.block.useMutation({
    onMutate: forget,
    onSuccess: () => utils.messages.blocked.invalidate(),
    onError: (error) => tell(error, 'The giver could not be blocked. Please try again.'),
    onSettled: question.close,
  });
  const isBlocked =
    blocking.isSuccess ||
    blocked.data?.some((one) => one.giverId === giverId && one.serviceCategory === serviceCategory) === true;

  useEffect(() => {
    // The pressed button is gone then.
    if (isBlocked) focusIfLost(heading.current);
  }, [isBlocked]);

  return (
    <section className={styles.part} aria-labelledby="block-giver">
      <h3 id="block-giver" ref={heading} tabIndex={-1}>
        Tips from this giver
      </h3>
      {giverId === null && <p className={styles.note}>Tips without an account cannot be blocked.</p>}
      <p role="status" className={styles.note}>
        {isBlocked &&
          'You have blocked this giver. Your profile has the list of those whom you have blocked.'}
      </p>
      {failure !== null && (
        <p role="alert" className={styles.failure}>
          {failure}
        </p>
      )}
      {giverId !== null && !isBlocked && (
        <div className={styles.actions}>
          <Button look="quiet" onClick={() => question.ask(tip)}>
            Block This Giver
          </Button>
        </div>
      )}
      {question.asked && (
        <Confirmation
          title="Block this giver?"
          confirm={blocking.isPending ? 'Blocking...' : 'Block'}
          isUnderWay={blocking.isPending}
          onConfirm={() => blocking.mutate({ id })}
          onCancel={question.close}
        >
          <p>
            They will not be told. Their tips for this service, and on your other pages with the same name,
            will be refused as if your code were paused.
          </p>
        </Confirmation>
      )}
    </section>
  );
}
