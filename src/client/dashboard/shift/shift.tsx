/**
 * Shift mode: one code fills the provider's screen, which faces the guests and stays on. It shows amounts
 * only of tips that arrive for this service, and tonight's on demand.
 */
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import type { EndedQrCode, QrCode } from '#shared/qr-codes.ts';
import { paths, showOf } from '../../paths.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import type { Part } from '../../signed-in/part.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ScreenHeading } from '../../ui/heading.tsx';
import { ArrowLeftIcon } from '../../ui/icons.tsx';
import { Money } from '../../ui/money.tsx';
import { titleOf } from '../../ui/screen.tsx';
import { SimulatedMoney } from '../../ui/simulated-money.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { ArrivalCard } from '../live/arrival-card.tsx';
import { ConnectionSign } from '../live/connection-sign.tsx';
import type { LiveTips } from '../live/live-tips.ts';
import { LOAD_FAILED } from '../shared/queries.ts';
import { useTonight } from '../shared/tonight.ts';
import { useFullScreen, useWakeLock } from './device-screen.ts';
import styles from './shift.module.css';

interface ShiftProps {
  readonly user: User;
  /** The id that the address names, which may be any text. */
  readonly shown: string;
  readonly codes: Part<readonly QrCode[]>;
  readonly live: LiveTips;
  readonly onRetry: () => void;
}

export function Shift({ user, shown, codes, live, onRetry }: ShiftProps) {
  const [, navigate] = useLocation();
  const leave = useEffectEvent(() => navigate(paths.dashboard, { replace: true }));
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') leave();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  useEffect(() => {
    // Toasts of the dashboard would lie over the code.
    import('../../ui/later/toaster.tsx').then(({ dismissToasts }) => dismissToasts()).catch(() => {});
  }, []);

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
          <p>Nothing is lost. Please try again in a moment.</p>
        </Problem>
      </Frame>
    );
  }
  const code = codes.data.find(({ id }) => id === shown);
  if (code) return <CurrentCode key={code.id} user={user} code={code} live={live} />;
  return <NoCode id={shown} codes={codes.data} />;
}

interface CurrentCodeProps {
  readonly user: User;
  readonly code: QrCode;
  readonly live: LiveTips;
}

function CurrentCode({ user, code, live }: CurrentCodeProps) {
  const service = CATEGORY_LABELS[code.serviceCategory];
  const name = code.displayName ?? user.fullName;
  const mayGoDark = useWakeLock();
  const fullScreen = useFullScreen();
  // A card of the dashboard may still have tips of other services, which do not concern guests.
  const tips = live.arrival.tips.filter(({ serviceCategory }) => serviceCategory === code.serviceCategory);

  return (
    <Frame
      title={service}
      unseenCount={live.unseenCount}
      actions={
        fullScreen.isPossible && (
          <Button look="quiet" onClick={fullScreen.toggle}>
            {fullScreen.isOn ? 'Exit full screen' : 'Full screen'}
          </Button>
        )
      }
    >
      <div className={styles.stage}>
        {code.status === 'active' ? (
          <img
            className={styles.picture}
            src={`data:image/png;base64,${code.imageBase64}`}
            alt={`QR code to tip ${name}, ${service}`}
            width={720}
            height={720}
          />
        ) : (
          <p className={styles.paused}>
            <strong>Paused</strong> <span>Not taking tips right now</span>
          </p>
        )}
      </div>
      <div className={styles.below}>
        <div className={styles.words}>
          <div className={styles.whose}>
            {code.status === 'active' && <p>Scan to tip</p>}
            <ScreenHeading className={styles.name}>
              <bdi>{name}</bdi>
            </ScreenHeading>
            <p className={styles.service}>{service}</p>
            <p className={styles.id}>{showQrCodeId(code.id)}</p>
          </div>
          <ArrivalCard facesGuests arrival={{ ...live.arrival, tips }} />
        </div>
        <Tonight serviceCategory={code.serviceCategory} />
        <div className={styles.signs}>
          <ConnectionSign connection={live.connection}>{null}</ConnectionSign>
          {mayGoDark && <p>Keep your screen on in the phone's settings</p>}
        </div>
      </div>
    </Frame>
  );
}

/** Hidden until somebody asks for it, because the screen faces the guests. */
function Tonight({ serviceCategory }: { readonly serviceCategory: ServiceCategory }) {
  const [isShown, setShown] = useState(false);
  const numbersId = useId();
  const { data, isError } = useTonight(serviceCategory);

  return (
    <div className={styles.tonight}>
      <Button
        look="quiet"
        aria-expanded={isShown}
        aria-controls={isShown ? numbersId : undefined}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? 'Hide tonight' : 'Show tonight'}
      </Button>
      {isShown && (
        <div id={numbersId} className={styles.numbers}>
          {data ? (
            <>
              <p className={styles.sum}>
                <Money amountCents={data.receivedTodayCents} />
              </p>
              <p>{data.receivedTodayCount === 1 ? '1 tip' : `${data.receivedTodayCount} tips`} since 5 AM</p>
              <SimulatedMoney />
            </>
          ) : (
            <p>{isError ? 'Could not be loaded. It is tried again when you look.' : 'Loading...'}</p>
          )}
        </div>
      )}
    </div>
  );
}

interface NoCodeProps {
  readonly id: string;
  readonly codes: readonly QrCode[];
}

/** A code that takes no tips any more, or never was this account's. */
function NoCode({ id, codes }: NoCodeProps) {
  // Of more old codes, the oldest are described as nobody's.
  const ended = trpc.qrCodes.ended.useQuery({ limit: 100 });
  if (ended.isPending) {
    return (
      <Frame title="Your code">
        <Loading />
      </Frame>
    );
  }
  const code = ended.data?.codes.find((one) => one.id === id);
  const successor = codes.find(({ serviceCategory }) => serviceCategory === code?.serviceCategory);
  return (
    <Frame title="Your code">
      <div className={styles.missing}>
        <ScreenHeading>{titleOfMissing(code)}</ScreenHeading>
        <p>
          {code
            ? 'It takes no tips any more. Nobody can be tipped with an old print of it.'
            : 'The address may be mistyped, or the code belongs to another account.'}
        </p>
        {successor && <ButtonLink href={showOf(successor.id)}>Show the new code</ButtonLink>}
        <ButtonLink look="quiet" href={paths.dashboard}>
          Go to Dashboard
        </ButtonLink>
      </div>
    </Frame>
  );
}

function titleOfMissing(code: EndedQrCode | undefined): string {
  if (!code) return 'This is no code of yours';
  return code.status === 'replaced' ? 'This code was replaced' : 'This code was retired';
}

interface FrameProps {
  readonly title: string;
  readonly unseenCount?: number;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

function Frame({ title, unseenCount = 0, actions, children }: FrameProps) {
  return (
    <div className={styles.shift} data-scheme="light">
      <title>{titleOf(title, unseenCount)}</title>
      <header className={styles.head}>
        <Link href={paths.dashboard} replace className={styles.back}>
          <ArrowLeftIcon /> Back
        </Link>
        {actions}
      </header>
      <main className={styles.main}>{children}</main>
    </div>
  );
}
