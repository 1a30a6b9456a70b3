/**
 * The rows of the table of REST routes that are about devices that get notices.
 */
import { notificationDevice, notificationDeviceChange, pushKey } from '#shared/notifications.ts';
import { type RestRequest, type RestRoute, route } from './rest-route.ts';

const askForDevice = async ({ ask, parameter }: RestRequest) => ({
  body: await ask({ id: parameter('device_id') }),
});

export const NOTICE_ROUTES: readonly RestRoute[] = [
  route('GET', '/notices/key', 'notices.key', { status: 200, output: pushKey }),
  route('GET', '/notices/devices', 'notices.devices', {
    status: 200,
    output: notificationDevice,
    isList: true,
  }),
  route('POST', '/notices/devices', 'notices.register', {
    status: 201,
    output: notificationDevice,
    refusals: ['password_needed', 'push_endpoint_refused', 'too_many_requests'],
  }),
  route('PATCH', '/notices/devices/:device_id', 'notices.update', {
    status: 200,
    input: notificationDeviceChange,
    output: notificationDevice,
    refusals: ['device_not_found', 'too_many_requests'],
    async call({ ask, body, parameter }) {
      const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
      return { body: await ask(isObject ? { ...body, id: parameter('device_id') } : body) };
    },
  }),
  route('DELETE', '/notices/devices/:device_id', 'notices.remove', {
    status: 204,
    refusals: ['password_needed', 'device_not_found', 'too_many_requests'],
    call: askForDevice,
  }),
  route('POST', '/notices/devices/:device_id/test', 'notices.test', {
    status: 204,
    input: null,
    refusals: ['device_not_found', 'push_unavailable', 'too_many_requests'],
    call: askForDevice,
  }),
];
