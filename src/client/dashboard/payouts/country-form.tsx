/** Asks for the country of an account before it is opened, because Stripe lets nobody change it afterwards. */
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { terms } from '#shared/money.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/later/select.tsx';
import styles from './payouts.module.css';

/** Where Stripe opens accounts that take card payments, by their own currencies: https://stripe.com/global */
const COUNTRIES: Readonly<Record<string, string>> = {
  AED: 'AE',
  AUD: 'AU',
  BRL: 'BR',
  CAD: 'CA',
  CHF: 'CH LI',
  CZK: 'CZ',
  DKK: 'DK',
  EUR: 'AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK',
  GBP: 'GB GI',
  HKD: 'HK',
  HUF: 'HU',
  INR: 'IN',
  JPY: 'JP',
  MXN: 'MX',
  MYR: 'MY',
  NOK: 'NO',
  NZD: 'NZ',
  PLN: 'PL',
  RON: 'RO',
  SEK: 'SE',
  SGD: 'SG',
  THB: 'TH',
  USD: 'US',
};

interface CountryFormProps {
  readonly isUnderWay: boolean;
  readonly refusal: string | null;
  readonly onChosen: (country: string) => void;
}

export function CountryForm({ isUnderWay, refusal, onChosen }: CountryFormProps) {
  const [country, setCountry] = useState(countryHere);
  const [isMissing, setMissing] = useState(false);
  const noteId = useId();
  const form = useRef<HTMLFormElement>(null);

  // The form takes the place of the button that had the focus.
  useEffect(() => form.current?.querySelector('select')?.focus(), []);

  function submit(event: FormEvent) {
    event.preventDefault();
    setMissing(country === '');
    if (country !== '') onChosen(country);
    else form.current?.querySelector('select')?.focus();
  }

  return (
    <form ref={form} className={styles.payouts} noValidate onSubmit={submit}>
      <div>
        <Select
          label="Country"
          value={country}
          required
          autoComplete="country"
          aria-describedby={noteId}
          aria-invalid={isMissing}
          // No select is read-only, and a disabled one loses the focus.
          aria-disabled={isUnderWay}
          onChange={({ target }) => {
            if (isUnderWay) return;
            setCountry(target.value);
            setMissing(false);
          }}
        >
          <option value="">Choose your country</option>
          {named().map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
        <div className={styles.notes}>
          <p id={noteId} className={styles.note}>
            Where you live, or where your business is registered. It can’t be changed later. Tips are paid in{' '}
            {terms().currency}, so only countries where Stripe pays that out are listed.
          </p>
          <p role="alert" className={styles.refusal}>
            {isMissing ? 'Choose your country.' : refusal !== null && `Stripe says: ${refusal}`}
          </p>
        </div>
      </div>
      <Button type="submit" className={styles.action} aria-disabled={isUnderWay}>
        {isUnderWay ? 'One moment...' : 'Continue to Stripe'}
      </Button>
    </form>
  );
}

/** Those whose accounts hold what givers pay; all of them for a currency of none. */
function offered(): readonly string[] {
  return (COUNTRIES[terms().currency] ?? Object.values(COUNTRIES).join(' ')).split(' ');
}

function named(): readonly (readonly [code: string, name: string])[] {
  const names = new Intl.DisplayNames(PAGE_LANGUAGE, { type: 'region' });
  return offered()
    .map((code) => [code, names.of(code) ?? code] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, PAGE_LANGUAGE));
}

/** The region that the browser's languages name, which is where most people are; empty without one. */
function countryHere(): string {
  const regions = navigator.languages.map((language) => new Intl.Locale(language).region);
  return regions.find((region) => region !== undefined && offered().includes(region)) ?? '';
}
