/** The first step: a quick amount or a custom one, and the total as soon as there is one. */
import { type FormEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { useSearch } from 'wouter';
import { dollarsFromCents, formatUsd, QUICK_AMOUNTS_CENTS } from '#shared/money.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Problem } from '../ui/states.tsx';
import { Cost } from './cost.tsx';
import { demoQuery } from './provider.ts';
import styles from './select-amount-step.module.css';
import {
  CUSTOM_FIELD,
  type Interruption,
  QUICK_FIELD,
  readChoice,
  type TipEvent,
  type TipFlow,
} from './tip-flow.ts';

interface SelectAmountStepProps {
  readonly isDemo: boolean;
  readonly flow: Extract<TipFlow, { step: 'select-amount' }>;
  readonly dispatch: (event: TipEvent) => void;
  readonly onProceed: () => Promise<void>;
  readonly takesFocus: boolean;
}

export function SelectAmountStep({ isDemo, flow, dispatch, onProceed, takesFocus }: SelectAmountStepProps) {
  const { choice, isChecked, interruption } = flow;
  const reading = readChoice(choice);
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
      {/* A form that is sent before the script has come leads back here with the amount. `off` keeps browsers from restoring old values. */}
      <form className={styles.form} method="get" onSubmit={submit} noValidate autoComplete="off">
        {isDemo && <DemoFields />}
        <fieldset ref={amounts} tabIndex={-1} className={styles.quick}>
          <legend className={styles.legend}>Choose an amount</legend>
          <div className={styles.grid}>
            {QUICK_AMOUNTS_CENTS.map((amountCents) => (
              <label key={amountCents} className={styles.option}>
                <input
                  type="radio"
                  name={QUICK_FIELD}
                  value={dollarsFromCents(amountCents)}
                  checked={choice.quickAmountCents === amountCents}
                  onChange={() => dispatch({ type: 'quick-chosen', amountCents })}
                />
                <span>{formatUsd(amountCents).replace('.00', '')}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <Field
          ref={custom}
          label="Or enter your own"
          hint="$10 to $10,000"
          name={CUSTOM_FIELD}
          type="text"
          inputMode="decimal"
          autoComplete="off"
          placeholder="0.00"
          enterKeyHint="go"
          value={choice.customText}
          error={isChecked && reading.problem !== null ? reading.problem : undefined}
          onChange={({ target }) => dispatch({ type: 'custom-typed', text: target.value })}
        />
        <div aria-live="polite" aria-atomic="true" className={styles.cost}>
          {reading.amountCents !== null && <Cost amountCents={reading.amountCents} />}
        </div>
        <noscript>
          <p className={styles.note}>
            Paying takes JavaScript. Please switch it on and load this page again.
          </p>
        </noscript>
        <Button type="submit" className={styles.proceed}>
          Proceed to Payment
        </Button>
      </form>
    </>
  );
}

/** The amount that was tapped or typed before the script came, as text; null without one. */
function earlyChoice(amounts: HTMLElement | null, custom: HTMLInputElement | null): string | null {
  const quick = amounts?.querySelector<HTMLInputElement>('input:checked');
  const tapped = quick && !quick.defaultChecked ? quick.value : null;
  const typed = custom && custom.value !== custom.defaultValue ? custom.value : null;
  // When both were used, the one with the focus was the later.
  return typed !== null && (tapped === null || document.activeElement === custom) ? typed : tapped;
}

/** The parameters of a demo as fields, because sending a form replaces the query of the address. */
function DemoFields() {
  const query = demoQuery(useSearch());
  return Array.from(query, ([name, value]) => <input key={name} type="hidden" name={name} value={value} />);
}

const SENTENCES: Record<Interruption, string> = {
  'not-sent': 'There is no connection. Nothing was charged.',
  'no-answer':
    'The connection was lost before the answer came. Try the same amount again: it is never charged twice.',
};

function Interrupted({
  interruption,
  onRetry,
}: {
  readonly interruption: Interruption;
  readonly onRetry: () => Promise<void>;
}) {
  return (
    <Problem title="Your tip did not get through" onRetry={() => void onRetry()}>
      <p>{SENTENCES[interruption]}</p>
    </Problem>
  );
}
