/** Sends the photo of a tip page as it is, which only the REST door takes. */
import { authorization } from '../../api/api.ts';
import { verifySession } from '../../calls.ts';
import { PictureError } from './photo.ts';

const NOT_SENT = 'The photo could not be saved. Check your connection and try again.';

/**
 * @returns the address at which the photo lies from now on.
 * @throws PictureError with the server's sentence when it refuses the photo, or does not answer.
 */
export async function sendPhoto(qrId: string, jpeg: Blob): Promise<string> {
  const answer = await putPhoto(qrId, jpeg);
  const body: unknown = await answer.json().catch(() => null);
  const photoUrl = textIn(body, 'photo_url');
  if (answer.ok && photoUrl !== null) return photoUrl;
  // The session may have ended: then the server says so again, and this page is logged out.
  if (answer.status === 401) void verifySession();
  throw new PictureError(textIn(body, 'detail') ?? NOT_SENT);
}

async function putPhoto(qrId: string, jpeg: Blob): Promise<Response> {
  try {
    return await fetch(`/api/qr-codes/${qrId}/photo`, {
      method: 'PUT',
      headers: { ...authorization(), 'Content-Type': jpeg.type },
      body: await jpeg.arrayBuffer(),
    });
  } catch (cause) {
    throw new PictureError(NOT_SENT, { cause });
  }
}

function textIn(body: unknown, name: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : null;
}
