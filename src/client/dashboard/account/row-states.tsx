/** The state of each row of the profile in one line. A line stays empty until its data have come. */
import { useQuery } from '@tanstack/react-query';
import type { User } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { counted } from '#shared/counted.ts';
import type { Webhook } from '#shared/events.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH } from '../../signed-in/part.ts';
import { isAnyAlertOn, useAlertChoices } from '../live/alerts.ts';
import { useReadyThankYous } from '../messages/thank-yous.ts';
import { findSubscription, readKept } from '../notifications/registration.ts';

interface OfUser {
  readonly user: User;
}

export function MeState({ user }: OfUser) {
  return (
    <>
      <bdi>{user.fullName}</bdi> · <bdi>@{user.username}</bdi>
    </>
  );
}

export function ServicesState({ user: { isServiceProvider, serviceCategories } }: OfUser) {
  return isServiceProvider
    ? serviceCategories.map((category) => CATEGORY_LABELS[category]).join(', ')
    : 'Get a QR code and receive tips';
}

export function MessagesState() {
  const { texts } = useReadyThankYous();
  const { data: blocked } = trpc.messages.blocked.useQuery(undefined, FRESH);
  if (texts.status !== 'ready' || !blocked) return null;
  const ready = counted(new Set(texts.data).size, 'ready thank-you');
  return blocked.length === 0 ? ready : `${ready}, ${blocked.length} blocked`;
}

export function NotificationsState({ user }: OfUser) {
  const choices = useAlertChoices();
  const { data: subscription } = useQuery({
    ...FRESH,
    queryKey: ['push-subscription'],
    queryFn: findSubscription,
  });
  const isReached = subscription && subscription.endpoint === readKept(user.id)?.endpoint;
  if (isReached) return 'On for this phone';
  return isAnyAlertOn(choices) ? `On while ${brand.name} is open` : 'Off for this phone';
}

export function SecurityState() {
  const { data: sessions } = trpc.auth.sessions.useQuery(undefined, FRESH);
  return sessions ? `Logged in on ${counted(sessions.length, 'device')}` : null;
}

/** The reasons for which a webhook is off although its owner left it on. */
const STOPPED: ReadonlySet<Webhook['offReason']> = new Set(['failed', 'gone', 'restored']);

/** Says whom the row is for, because few people need it, or that a webhook stopped. */
export function ApiState({ user: { isServiceProvider } }: OfUser) {
  const { data: webhooks = [] } = trpc.webhooks.list.useQuery(undefined, {
    ...FRESH,
    enabled: isServiceProvider,
  });
  const stopped = webhooks.filter(({ offReason }) => STOPPED.has(offReason)).length;
  return stopped === 0
    ? 'For a register, a website or accounting software'
    : `${counted(stopped, 'webhook')} switched off`;
}
