/** The devices that get notifications, and the changes of them. */
import { useQuery } from '@tanstack/react-query';
import type { UserId } from '#shared/ids.ts';
import type { NotificationDevice } from '#shared/notifications.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { forgetTold } from '../../api-client/service-worker.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { FRESH, type Part } from '../../signed-in/part.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { keepNotifications } from './keep-notifications.ts';
import { deviceOf, findSubscription, inTurn, keep, keyOf, readKept, subscribe } from './registration.ts';

const NO_PUSH_SERVICE =
  'Your browser’s push service could not be reached. ' +
  'Private windows have none, and some browsers have a setting for it.';
const NOT_REACHED = 'The server could not be reached. Please try again.';
const CHANGE_FAILED = unanswered('this was changed');

export interface Standing {
  readonly devices: readonly NotificationDevice[];
  /** This device; null when it gets no notifications of this account. */
  readonly own: NotificationDevice | null;
  /** Whether this device got them until something other than a choice made here ended it. */
  readonly hasEnded: boolean;
  readonly publicKey: string;
}

export type NotificationActions = Omit<ReturnType<typeof useNotifications>, 'standing' | 'retry'>;

export function useNotifications(userId: UserId) {
  const utils = trpc.useUtils();
  const { standing, kept, reload, retry } = useStanding(userId);
  const registering = trpc.notifications.register.useMutation();
  const updating = trpc.notifications.update.useMutation();
  const removing = trpc.notifications.remove.useMutation();
  const testing = trpc.notifications.test.useMutation();

  return {
    standing,
    retry,

    /** Needs the permission. @returns the sentence of the failure; null when notifications are on. */
    async turnOn(publicKey: string): Promise<string | null> {
      async function register(): Promise<string | null> {
        const subscribed = await subscribe(publicKey).catch(() => null);
        if (subscribed === null) return NO_PUSH_SERVICE;
        try {
          const { id, withWords } = await registering.mutateAsync(deviceOf(subscribed));
          // Where the browser refuses its caches, the worker has noted nothing in them either.
          await forgetTold().catch(() => {});
          keep({ userId, id, endpoint: subscribed.endpoint, withWords });
          return null;
        } catch (error) {
          // Another tab may have registered it.
          if (readKept(userId)?.endpoint !== subscribed.endpoint)
            await subscribed.unsubscribe().catch(() => {});
          throw error;
        }
      }
      try {
        // No other tab waits for a password.
        const failure = await withPassword(() => inTurn(register));
        if (failure !== null) return failure;
      } catch (error) {
        return failureOf(error).detail ?? NOT_REACHED;
      }
      keepNotifications(userId);
      await reload();
      return null;
    },

    async turnOff({ id }: NotificationDevice, isOwn: boolean): Promise<void> {
      if (isOwn) {
        await inTurn(async () => {
          keep(null);
          await (await findSubscription())?.unsubscribe().catch(() => {});
        });
      }
      try {
        await withPassword(() => removing.mutateAsync({ id }));
      } catch (error) {
        // It may have been turned off elsewhere. This device gets nothing without its subscription.
        if (!isOwn && failureOf(error).code !== 'device_not_found')
          toastError(failureOf(error).detail ?? CHANGE_FAILED);
      }
      await reload();
    },

    /** Shows the choice at once, and takes it back if it cannot be saved. */
    async chooseMessages({ id }: NotificationDevice, withWords: boolean): Promise<void> {
      utils.notifications.devices.setData(undefined, (list) =>
        list?.map((device) => (device.id === id ? { ...device, withWords } : device)),
      );
      try {
        await updating.mutateAsync({ id, withWords });
        if (kept) keep({ ...kept, withWords });
      } catch (error) {
        toastError(failureOf(error).detail ?? CHANGE_FAILED);
      }
      await reload();
    },

    async sendTest({ id }: NotificationDevice): Promise<void> {
      try {
        await testing.mutateAsync({ id });
        toastSuccess('A test notification is on its way');
      } catch (error) {
        toastError(failureOf(error).detail ?? unanswered('the test notification was sent'));
        // The push service may have forgotten the device.
        await reload();
      }
    },
  };
}

function useStanding(userId: UserId) {
  const utils = trpc.useUtils();
  const key = trpc.notifications.key.useQuery(undefined, FRESH);
  const devices = trpc.notifications.devices.useQuery(undefined, FRESH);
  const here = useQuery({ ...FRESH, queryKey: ['push-subscription'], queryFn: findSubscription });
  const queries = [key, devices, here];
  const kept = readKept(userId);

  function standing(): Part<Standing> {
    if (key.data === undefined || devices.data === undefined || here.data === undefined)
      return { status: queries.some(({ isError }) => isError) ? 'failed' : 'loading' };
    const { publicKey } = key.data;
    // Nothing arrives under an address that the server does not know.
    const isSubscribed =
      here.data !== null && keyOf(here.data) === publicKey && here.data.endpoint === kept?.endpoint;
    const own = (isSubscribed && devices.data.find(({ id }) => id === kept?.id)) || null;
    return {
      status: 'ready',
      data: { devices: devices.data, own, hasEnded: kept !== null && own === null, publicKey },
    };
  }

  return {
    standing: standing(),
    kept,
    async reload(): Promise<void> {
      await Promise.allSettled([utils.notifications.devices.invalidate(), here.refetch()]);
    },
    retry(): void {
      for (const { refetch } of queries) void refetch();
    },
  };
}
