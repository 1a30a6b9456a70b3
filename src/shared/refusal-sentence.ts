/** The sentence of a refusal, with what only this one knows: how long to wait, or which scope is missing. */
import { counted } from './counted.ts';

export function sentenceOf(
  code: string,
  detail: string,
  {
    retryAfterSeconds,
    scope,
  }: { readonly retryAfterSeconds: number | undefined; readonly scope: string | undefined },
): string {
  if (scope !== undefined) return `This API key lacks the scope ${scope}.`;
  if (retryAfterSeconds === undefined) return detail;
  if (code === 'too_many_requests')
    return `Too many attempts. Please try again in ${duration(retryAfterSeconds)}.`;
  if (code === 'username_changed_often')
    return `${detail} You can change yours again in ${duration(retryAfterSeconds)}.`;
  // The pages say until when a longer maintenance is.
  if (code === 'maintenance' && retryAfterSeconds <= 90 * 60)
    return `Tips and refunds are paused for maintenance. Please try again in ${duration(retryAfterSeconds)}.`;
  return detail;
}

/** Rounded up, so that nobody comes back too early. */
function duration(seconds: number): string {
  if (seconds <= 90) return counted(seconds, 'second');
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 90) return counted(minutes, 'minute');
  const hours = Math.ceil(minutes / 60);
  return hours <= 48 ? counted(hours, 'hour') : counted(Math.ceil(hours / 24), 'day');
}
