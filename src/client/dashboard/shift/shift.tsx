/** Shift mode: one code fills the screen, which faces the guests and stays on. Tonight's sum is shown on demand. */
import { lazy, useEffect, useEffectEvent } from 'react';
import { useSearch } from 'wouter';
import type { EndedQrCode, QrCode } from '#shared/qr-codes.ts';
import { showOf } from '../../later/addresses.ts';
import { paths } from '../../paths.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import type { Part } from '../../signed-in/part.ts';
import { clearToasts } from '../../toasts.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ScreenHeading } from '../../ui/heading.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import type { LiveTips } from '../live/live-tips.ts';
import { Fetched } from '../shared/fetched.tsx';
import { LOAD_FAILED } from '../shared/queries.ts';
import { goBackTo } from '../way-back.ts';
import { CurrentCode } from './current-code.tsx';
import { Frame } from './frame.tsx';
import { LAST_CALL } from './last-call-address.ts';
import styles from './shift.module.css';

const LastCall = lazy(() => import('./last-call.tsx').then(({ LastCall }) => ({ default: LastCall })));

const NOTHING_LOST = 'Nothing is lost. Try again in a moment.';

interface ShiftProps {
  readonly user: KeptUser;
  /** The id that the address names, which may be any text. */
  readonly shown: string;
  readonly codes: Part<readonly QrCode[]>;
  readonly live: LiveTips;
  readonly onRetry: () => void;
}

export function Shift({ user, shown, codes, live, onRetry }: ShiftProps) {
  const isLastCall = new URLSearchParams(useSearch()).has(LAST_CALL);
  const back = isLastCall ? showOf(shown) : paths.dashboard;
  const leave = useEffectEvent(() => goBackTo(back));
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') leave();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  // Toasts of the dashboard would lie over the code; later ones wait until it is left (toaster.tsx).
  useEffect(() => clearToasts(), []);

  if (codes.status === 'loading') {
    return (
      <Frame title="Your code">
        <Loading />
      </Frame>
    );
  }
  if (codes.status === 'failed') {
    return (
      <Frame title="Your code">
        <Problem isScreen title={LOAD_FAILED} onRetry={onRetry}>
          <p>{NOTHING_LOST}</p>
        </Problem>
      </Frame>
    );
  }
  const code = codes.data.find(({ id }) => id === shown);
  if (code && isLastCall) {
    return (
      <Frame title="Last Call" unseenCount={live.unseenCount} back={back} facesGuests={false}>
        <Fetched sketch={<Loading />}>
          <LastCall
            key={code.id}
            serviceCategory={code.serviceCategory}
            otherCodes={codes.data.filter(({ id }) => id !== code.id)}
          />
        </Fetched>
      </Frame>
    );
  }
  if (code) return <CurrentCode key={code.id} user={user} code={code} live={live} />;
  return <NoCode id={shown} codes={codes.data} />;
}

interface NoCodeProps {
  readonly id: string;
  readonly codes: readonly QrCode[];
}

function NoCode({ id, codes }: NoCodeProps) {
  // A code older than the newest hundred that ended is shown as somebody else's.
  const ended = trpc.qrCodes.ended.useQuery({ limit: 100 });
  if (ended.isPending) {
    return (
      <Frame title="Your code">
        <Loading />
      </Frame>
    );
  }
  if (!ended.data) {
    return (
      <Frame title="Your code">
        <Problem isScreen title={LOAD_FAILED} onRetry={() => void ended.refetch()}>
          <p>{NOTHING_LOST}</p>
        </Problem>
      </Frame>
    );
  }
  const code = ended.data.codes.find((one) => one.id === id);
  const successor = codes.find(({ serviceCategory }) => serviceCategory === code?.serviceCategory);
  return (
    <Frame title="Your code">
      <div className={styles.missing}>
        <ScreenHeading>{titleOfMissing(code)}</ScreenHeading>
        <p>
          {code
            ? 'It no longer works, and neither do old prints of it.'
            : 'Check the link. The code may belong to another account.'}
        </p>
        {successor && <ButtonLink href={showOf(successor.id)}>Show the New Code</ButtonLink>}
        <ButtonLink look="quiet" href={paths.dashboard}>
          Go to Dashboard
        </ButtonLink>
      </div>
    </Frame>
  );
}

function titleOfMissing(code: EndedQrCode | undefined): string {
  if (!code) return 'This isn’t one of your codes';
  return code.status === 'replaced' ? 'This code was replaced' : 'This code is no longer in use';
}
