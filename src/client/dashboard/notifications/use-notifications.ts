/** The devices that get notices, and how this one begins and ends to be one of them. */
import { useQuery } from '@tanstack/react-query';
import type { UserId } from '#shared/ids.ts';
import type { NotificationDevice } from '#shared/notifications.ts';
import { failureOf } from '../../api/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { FRESH, type Part } from '../../signed-in/part.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { keepNotices } from './keep-notifications.ts';
import { findSubscription, inWords, keep, keyOf, readKept, subscribe } from './registration.ts';

const NO_PUSH_SERVICE =
  'The push service of this browser could not be reached. Private windows have none, and some browsers have a setting that allows it.';
const NOT_REACHED = 'The server could not be reached. Nothing was turned on. Please try again.';
const CHANGE_FAILED = 'This could not be changed. Please try again.';

interface Standing {
  readonly devices: readonly NotificationDevice[];
  /** This device, when it gets notices of this account. */
  readonly own: NotificationDevice | null;
  /** Whether it did, and does no more though nobody turned them off here. */
  readonly hasEnded: boolean;
  /** The key of the server. */
  readonly publicKey: string;
}

export function useNotices(userId: UserId) {
  const utils = trpc.useUtils();
  const key = trpc.notices.key.useQuery(undefined, FRESH);
  const devices = trpc.notices.devices.useQuery(undefined, FRESH);
  const here = useQuery({ ...FRESH, queryKey: ['push-subscription'], queryFn: findSubscription });
  const registering = trpc.notices.register.useMutation();
  const updating = trpc.notices.update.useMutation();
  const removing = trpc.notices.remove.useMutation();
  const testing = trpc.notices.test.useMutation();

  const queries = [key, devices, here];
  const kept = readKept(userId);

  function standing(): Part<Standing> {
    if (key.data === undefined || devices.data === undefined || here.data === undefined)
      return { status: queries.some(({ isError }) => isError) ? 'failed' : 'loading' };
    const { publicKey } = key.data;
    // Under an address that the server does not know, nothing arrives.
    const isSubscribed =
      here.data !== null && keyOf(here.data) === publicKey && here.data.endpoint === kept?.endpoint;
    const own = (isSubscribed && devices.data.find(({ id }) => id === kept?.id)) || null;
    return {
      status: 'ready',
      data: { devices: devices.data, own, hasEnded: kept !== null && own === null, publicKey },
    };
  }

  async function reload(): Promise<void> {
    await Promise.allSettled([utils.notices.devices.invalidate(), here.refetch()]);
  }

  return {
    standing: standing(),
    retry() {
      for (const { refetch } of queries) void refetch();
    },

    /**
     * Subscribes with the key of the server, and registers the device. The person has allowed it by now.
     * @returns what went wrong; null when notices are on.
     */
    async turnOn(publicKey: string): Promise<string | null> {
      let subscription: PushSubscription;
      try {
        subscription = await subscribe(publicKey);
      } catch {
        return NO_PUSH_SERVICE;
      }
      try {
        const { id, withWords } = await withPassword(() => registering.mutateAsync(inWords(subscription)));
        keep({ userId, id, endpoint: subscription.endpoint, withWords });
      } catch (error) {
        await subscription.unsubscribe().catch(() => {});
        return failureOf(error).detail ?? NOT_REACHED;
      }
      keepNotices(userId);
      await reload();
      toastSuccess('Notices are on');
      return null;
    },

    /** @param isOwn whether it is this device, whose subscription ends with it. */
    async turnOff({ id }: NotificationDevice, isOwn: boolean): Promise<void> {
      if (isOwn) {
        keep(null);
        await here.data?.unsubscribe().catch(() => {});
      }
      try {
        await withPassword(() => removing.mutateAsync({ id }));
      } catch (error) {
        // It may have been turned off elsewhere. Without its subscription, this device gets nothing in any case.
        if (!isOwn && failureOf(error).code !== 'device_not_found')
          toastError(failureOf(error).detail ?? CHANGE_FAILED);
      }
      await reload();
    },

    /** What is chosen shows at once, and goes back when it cannot be changed. */
    async chooseWords({ id }: NotificationDevice, withWords: boolean): Promise<void> {
      utils.notices.devices.setData(undefined, (list) =>
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
        toastSuccess('A test notice is on its way');
      } catch (error) {
        toastError(failureOf(error).detail ?? 'The test notice could not be sent. Please try again.');
        // The push service may know the device no more.
        await reload();
      }
    },
  };
}
