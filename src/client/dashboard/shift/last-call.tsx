/** The end of a night: what it came to, thank-yous, and a picture without names. The screen faces its provider. */
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { brand } from '#shared/brand.ts';
import { dayAround, firstOfDate } from '#shared/calendar.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { formatMoney } from '#shared/money.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import type { Transaction } from '#shared/tips.ts';
import { paymentMode } from '../../installation.ts';
import { paths } from '../../paths.ts';
import { useToday } from '../../signed-in/new-day.ts';
import { timeZoneHere } from '../../signed-in/time-here.ts';
import { Button } from '../../ui/button.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import card from '../../ui/card.module.css';
import { ScreenHeading } from '../../ui/heading.tsx';
import { SimulatedMoney } from '../../ui/simulated-money.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { formatDate, formatHour, formatTipCount } from '../insights/format.ts';
import { LOAD_FAILED, useListing } from '../shared/queries.ts';
import { arrivingOf, MAY_BE_OLD, useNightStartHour, useTonight } from '../shared/tonight.ts';
import styles from './last-call.module.css';
import { lastCallOf } from './last-call-address.ts';
import { endOf } from './night.ts';
import { handOutPicture } from './night-picture.ts';
import { ThankEverybody } from './thank-everybody.tsx';

const PAGE_SIZE = 200;
/** The best hour and the thanks of a longer night are of its newest tips. */
const MAX_TIPS = 2_000;

interface LastCallProps {
  readonly serviceCategory: ServiceCategory;
  /** Those of the provider's other services. */
  readonly otherCodes: readonly QrCode[];
}

export function LastCall({ serviceCategory, otherCodes }: LastCallProps) {
  const tonight = useTonight(serviceCategory);
  const night = useNightTips(serviceCategory);
  // What was loaded stays when loading it again fails.
  if ((!tonight.data && tonight.isError) || night.status === 'failed') {
    return (
      <Problem isScreen title={LOAD_FAILED} onRetry={() => window.location.reload()}>
        <p>Nothing is lost. Check your connection and try again.</p>
      </Problem>
    );
  }
  if (!tonight.data || night.status === 'loading') return <Loading />;
  const arriving = tonight.data.receivedTodayArrivingCents;
  return (
    <Night
      serviceCategory={serviceCategory}
      otherCodes={otherCodes}
      sum={formatMoney(tonight.data.receivedTodayCents)}
      arriving={arriving > 0 ? arrivingOf(arriving) : null}
      isOld={tonight.isError || night.isOld}
      count={tonight.data.receivedTodayCount}
      bestHour={night.bestHour}
      toThank={night.toThank}
      date={night.date}
    />
  );
}

function useNightTips(serviceCategory: ServiceCategory) {
  const timeZone = timeZoneHere();
  const dayStartHour = useNightStartHour();
  // Another night begins when the sum beside it does.
  const date = useToday(dayStartHour);
  const night = dayAround(firstOfDate(date, timeZone, dayStartHour), timeZone, dayStartHour);
  const { pages, listing } = useListing(
    {
      limit: PAGE_SIZE,
      direction: 'received',
      serviceCategory,
      from: date,
      to: date,
      timeZone,
      dayStartHour,
    },
    true,
  );
  const loaded = listing.status === 'ready' ? listing.data : null;
  const oldest = loaded?.transactions.at(-1);
  const isMissing =
    loaded?.hasMore === true &&
    loaded.transactions.length < MAX_TIPS &&
    oldest !== undefined &&
    Date.parse(oldest.createdAt) >= night.startMs;
  const isWaiting = isMissing && !pages.isFetchNextPageError;
  const mayLoad = isWaiting && !pages.isFetching;
  useEffect(() => {
    if (mayLoad) loaded?.loadMore();
  }, [mayLoad, loaded]);

  if (listing.status !== 'ready') return listing;
  // What an earlier look has left may not know who was blocked since.
  if (isWaiting || !pages.isFetchedAfterMount) return { status: 'loading' } as const;
  const blocked = new Set(pages.data?.pages.flatMap(({ blockedGiverIds }) => blockedGiverIds));
  return {
    status: 'ready',
    date,
    // The list is right without the next page.
    isOld: pages.isError && !pages.isFetchNextPageError,
    ...endOf(listing.data.transactions, night, timeZone, blocked),
  } as const;
}

interface NightProps extends LastCallProps {
  readonly sum: string;
  readonly arriving: string | null;
  readonly isOld: boolean;
  readonly count: number;
  readonly bestHour: number | null;
  readonly toThank: readonly Transaction[];
  /** The day on which the night began. */
  readonly date: string;
}

function Night(props: NightProps) {
  const { serviceCategory, otherCodes, sum, arriving, isOld, count, bestHour, toThank, date } = props;
  const service = CATEGORY_LABELS[serviceCategory];
  /** Null where the night of the service is the whole night. */
  const namedService = otherCodes.length > 0 ? service : null;
  const numbers = useRef<HTMLDivElement>(null);
  const sumPlace = useRef<HTMLParagraphElement>(null);
  const [told, setTold] = useState('');
  const facts = [formatTipCount(count), bestHour !== null && `best hour ${formatHour(bestHour)}`].filter(
    (fact) => fact !== false,
  );

  async function savePicture() {
    setTold('');
    const [plain, large] = [numbers.current, sumPlace.current];
    if (!plain || !large) return;
    const note = paymentMode() === 'live' ? [] : ['No real money'];
    try {
      const isOut = await handOutPicture(
        [
          { text: `${service} · ${formatDate(date)}`, sizePx: 44, like: plain },
          { text: sum, sizePx: 260, like: large },
          ...facts.map((fact) => ({ text: capitalised(fact), sizePx: 60, like: plain })),
          ...[brand.name, ...note].map((text) => ({ text, sizePx: 36, like: plain })),
        ],
        plain,
        `${brand.linkScheme}-${date}.png`,
      );
      setTold(isOut ? 'Your picture is ready' : '');
    } catch {
      setTold('This browser can’t make the picture.');
    }
  }

  return (
    <div className={styles.night}>
      <p className={styles.turn}>Turn the phone to you. Your code is off the screen.</p>
      <ScreenHeading>Last Call{namedService !== null && ` · ${namedService}`}</ScreenHeading>
      <div ref={numbers} className={[card.card, styles.numbers].join(' ')}>
        <p>You keep</p>
        <p ref={sumPlace} className={styles.sum}>
          {sum}
        </p>
        <p>{[...facts, toThank.length > 0 && `${toThank.length} to thank`].filter(Boolean).join(' · ')}</p>
        {arriving !== null && <p>{arriving}</p>}
        <SimulatedMoney />
        <p role="status" className={styles.old}>
          {isOld && MAY_BE_OLD}
        </p>
      </div>
      <ThankEverybody toThank={toThank} service={namedService} />
      {otherCodes.map((code) => (
        <OtherNight key={code.id} code={code} />
      ))}
      <div className={styles.actions}>
        <Button look="quiet" onClick={() => void savePicture()}>
          Save a Picture
        </Button>
        <ButtonLink look="quiet" href={paths.dashboard}>
          End Shift
        </ButtonLink>
      </div>
      <p role="status" className={styles.told}>
        {told}
      </p>
    </div>
  );
}

/** Leads to the last call of another service that has tips tonight. */
function OtherNight({ code: { id, serviceCategory } }: { readonly code: QrCode }) {
  const { data } = useTonight(serviceCategory);
  if (!data || data.receivedTodayCount === 0) return null;
  const { receivedTodayCents, receivedTodayCount } = data;
  return (
    <p>
      <Link href={lastCallOf(id)}>
        {CATEGORY_LABELS[serviceCategory]}: {formatMoney(receivedTodayCents)} ·{' '}
        {formatTipCount(receivedTodayCount)}
      </Link>
    </p>
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
