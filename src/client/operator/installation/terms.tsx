/** The terms of tips: those that hold, those to come, the earlier ones, and the form for the next. */
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { AskedTerms, TermsPreview, TermsState, TermsVersion } from '#shared/console/installation.ts';
import { toastSuccess } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi, consoleHooks } from '../console-api.ts';
import { Fact, FactRows } from '../facts.tsx';
import { Loaded } from '../loaded.tsx';
import { When } from '../when.tsx';
import styles from './installation.module.css';
import { money } from './money.ts';
import { NextTerms } from './next-terms.tsx';
import { Preview } from './preview.tsx';

const STATES: Readonly<Record<TermsState, string>> = {
  now: 'Now',
  to_come: 'To come',
  past: 'Earlier',
  replaced: 'Replaced',
};

export function Terms() {
  const heading = useRef<HTMLHeadingElement>(null);
  const query = consoleHooks.installation.terms.useQuery();
  return (
    <section className={styles.section} aria-labelledby="terms">
      <h2 id="terms" ref={heading} tabIndex={-1}>
        Fees and amounts
      </h2>
      <Loaded query={query}>
        {(versions) => <Versions versions={versions} onSet={() => heading.current?.focus()} />}
      </Loaded>
    </section>
  );
}

interface Asked {
  readonly terms: AskedTerms;
  readonly preview: TermsPreview;
}

interface VersionsProps {
  readonly versions: readonly TermsVersion[];
  readonly onSet: () => void;
}

function Versions({ versions, onSet }: VersionsProps) {
  const [isChanging, setChanging] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const heading = useRef<HTMLHeadingElement>(null);
  const [newest] = versions;
  const soon = versions.find(({ holdsSoon }) => holdsSoon);
  const earlier = versions.filter(({ state }) => state === 'past' || state === 'replaced');

  function change() {
    // The pressed button makes room for the form.
    flushSync(() => setChanging(true));
    heading.current?.focus();
  }

  function cancel() {
    flushSync(() => setChanging(false));
    onSet();
  }

  function endWithSet() {
    flushSync(() => {
      setAsked(undefined);
      setChanging(false);
    });
    onSet();
    toastSuccess('The new terms are set.');
  }

  return (
    <>
      {versions
        .filter(({ state }) => state === 'now' || state === 'to_come')
        .toReversed()
        .map((version) => (
          <Version key={version.version} version={version} />
        ))}
      {isChanging && newest && soon ? (
        <NextTerms
          newest={newest}
          soon={soon}
          heading={heading}
          onPreview={(terms, preview) => setAsked({ terms, preview })}
          onCancel={cancel}
        />
      ) : (
        <Button look="quiet" className={styles.action} onClick={change}>
          Change Fees or Amounts
        </Button>
      )}
      {earlier.length > 0 && (
        <details>
          <summary className={styles.summary}>Earlier terms</summary>
          {earlier.map((version) => (
            <Version key={version.version} version={version} />
          ))}
        </details>
      )}
      {asked && (
        <ActDialog
          title="Set these terms?"
          confirm="Set Terms"
          act={(reason) => consoleApi.installation.setTerms.mutate({ ...asked.terms, reason })}
          onDone={endWithSet}
          onClose={() => setAsked(undefined)}
        >
          <Preview preview={asked.preview} />
        </ActDialog>
      )}
    </>
  );
}

function Version({ version }: { readonly version: TermsVersion }) {
  const { giverFeeRate, receiverFeeRate, minTipCents, maxTipCents, quickAmountsCents, from, state } = version;
  return (
    <div className={styles.version}>
      <p className={styles.title}>
        <Badge>{STATES[state]}</Badge> Version {version.version}
        {from === null ? ', as delivered' : ', from '}
        {from !== null && <When at={from} />}
      </p>
      <FactRows>
        <Fact term="Giver pays on top">{giverFeeRate / 100}%</Fact>
        <Fact term="Provider pays">{receiverFeeRate / 100}%</Fact>
        <Fact term="Tips">
          {money(minTipCents, version)} to {money(maxTipCents, version)}
        </Fact>
        <Fact term="Quick amounts">
          {quickAmountsCents.map((amount) => money(amount, version)).join(', ')}
        </Fact>
        <Fact term="Currency">{version.currency}</Fact>
      </FactRows>
    </div>
  );
}
