import { type FormEvent, lazy, useEffect, useLayoutEffect, useRef } from 'react';
import { Link, useSearch } from 'wouter';
import { decimalFromCents, formatMoney, SHORT, terms } from '#shared/money.ts';
import { bounds } from '#shared/tip-amount.ts';
import { receiptAt } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { Later } from '../ui/boundary.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Money } from '../ui/money.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { Problem } from '../ui/states.tsx';
import bar from './bar.module.css';
import { Parts, Total } from './cost.tsx';
import { demoQuery, type Provider } from './provider.ts';
import styles from './select-amount-step.module.css';
import {
  CUSTOM_FIELD,
  type Interruption,
  QUICK_FIELD,
  readChoice,
  type TipEvent,
  type TipFlow,
} from './tip-flow.ts';

const SameAgain = lazy(() => import('./same-again.tsx').then(({ SameAgain }) => ({ default: SameAgain })));

interface SelectAmountStepProps {
  readonly provider: Provider;
  readonly flow: Extract<TipFlow, { step: 'select-amount' }>;
  readonly dispatch: (event: TipEvent) => void;
  readonly onProceed: (figures?: string) => Promise<void>;
  readonly isProceeding: boolean;
  readonly takesFocus: boolean;
}

export function SelectAmountStep(props: SelectAmountStepProps) {
  const { provider, flow, dispatch, onProceed, isProceeding, takesFocus } = props;
  const { choice, isChecked, interruption, sent } = flow;
  const reading = readChoice(choice);
  const session = useSession();
  const custom = useRef<HTMLInputElement>(null);
  const amounts = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (takesFocus) amounts.current?.focus();
  }, [takesFocus]);

  useLayoutEffect(() => {
    const figures = earlyChoice(amounts.current, custom.current);
    if (figures !== null) dispatch({ type: 'restored', figures });
  }, [dispatch]);

  function submit(event: FormEvent) {
    event.preventDefault();
    void proceed();
  }

  async function proceed() {
    await onProceed();
    if (reading.amountCents === null) custom.current?.focus();
  }

  return (
    <>
      {interruption && <Interrupted interruption={interruption} onRetry={proceed} />}
      {/* Nobody who went Back from a receipt gives the tip once more. A demo, which has no transaction, gave none. */}
      {sent?.transactionId && (
        <p role="status" className={styles.sent}>
          Your tip of <Money amountCents={sent.amountCents} /> was sent.{' '}
          <Link href={receiptAt(window.location.pathname, sent.transactionId)}>Show the receipt</Link>
        </p>
      )}
      {/* A form that is sent before the script has come leads back here with the amount. `off` keeps browsers from restoring old values. */}
      <form className={styles.form} method="get" onSubmit={submit} noValidate autoComplete="off">
        {provider.isDemo && <DemoFields />}
        <fieldset ref={amounts} tabIndex={-1} className={styles.quick}>
          <legend className={styles.legend}>Choose an amount</legend>
          {session.status === 'signed-in' && !provider.isDemo && (
            // Nothing is offered when it cannot be fetched.
            <Later>
              <SameAgain key={session.user.id} provider={provider} onGive={onProceed} />
            </Later>
          )}
          <div className={styles.grid}>
            {terms().quickAmountsCents.map((amountCents) => (
              <label key={amountCents} className={styles.option}>
                <input
                  type="radio"
                  name={QUICK_FIELD}
                  value={decimalFromCents(amountCents)}
                  checked={choice.quickAmountCents === amountCents}
                  onChange={() => dispatch({ type: 'quick-chosen', amountCents })}
                />
                <span>{formatMoney(amountCents, SHORT)}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <Field
          ref={custom}
          label="Or enter your own"
          hint={bounds('to')}
          name={CUSTOM_FIELD}
          type="text"
          inputMode="decimal"
          autoComplete="off"
          placeholder={(0).toFixed(terms().exponent)}
          enterKeyHint="go"
          value={choice.customText}
          error={isChecked && reading.problem !== null ? reading.problem : undefined}
          onChange={({ target }) => dispatch({ type: 'custom-typed', text: target.value })}
        />
        <div aria-live="polite" aria-atomic="true" className={styles.cost}>
          {reading.amountCents !== null && <Parts amountCents={reading.amountCents} />}
        </div>
        {!provider.isDemo && <SimulatedMoney />}
        <div className={bar.bar}>
          <noscript>
            {/* Where scripts run, nobody needs these words. */}
            {import.meta.env.SSR && (
              <p className={styles.note}>
                Paying takes JavaScript. Please switch it on and load this page again.
              </p>
            )}
          </noscript>
          <div aria-live="polite" className={styles.total}>
            {reading.amountCents !== null && <Total amountCents={reading.amountCents} />}
          </div>
          {/* One main thing at a time: after an interruption that is Retry. */}
          <Button
            type="submit"
            look={interruption ? 'quiet' : 'primary'}
            className={bar.act}
            data-waiting={isProceeding || undefined}
          >
            Proceed to Payment
          </Button>
        </div>
      </form>
    </>
  );
}

/** The amount that was chosen before the script loaded, as text; null without one. */
function earlyChoice(amounts: HTMLElement | null, custom: HTMLInputElement | null): string | null {
  const quick = amounts?.querySelector<HTMLInputElement>('input:checked');
  const tapped = quick && !quick.defaultChecked ? quick.value : null;
  const typed = custom && custom.value !== custom.defaultValue ? custom.value : null;
  // When both have a value, the one with the focus is the later.
  return typed !== null && (tapped === null || document.activeElement === custom) ? typed : tapped;
}

/** The parameters of a demo as fields, because sending a form replaces the query of the address. */
function DemoFields() {
  const query = demoQuery(useSearch());
  return Array.from(query, ([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}

const SENTENCES: Partial<Record<Interruption, string>> = {
  'not-sent': 'No connection. Nothing was charged.',
  'no-answer': 'The connection was lost. Try the same amount again: it is never charged twice.',
};

function Interrupted({
  interruption,
  onRetry,
}: {
  readonly interruption: Interruption;
  readonly onRetry: () => Promise<void>;
}) {
  return (
    <Problem title="Your payment was cut off" onRetry={() => void onRetry()}>
      <p>{SENTENCES[interruption]}</p>
    </Problem>
  );
}
