/** The code on the screen, with what its guests and its provider need to know. */
import { useEffect, useId, useState } from 'react';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { formatHere } from '../../signed-in/format-here.ts';
import type { KeptUser } from '../../signed-in/kept-dashboard.ts';
import { maintenanceSentence } from '../../signed-in/later/announcement.tsx';
import { hourName } from '../../signed-in/time-here.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ScreenHeading } from '../../ui/heading.tsx';
import { Money } from '../../ui/money.tsx';
import { SimulatedMoney } from '../../ui/simulated-money.tsx';
import { type Sign, useSign } from '../live/connection-sign.tsx';
import type { Connection, LiveTips } from '../live/live-tips.ts';
import { arrivingOf, MAY_BE_OLD, useNightStartHour, useTonight } from '../shared/tonight.ts';
import { FROM_THERE } from '../way-back.ts';
import { useFullScreen, useWakeLock } from './device-screen.ts';
import { Frame } from './frame.tsx';
import { GuestThanks, useMoment } from './guest-thanks.tsx';
import { lastCallOf } from './last-call-address.ts';
import { Paused, useResume } from './paused.tsx';
import styles from './shift.module.css';

interface CurrentCodeProps {
  readonly user: KeptUser;
  readonly code: QrCode;
  readonly live: LiveTips;
}

export function CurrentCode({ user, code, live }: CurrentCodeProps) {
  const service = CATEGORY_LABELS[code.serviceCategory];
  const name = code.displayName ?? user.fullName;
  const mayGoDark = useWakeLock();
  const fullScreen = useFullScreen();
  // A card of the dashboard may still have tips of other services, which do not concern guests.
  const moment = useMoment(
    live.arrival.tips.filter(({ serviceCategory }) => serviceCategory === code.serviceCategory),
  );
  const resume = useResume(code);
  const held = useHeld(live.connection);

  return (
    <Frame
      title={service}
      unseenCount={live.unseenCount}
      isGlowing={moment?.isGlowing ?? false}
      bar={<Bar connection={live.connection} held={held} />}
      actions={
        fullScreen.isPossible && (
          <Button look="quiet" onClick={fullScreen.toggle}>
            {fullScreen.isOn ? 'Exit Full Screen' : 'Full Screen'}
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
          <Paused resume={resume} />
        )}
      </div>
      <div className={styles.below}>
        <div className={styles.words}>
          <div className={styles.whose}>
            {code.status === 'active' && held === null && <p>Scan to tip</p>}
            <ScreenHeading className={styles.name}>
              <bdi>{name}</bdi>
            </ScreenHeading>
            <p className={styles.service}>{service}</p>
            <p className={styles.id}>{showQrCodeId(code.id)}</p>
          </div>
          <GuestThanks moment={moment} />
        </div>
        <Tonight code={code} />
        <div className={styles.signs}>
          <p ref={resume.confirmation} role="status" tabIndex={-1}>
            {resume.isDone && 'You’re taking tips again'}
          </p>
          {mayGoDark && <p>Keep your screen on in the phone’s settings</p>}
        </div>
      </div>
    </Frame>
  );
}

const WORDS: Readonly<Record<Sign['kind'], string>> = {
  lost: 'No connection. Tips still count, and show here once you’re back.',
  'crowded-out': `${brand.name} is open in too many places. Tips still count, but they won’t show here by themselves.`,
  back: 'Back online',
};

const time = formatHere({ hour: 'numeric', minute: '2-digit' });

const HELD_ASK_AGAIN_MS = 10_000;

/** Why no tip can be given, though the code takes tips; null when they can. Guests read it, too. */
function useHeld(connection: Connection): string | null {
  const utils = trpc.useUtils();
  const { data } = trpc.auth.announcements.useQuery(undefined, {
    staleTime: HELD_ASK_AGAIN_MS,
    refetchInterval: ({ state }) =>
      (state.data?.suspension ?? state.data?.maintenance) ? HELD_ASK_AGAIN_MS : false,
  });
  // The server's connections end where maintenance begins.
  useEffect(() => {
    if (connection === 'live') void utils.auth.announcements.invalidate();
  }, [connection, utils]);
  if (data?.suspension) return 'Not taking tips right now. Your dashboard says why.';
  return data?.maintenance ? maintenanceSentence(data.maintenance) : null;
}

interface BarProps {
  readonly connection: Connection;
  readonly held: string | null;
}

function Bar({ connection, held }: BarProps) {
  const sign = useSign(connection);
  const interruption = sign?.kind === 'back' ? null : sign;
  return (
    <div className={styles.bar} data-sign={interruption?.kind ?? (held === null ? sign?.kind : 'held')}>
      {/* The time stands outside, so that screen readers are told the sentence alone, and once. */}
      <p role="status">{interruption ? WORDS[interruption.kind] : (held ?? (sign && WORDS[sign.kind]))}</p>
      {interruption && <p>Since {time(interruption.since)}</p>}
    </div>
  );
}

/** Hidden until somebody asks for it, because the screen faces the guests. */
function Tonight({ code }: { readonly code: QrCode }) {
  const [isShown, setShown] = useState(false);
  const numbersId = useId();
  const { data, isError } = useTonight(code.serviceCategory);
  const since = hourName(useNightStartHour());

  return (
    <div className={styles.tonight}>
      <div className={styles.actions}>
        <Button
          look="quiet"
          aria-expanded={isShown}
          aria-controls={isShown ? numbersId : undefined}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide Tonight' : 'Show Tonight'}
        </Button>
        <ButtonLink look="quiet" href={lastCallOf(code.id)} state={FROM_THERE}>
          Last Call
        </ButtonLink>
      </div>
      {isShown && (
        <div id={numbersId} className={styles.numbers}>
          {data ? (
            <>
              {/* The sum is net, unlike what guests were thanked for. */}
              <p>You keep</p>
              <p className={styles.sum}>
                <Money amountCents={data.receivedTodayCents} />
              </p>
              <p>
                {data.receivedTodayCount === 1 ? '1 tip' : `${data.receivedTodayCount} tips`} since {since}
              </p>
              {data.receivedTodayArrivingCents > 0 && <p>{arrivingOf(data.receivedTodayArrivingCents)}</p>}
              <SimulatedMoney />
              <p role="status">{isError && MAY_BE_OLD}</p>
            </>
          ) : (
            <p>{isError ? 'Couldn’t load tonight. It tries again when you’re back.' : 'Loading...'}</p>
          )}
        </div>
      )}
    </div>
  );
}
