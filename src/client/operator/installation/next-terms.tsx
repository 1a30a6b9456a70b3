/**
 * The form for the next version of the terms, filled with those that hold when it can begin at the earliest. Only what
 * was changed is sent, but all of it where other terms are to come, so that the next ones are what the form says.
 */
import { type RefObject, type SubmitEvent, useState } from 'react';
import type { AskedTerms, TermsPreview, TermsVersion } from '#shared/console/installation.ts';
import { plainDecimal } from '#shared/decimals.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { LeaveQuestion } from '../../ui/later/unsaved.tsx';
import { consoleApi, consoleHooks, failureOf } from '../console-api.ts';
import {
  type Complaints,
  complain,
  timeTyped,
  typedIn,
  unfinishedIn,
  useTypedForm,
} from '../typed-fields.ts';
import styles from './installation.module.css';

const NAMES = ['giverFee', 'receiverFee', 'min', 'max', 'quick', 'currency'] as const;
const OF_A_CURRENCY: readonly string[] = ['min', 'max', 'quick'];

interface NextTermsProps {
  readonly newest: TermsVersion;
  /** What holds when next ones can begin. */
  readonly soon: TermsVersion;
  readonly heading: RefObject<HTMLHeadingElement | null>;
  readonly onPreview: (asked: AskedTerms, preview: TermsPreview) => void;
  readonly onCancel: () => void;
}

export function NextTerms({ newest, soon, heading, onPreview, onCancel }: NextTermsProps) {
  const [complaints, setComplaints] = useState<Complaints>({});
  const [failure, setFailure] = useState<string>();
  const [isUnderWay, setUnderWay] = useState(false);
  const { unsaved, onInput } = useTypedForm();
  // The fields stay as they were filled when the versions are loaded anew.
  const [filledWith] = useState(soon);
  const [basedOn, setBasedOn] = useState(newest);
  const before = textsOf(filledWith);
  const { terms } = consoleHooks.useUtils().installation;

  async function preview(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isUnderWay) return;
    const form = event.currentTarget;
    const asked = askedOf(typedIn(event), filledWith, basedOn);
    const unfinished = unfinishedIn(event);
    setFailure(undefined);
    setComplaints(complain(form, unfinished));
    if (unfinished.length > 0) return;
    setUnderWay(true);
    try {
      onPreview(asked, await consoleApi.installation.previewTerms.query(asked));
    } catch (error) {
      const { detail, fieldErrors } = failureOf(error);
      // The sentence speaks of other terms, which are there then. The next try is made in their sight.
      if (fieldErrors.some(({ field }) => field === 'filledWith' || field === 'basedOn')) {
        await terms.invalidate();
        setBasedOn(terms.getData()?.[0] ?? basedOn);
      }
      const found = complain(form, fieldErrors);
      setComplaints(found);
      const isShown = [...NAMES, 'from'].some((name) => Object.hasOwn(found, name));
      if (!isShown) setFailure(detail);
    } finally {
      setUnderWay(false);
    }
  }

  const field = (name: (typeof NAMES)[number]) => ({
    name,
    defaultValue: before[name],
    error: complaints[name],
    autoComplete: 'off',
    readOnly: isUnderWay,
  });

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void preview(event)} onInput={onInput}>
      <h3 ref={heading} tabIndex={-1}>
        Next terms
      </h3>
      <div className={styles.fields}>
        <Field label="Giver pays on top, in %" inputMode="decimal" {...field('giverFee')} />
        <Field label="Provider pays, in %" inputMode="decimal" {...field('receiverFee')} />
        <Field label="Smallest tip" inputMode="decimal" {...field('min')} />
        <Field label="Largest tip" inputMode="decimal" {...field('max')} />
        <Field label="Quick amounts" hint="Up to ten, with commas between them." {...field('quick')} />
        <Field label="Currency" hint="Fixed by the first tip." {...field('currency')} />
        <Field
          label="From"
          hint="Empty for as soon as possible"
          type="datetime-local"
          name="from"
          readOnly={isUnderWay}
          error={complaints['from']}
        />
      </div>
      <p className={styles.failure} role="alert">
        {failure}
      </p>
      <div className={styles.actions}>
        <Button type="submit" aria-disabled={isUnderWay}>
          {isUnderWay ? 'One moment...' : 'Preview'}
        </Button>
        <Button look="quiet" aria-disabled={isUnderWay} onClick={() => isUnderWay || onCancel()}>
          Cancel
        </Button>
      </div>
      <LeaveQuestion unsaved={unsaved}>
        <p>The terms that you typed are lost.</p>
      </LeaveQuestion>
    </form>
  );
}

function textsOf(terms: TermsVersion): Readonly<Record<(typeof NAMES)[number], string>> {
  const { giverFeeRate, receiverFeeRate, minTipCents, maxTipCents, quickAmountsCents, currency } = terms;
  return {
    giverFee: String(giverFeeRate / 100),
    receiverFee: String(receiverFeeRate / 100),
    min: plainDecimal(minTipCents, terms),
    max: plainDecimal(maxTipCents, terms),
    quick: quickAmountsCents.map((amount) => plainDecimal(amount, terms)).join(', '),
    currency,
  };
}

/** Another currency needs its own amounts, also where they look the same. */
function askedOf(
  typed: Readonly<Record<string, string>>,
  filledWith: TermsVersion,
  newest: TermsVersion,
): AskedTerms {
  const before = textsOf(filledWith);
  const isOneToCome = newest.state === 'to_come';
  const isOther = typed['currency']?.toUpperCase() !== before.currency;
  const changed = NAMES.filter(
    (name) => isOneToCome || typed[name] !== before[name] || (isOther && OF_A_CURRENCY.includes(name)),
  );
  return {
    ...Object.fromEntries(changed.map((name) => [name, typed[name]])),
    from: timeTyped(typed['from']),
    basedOn: newest.version,
    filledWith: filledWith.version,
  };
}
