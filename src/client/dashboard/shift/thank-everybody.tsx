/** One thank-you for everybody who was not thanked yet, by one tap. */
import { useEffect, useId, useRef, useState } from 'react';
import type { Transaction } from '#shared/tips.ts';
import { api, failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { Choice } from '../../controls/choice.tsx';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Button } from '../../ui/button.tsx';
import { useShowTip } from '../messages/message-changes.ts';
import { PROPOSED, useReadyThankYous } from '../messages/thank-yous.ts';
import { focusIfLost } from '../question.ts';
import styles from './last-call.module.css';
import { MAX_AT_ONCE, thankAll } from './thank-all.ts';

const NO_ANSWER = `${unanswered('the rest was sent')} Try it again: nobody is thanked twice.`;

interface ThankEverybodyProps {
  readonly toThank: readonly Transaction[];
  /** Null where its guests are all guests of the night. */
  readonly service: string | null;
}

export function ThankEverybody({ toThank, service }: ThankEverybodyProps) {
  const { texts } = useReadyThankYous();
  const ready = [...new Set(texts.status === 'ready' ? texts.data : PROPOSED)];
  const [chosen, setChosen] = useState<string | null>(null);
  const text = chosen !== null && ready.includes(chosen) ? chosen : (ready[0] ?? PROPOSED[0]);
  const [told, setTold] = useState('');
  const attempts = useAttempts();
  const utils = trpc.useUtils();
  const show = useShowTip();
  const group = useId();
  const result = useRef<HTMLParagraphElement>(null);
  const isOver = toThank.length === 0;
  useEffect(() => {
    if (isOver && told !== '') focusIfLost(result.current);
  }, [isOver, told]);

  async function send() {
    setTold('');
    const tips = toThank.slice(0, MAX_AT_ONCE);
    const { thankedCount, skippedCount, failure } = await thankAll(tips, {
      thank: async ({ id }) => show(await api.messages.thank.mutate({ id, text })),
      failureOf,
    });
    // The lists do not know yet what became of them, elsewhere or without an answer.
    if (skippedCount > 0 || failure?.status === null) void utils.transactions.invalidate();
    setTold(
      [
        thankedCount > 0 && `${countOf(thankedCount)} sent.`,
        skippedCount > 0 && `${skippedCount} skipped: already thanked, or taken back.`,
        failure && (failure.fieldErrors[0]?.message ?? failure.detail ?? NO_ANSWER),
      ]
        .filter(Boolean)
        .join(' '),
    );
  }

  return (
    <section className={styles.thanks} aria-label="Thank your guests">
      {!isOver && (
        <>
          <fieldset className={styles.choices}>
            <legend>
              Say thanks to everyone{service !== null && ` in ${service}`} you haven’t thanked yet
            </legend>
            {ready.map((one) => (
              <Choice
                key={one}
                type="radio"
                name={group}
                checked={one === text}
                onChange={() => setChosen(one)}
              >
                <bdi>{one}</bdi>
              </Choice>
            ))}
          </fieldset>
          <Button
            aria-disabled={attempts.isUnderWay || texts.status === 'loading'}
            onClick={() => {
              if (texts.status !== 'loading') void attempts.run(send);
            }}
          >
            {attempts.isUnderWay ? 'Sending...' : labelFor(toThank.length)}
          </Button>
        </>
      )}
      <p ref={result} role="status" tabIndex={-1} className={styles.told}>
        {told}
      </p>
    </section>
  );
}

function labelFor(count: number): string {
  if (count === 1) return 'Send Thank-You';
  return count > MAX_AT_ONCE ? `Thank ${MAX_AT_ONCE} of ${count}` : `Thank All ${count}`;
}

function countOf(count: number): string {
  return count === 1 ? '1 thank-you' : `${count} thank-yous`;
}
